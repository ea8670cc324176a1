import LeakHTTPServer
import Testing

@testable import LeakCollector

@Suite struct PageCacheTests {
    private func response(_ count: Int = 2000) -> Response {
        Response(.ok, type: "text/html", body: .bytes([UInt8](repeating: 0x61, count: count)))
    }

    /// Requests the pages of `questions` in turn. Returns the questions for which a page was rendered, in that order.
    private func made(
        _ pageCache: PageCache, _ questions: [(question: Int, state: Int64, now: Int64)], bytes: Int = 2000
    ) -> [Int] {
        var made: [Int] = []
        for (question, state, now) in questions {
            let page = pageCache.page(for: question, changeCounter: state, now: now) {
                made.append(question)
                return response(bytes)
            }
            #expect(page.body.count == bytes)
        }
        return made
    }

    @Test func `a page is rendered once for each cache key`() {
        #expect(made(PageCache(), [(1, 7, 0), (1, 7, 0), (2, 7, 0), (1, 7, 0), (2, 7, 0)]) == [1, 2])
    }

    @Test func `a page is rendered again after a commit, and after a commit that restored the same count`() {
        #expect(made(PageCache(), [(1, 7, 0), (1, 8, 0), (1, 8, 0), (1, 7, 0)]) == [1, 1, 1])
    }

    @Test func `a page is rendered again for a later minute, and for an earlier one`() {
        #expect(made(PageCache(), [(1, 7, 0), (1, 7, 60_000), (1, 7, 60_000), (1, 7, 0)]) == [1, 1, 1])
    }

    @Test func `a page that failed to render is rendered again`() throws {
        struct Nothing: Error {}
        let pageCache = PageCache()
        #expect(throws: Nothing.self) {
            try pageCache.page(for: 1, changeCounter: 7, now: 0) { throw Nothing() }
        }
        #expect(made(pageCache, [(1, 7, 0), (1, 7, 0)]) == [1])
    }

    @Test func `the page cache has at most its maximum of pages`() {
        let pageCache = PageCache(pages: 3)
        #expect(made(pageCache, [(1, 7, 0), (2, 7, 0), (3, 7, 0), (1, 7, 0)]) == [1, 2, 3])
        // The fourth page evicts all others.
        #expect(made(pageCache, [(4, 7, 0), (4, 7, 0), (1, 7, 0), (1, 7, 0)]) == [4, 1])
    }

    @Test func `the page cache has at most its maximum of bytes, including compressed pages`() {
        #expect(made(PageCache(bytes: 5999), (0..<4).map { ($0 % 2, 7, 0) }) == [0, 1])
        #expect(made(PageCache(bytes: 5999), (0..<6).map { ($0 % 3, 7, 0) }) == [0, 1, 2, 0, 1, 2])
        #expect(made(PageCache(bytes: 1999), [(1, 7, 0), (1, 7, 0), (1, 7, 0)]) == [1, 1, 1])
        // There is room for the page, but not for the compressed one beside it.
        #expect(made(PageCache(bytes: 2000), [(1, 7, 0), (1, 7, 0), (1, 7, 0)]) == [1, 1])
    }
}
