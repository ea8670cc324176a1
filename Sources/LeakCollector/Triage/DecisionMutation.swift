internal import LeakHTTPServer
internal import LeakMessage
internal import LeakPlatform
internal import LeakStore

/// The mutation that stores a decision about a leak: `POST /leaks/{leak}/decisions` for the form of its page, and the
/// same path under `/api/v1` for JSON.
struct DecisionMutation: Mutation {
    static let all = [DecisionMutation(isForm: true), DecisionMutation(isForm: false)]

    let permission = Permission.triage
    let isForm: Bool

    var path: String { (isForm ? "" : "/api/v1") + "/leaks/{leak}/decisions" }

    /// The limit has room for a note in which each byte is written as `\u0000`.
    var body: Route.Body { .atMost(bytes: 16 * 1024) }

    var formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)? {
        guard isForm else { return nil }
        return { parameters in
            (try? parameters.leak).map { ErrorPage.PageLink(target: .leak($0), text: "Back to the leak") }
        }
    }

    /// Returns the note, even if the rest of the form is invalid.
    func typedText(in request: borrowing Request) -> String? {
        // Forms end lines with CR LF.
        isForm ? request.form?["note"]?.replacing("\r\n", with: "\n") : nil
    }

    func start(_ request: borrowing Request, _ change: ChangeRequest) throws(Problem) {
        let leak = try change.match.parameters.leak
        let author = change.author
        let decision = try fields(of: request).decision(by: author.actor, now: change.now)
        let (store, now) = (change.context.store, change.now)
        change.context.storeThreads.add(
            change.work("deciding about \(leak)") { resources in
                let reader = author.limited(resources.reader, now: now)
                // The page may have been opened before its leak was merged into another leak.
                for target in [leak, try reader.target(ofMerged: leak)].compactMap(\.self) {
                    let leaks = try Self.inAllEnvironments(target, from: reader, now: now)
                    // An author who is limited to one app sees no leak of other apps, and so must not decide about one.
                    if leaks.isEmpty, author.app != nil { continue }
                    let entry = AuditEntry(
                        decision.action.auditAction, of: "leak \(target)",
                        details: decision.action.auditDetails,
                        by: change.origin, at: now)
                    let stored = try store.decide(
                        decision, about: leaks.isEmpty ? [target] : leaks, audit: entry, now: now)
                    if let stored {
                        return try response(stored, about: target, from: reader, now: now)
                    }
                }
                throw Problem.noLeak
            })
    }

    /// Returns the leak, then the same leak in the other environments of its app; empty if the reader sees no such leak.
    private static func inAllEnvironments(
        _ leak: LeakID, from reader: any StoreReader, now: Int64
    ) throws(StoreError) -> [LeakID] {
        guard let identity = try reader.leak(leak, now: now)?.row.identity else { return [] }
        return [leak] + (try reader.idsInOtherEnvironments(of: identity)).map(\.id)
    }

    private func fields(of request: borrowing Request) throws(Problem) -> DecisionFields {
        guard isForm else {
            try request.requireJSON()
            return try DecisionFields(json: request.body())
        }
        guard let form = request.form else {
            throw Problem(
                .unsupportedMediaType, "The request is not a form; use the form on the leak's page.")
        }
        return try DecisionFields(form)
    }

    /// Returns the response to a stored decision.
    ///
    /// - Parameter reader: reads the state of the leak after the decision.
    private func response(
        _ decision: PastDecision, about leak: LeakID, from reader: any StoreReader, now: Int64
    ) throws(StoreError) -> Response {
        guard !isForm else {
            // The redirect leads to the head of the page, which shows the new state.
            return .redirect(to: Links.served.to(.leak(leak)) + "#" + PageLayout.mainAnchor)
        }
        let row = try reader.leak(leak, now: now)?.row
        var writer = JSONWriter()
        writer.object { writer in
            writer.object("decision") { $0.fields(of: decision) }
            writer.field("state", row?.state.rawValue)
            writer.field("standing", row?.decisionStatus)
        }
        var response = Response(.created, type: "application/json", body: .bytes(writer.bytes))
        response.fields.append(("Cache-Control", "no-store"))
        response.fields.append(("Location", Links.served.json(of: .leak(leak))))
        return response
    }
}

extension Decision.Action {
    fileprivate var auditAction: AuditEntry.Action {
        switch self {
        case .resolve: .resolve
        case .ignore: .ignore
        case .reopen: .reopen
        case .note: .comment
        }
    }

    /// The version of a fix, or the limit of ignoring a leak. The text of a note is only in the history of the leak.
    fileprivate var auditDetails: String {
        switch self {
        case .resolve(.newestVersion): "in the current release"
        case .resolve(.nextVersion): "in the next version"
        case .resolve(.version(let version, let build)):
            "in \(version)" + (build.map { " (\($0))" } ?? "")
        case .resolve(.newerThan(let version)): "in a version after \(version)"
        case .ignore(.until(let time)?): "until \(CivilTime(milliseconds: time).rfc3339)"
        case .ignore(.nextReports(let count)?): "until \(count) more reports"
        case .ignore(nil), .reopen, .note: ""
        }
    }
}
