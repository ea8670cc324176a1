internal import LeakHTTPServer

/// Cache of the pages that one reader has rendered, so that an unchanged page is not rendered twice.
///
/// A page is reused until a commit or the next minute. The cache belongs to one thread, with its reader.
final class PageCache {
    /// State of the store and time for which the cached pages are valid.
    private struct Validity: Equatable {
        /// ``StoreReader/changeCounter()``.
        var changeCounter: Int64
        /// Milliseconds since 1970.
        var now: Int64
    }

    private struct Page {
        var response: Response
        /// Bytes of the body, and of its compressed form if that is cached too.
        var bytes: Int
        var wasRequestedAgain = false
    }

    /// Maximum number of pages. A person opens few pages within a minute.
    private let maxPageCount: Int
    /// Maximum bytes of pages, including their compressed forms. The default has room for ten of the longest lists.
    private let maxBytes: Int
    private var validity: Validity?
    private var pages: [AnyHashable: Page] = [:]
    private var cachedBytes = 0

    init(maxPageCount: Int = 64, maxBytes: Int = 2 << 20) {
        self.maxPageCount = maxPageCount
        self.maxBytes = maxBytes
    }

    /// Returns the cached page for `cacheKey`, or the page that `render` returns.
    ///
    /// - Parameters:
    ///   - changeCounter: the store's change counter, read before `render` reads. If a commit happens in between, the page
    ///     is rendered again for the next request.
    ///   - now: the time that `render` makes the page for, in milliseconds since 1970.
    func page(
        for cacheKey: AnyHashable, changeCounter: Int64, now: Int64, render: () throws -> Response
    ) rethrows -> Response {
        let current = Validity(changeCounter: changeCounter, now: now)
        if current != validity {
            removeAll()
            validity = current
        }
        if let page = pages[cacheKey] { return pageForRepeatedRequest(page, cacheKey) }
        let response = try render()
        insert(Page(response: response, bytes: response.body.count), for: cacheKey)
        return response
    }

    /// Returns a cached page. A page that is requested twice will probably be requested again, so its compressed form
    /// is cached too from now on.
    private func pageForRepeatedRequest(_ page: Page, _ cacheKey: AnyHashable) -> Response {
        guard !page.wasRequestedAgain else { return page.response }
        var page = page
        page.wasRequestedAgain = true
        page.bytes += page.response.compressBeforehand()
        cachedBytes -= pages.removeValue(forKey: cacheKey)?.bytes ?? 0
        insert(page, for: cacheKey)
        return page.response
    }

    private func insert(_ page: Page, for cacheKey: AnyHashable) {
        guard page.bytes <= maxBytes else { return }
        if pages.count == maxPageCount || cachedBytes + page.bytes > maxBytes { removeAll() }
        pages[cacheKey] = page
        cachedBytes += page.bytes
    }

    private func removeAll() {
        pages = [:]
        cachedBytes = 0
    }
}
