internal import LeakHTTPServer

/// Pages that one reader has made, so that the same page is not made twice while nothing changes.
///
/// A page is sent again until a commit or the next minute. For one thread, with its reader.
final class PageMemo {
    /// What a page must be of to be shown again.
    private struct Moment: Equatable {
        /// ``StoreReader/changeCounter()``.
        var state: Int64
        /// Milliseconds since 1970.
        var now: Int64
    }

    private struct Page {
        var response: Response
        var bytes: Int
        var isRepeated = false
    }

    /// Pages at most; a person turns through few within a minute.
    private let pageLimit: Int
    /// Bytes of pages at most, compressed ones beside them: ten of the longest lists.
    private let byteLimit: Int
    private var moment: Moment?
    private var pages: [AnyHashable: Page] = [:]
    private var bytes = 0

    init(pages: Int = 64, bytes: Int = 2 << 20) {
        pageLimit = pages
        byteLimit = bytes
    }

    /// The page that answers `question`: the one made before, or what `make` makes.
    ///
    /// - Parameters:
    ///   - state: the store's change counter, asked before `make` reads: what is committed meanwhile counts as new.
    ///   - now: the moment that `make` makes the page of, in milliseconds since 1970.
    func page(
        for question: AnyHashable, state: Int64, now: Int64, make: () throws -> Response
    ) rethrows -> Response {
        let current = Moment(state: state, now: now)
        if current != moment {
            forgetAll()
            moment = current
        }
        if let page = pages[question] { return repeated(page, question) }
        let response = try make()
        keep(Page(response: response, bytes: response.body.count), for: question)
        return response
    }

    /// A page that is asked for again will be once more: from now on it is there compressed too.
    private func repeated(_ page: Page, _ question: AnyHashable) -> Response {
        guard !page.isRepeated else { return page.response }
        var page = page
        page.isRepeated = true
        page.bytes += page.response.compressBeforehand()
        bytes -= pages.removeValue(forKey: question)?.bytes ?? 0
        keep(page, for: question)
        return page.response
    }

    private func keep(_ page: Page, for question: AnyHashable) {
        guard page.bytes <= byteLimit else { return }
        if pages.count == pageLimit || bytes + page.bytes > byteLimit { forgetAll() }
        pages[question] = page
        bytes += page.bytes
    }

    private func forgetAll() {
        pages = [:]
        bytes = 0
    }
}
