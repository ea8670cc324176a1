import LeakHTTPServer
import Testing

@testable import LeakCollector

@Suite struct PageCacheTests {
    private func response(_ count: Int = 2000) -> Response {
        Response(.ok, type: "text/html", body: .bytes([UInt8](repeating: 0x61, count: count)))
    }

    /// Requests pages one after another. Returns the cache keys of the pages that were rendered, in that order.
    private func renderedKeys(
        _ pageCache: PageCache, _ requests: [(key: Int, changeCounter: Int64, now: Int64)], bytes: Int = 2000
    ) -> [Int] {
        var keys: [Int] = []
        for (key, changeCounter, now) in requests {
            let page = pageCache.page(for: key, changeCounter: changeCounter, now: now) {
                keys.append(key)
                return response(bytes)
            }
            #expect(page.body.count == bytes)
        }
        return keys
    }

    @Test func `a page is rendered once for each cache key`() {
        #expect(
            renderedKeys(PageCache(), [(1, 7, 0), (1, 7, 0), (2, 7, 0), (1, 7, 0), (2, 7, 0)]) == [1, 2])
    }

    @Test func `a page is rendered again if the store's change counter changes, even to an earlier value`() {
        #expect(renderedKeys(PageCache(), [(1, 7, 0), (1, 8, 0), (1, 8, 0), (1, 7, 0)]) == [1, 1, 1])
    }

    @Test func `a page is rendered again in a later minute, and in an earlier minute`() {
        #expect(
            renderedKeys(PageCache(), [(1, 7, 0), (1, 7, 60_000), (1, 7, 60_000), (1, 7, 0)]) == [1, 1, 1])
    }

    @Test func `a page that failed to render is rendered again`() throws {
        struct Nothing: Error {}
        let pageCache = PageCache()
        #expect(throws: Nothing.self) {
            try pageCache.page(for: 1, changeCounter: 7, now: 0) { throw Nothing() }
        }
        #expect(renderedKeys(pageCache, [(1, 7, 0), (1, 7, 0)]) == [1])
    }

    @Test func `the page cache stores at most its maximum number of pages`() {
        let pageCache = PageCache(maxPageCount: 3)
        #expect(renderedKeys(pageCache, [(1, 7, 0), (2, 7, 0), (3, 7, 0), (1, 7, 0)]) == [1, 2, 3])
        // The fourth page evicts all others.
        #expect(renderedKeys(pageCache, [(4, 7, 0), (4, 7, 0), (1, 7, 0), (1, 7, 0)]) == [4, 1])
    }

    @Test func `the page cache stores at most its maximum number of bytes, including compressed pages`() {
        #expect(renderedKeys(PageCache(maxBytes: 5999), (0..<4).map { ($0 % 2, 7, 0) }) == [0, 1])
        #expect(
            renderedKeys(PageCache(maxBytes: 5999), (0..<6).map { ($0 % 3, 7, 0) }) == [0, 1, 2, 0, 1, 2])
        #expect(renderedKeys(PageCache(maxBytes: 1999), [(1, 7, 0), (1, 7, 0), (1, 7, 0)]) == [1, 1, 1])
        // The page fits into the cache, but not together with its compressed form.
        #expect(renderedKeys(PageCache(maxBytes: 2000), [(1, 7, 0), (1, 7, 0), (1, 7, 0)]) == [1, 1])
    }
}
