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

    @Test func `a page is made once for each question`() {
        #expect(made(PageCache(), [(1, 7, 0), (1, 7, 0), (2, 7, 0), (1, 7, 0), (2, 7, 0)]) == [1, 2])
    }

    @Test func `it is made again after a commit, and after one that came back to the same count`() {
        #expect(made(PageCache(), [(1, 7, 0), (1, 8, 0), (1, 8, 0), (1, 7, 0)]) == [1, 1, 1])
    }

    @Test func `it is made again of a later moment, and of one before`() {
        #expect(made(PageCache(), [(1, 7, 0), (1, 7, 60_000), (1, 7, 60_000), (1, 7, 0)]) == [1, 1, 1])
    }

    @Test func `what could not be made is asked for again`() throws {
        struct Nothing: Error {}
        let pageCache = PageCache()
        #expect(throws: Nothing.self) {
            try pageCache.page(for: 1, changeCounter: 7, now: 0) { throw Nothing() }
        }
        #expect(made(pageCache, [(1, 7, 0), (1, 7, 0)]) == [1])
    }

    @Test func `it keeps no more pages than it may`() {
        let pageCache = PageCache(pages: 3)
        #expect(made(pageCache, [(1, 7, 0), (2, 7, 0), (3, 7, 0), (1, 7, 0)]) == [1, 2, 3])
        // The fourth page evicts all others.
        #expect(made(pageCache, [(4, 7, 0), (4, 7, 0), (1, 7, 0), (1, 7, 0)]) == [4, 1])
    }

    @Test func `it keeps no more bytes than it may, those of the compressed page among them`() {
        #expect(made(PageCache(bytes: 5999), (0..<4).map { ($0 % 2, 7, 0) }) == [0, 1])
        #expect(made(PageCache(bytes: 5999), (0..<6).map { ($0 % 3, 7, 0) }) == [0, 1, 2, 0, 1, 2])
        #expect(made(PageCache(bytes: 1999), [(1, 7, 0), (1, 7, 0), (1, 7, 0)]) == [1, 1, 1])
        // There is room for the page, but not for the compressed one beside it.
        #expect(made(PageCache(bytes: 2000), [(1, 7, 0), (1, 7, 0), (1, 7, 0)]) == [1, 1])
    }
}
