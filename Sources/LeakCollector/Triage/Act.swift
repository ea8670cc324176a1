internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// One request to decide about a leak, and the form in which it is answered.
enum Act: Hashable, Sendable {
    /// By the form of a leak's page; the answer leads back there.
    case form(LeakID)
    /// By a program.
    case json(LeakID)

    var leak: LeakID {
        switch self {
        case .form(let leak), .json(let leak): leak
        }
    }

    /// The same about another leak.
    func about(_ leak: LeakID) -> Act {
        switch self {
        case .form: .form(leak)
        case .json: .json(leak)
        }
    }

    /// Reads what was sent.
    ///
    /// - Throws: ``Problem`` 415 or 400.
    func fields(of request: borrowing Request) throws(Problem) -> DecisionFields {
        switch self {
        case .form:
            guard request.hasContentType("application/x-www-form-urlencoded") else {
                throw Problem(.unsupportedMediaType, "Send the form of the leak's page as it is.")
            }
            return try DecisionFields(Form(request.body()))
        case .json:
            guard request.hasContentType("application/json") else {
                throw Problem(.unsupportedMediaType, "Content-Type must be application/json")
                    .with("Accept-Post", "application/json")
            }
            return try DecisionFields(json: request.body())
        }
    }

    /// - Parameter reader: for what the leak has become.
    func answer(
        _ decision: PastDecision, from reader: any StoreReader, now: Int64
    ) throws(StoreError) -> Response {
        switch self {
        case .form:
            // Where the head is, with the new state.
            return .redirect(to: Links.served.to(.leak(leak)) + "#" + PageFrame.mainAnchor)
        case .json:
            let row = try reader.leak(leak, now: now)?.row
            var writer = JSONWriter()
            writer.object { writer in
                writer.object("decision") { $0.fields(of: decision) }
                writer.field("state", row?.state.rawValue)
                writer.field("standing", row?.standing)
            }
            var response = Response(.created, type: "application/json", body: .bytes(writer.bytes))
            response.fields.append(("Cache-Control", "no-store"))
            response.fields.append(("Location", Links.served.json(of: .leak(leak))))
            return response
        }
    }

    /// The note in what was sent by a form, whatever else is wrong with it.
    func note(of request: borrowing Request) -> String? {
        guard case .form = self, request.hasContentType("application/x-www-form-urlencoded") else {
            return nil
        }
        // Forms end lines with CR LF.
        return Form(request.body())["note"]?.replacing("\r\n", with: "\n")
    }

    /// - Parameter note: given back to who wrote it in a form.
    func refusal(_ problem: Problem, note: String? = nil, now: Int64) -> Response {
        switch self {
        case .json:
            return problem.response
        case .form:
            let back = ErrorPage.Way(to: .leak(leak), text: "Back to the leak")
            // What else went wrong is told in the page's own words.
            let detail = problem.status.code < 500 && problem.status != .notFound ? problem.detail : nil
            return .page(
                error: problem.status, detail: detail, written: note,
                back: problem.status == .notFound ? nil : back,
                isSignedIn: true, now: now)
        }
    }
}
