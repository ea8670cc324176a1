internal import LeakHTTPServer
internal import LeakStore

/// What a reading request asks, free of the request: read on the loop, answered on a thread that may wait.
struct Question: Sendable, CustomStringConvertible {
    /// The path that was asked for, for the log.
    let description: String
    let form: ResourceAddress.Form
    /// The resource whose page is kept in the memo of a thread; `nil` where none is.
    let remembered: (any Resource)?
    private let response: @Sendable (StoreView) throws -> Response

    init(
        description: String, form: ResourceAddress.Form, remembered: (any Resource)? = nil,
        response: @escaping @Sendable (StoreView) throws -> Response
    ) {
        self.description = description
        self.form = form
        self.remembered = remembered
        self.response = response
    }

    /// Blocks on the store.
    ///
    /// - Parameters:
    ///   - view: at the moment of the question.
    ///   - memo: the pages that were made from its reader.
    /// - Throws: ``Problem`` 404, 400 for a cursor of another list, or 500 and 503 for what the store says.
    func answer(from view: StoreView, or memo: PageMemo) throws(Problem) -> Response {
        do {
            guard let remembered else { return try response(view) }
            var view = view
            view = StoreView(
                reader: view.reader, now: view.now - view.now % 60_000, symbols: view.symbols,
                links: view.links, address: view.address)
            guard view.reader.hasLocalChangeCounter else { return try response(view) }
            return try memo.page(
                for: AnyHashable(remembered), state: try view.reader.changeCounter(), now: view.now
            ) {
                try response(view)
            }
        } catch let moved as MovedResource {
            return .redirect(to: moved.location)
        } catch let problem as Problem {
            throw problem
        } catch let error as StoreError {
            throw Problem(error)
        } catch {
            var problem = Problem(.internalServerError, "the collector's log says what happened")
            problem.cause = "\(error)"
            throw problem
        }
    }

    /// A problem in the form that was asked for.
    func refusal(_ problem: Problem, now: Int64) -> Response {
        guard form == .page else { return problem.response }
        let detail = problem.status == .badRequest ? problem.detail : nil
        return .page(error: problem.status, detail: detail, isSignedIn: true, now: now)
    }
}
