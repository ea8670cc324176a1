internal import LeakGrammar
internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The mutation that merges a leak into another leak by hand: `POST /merge/confirmed` for the form of the page `/merge`, and
/// `POST /api/v1/leaks/{leak}/merge` for JSON.
struct MergeMutation: Mutation {
    static let all = [true, false].map { MergeMutation(isForm: $0) }

    let permission = Permission.triage
    let isForm: Bool

    var path: String { isForm ? Links.served.to(.mergeForm) : "/api/v1/leaks/{leak}/merge" }
    var body: Route.Body { .atMost(bytes: 8 * 1024) }

    var formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)? {
        guard isForm else { return nil }
        return { _ in ErrorPage.PageLink(target: .summary(app: nil), text: "Back to the list") }
    }

    /// Returns the link to the page with the form.
    func formPage(of request: borrowing Request) -> ErrorPage.PageLink? {
        guard isForm, let leak = request.form?["leak"].flatMap({ LeakID($0) }) else { return nil }
        return ErrorPage.PageLink(target: .merge(leak), text: "Choose another leak")
    }

    func start(_ request: borrowing Request, _ change: ChangeRequest) throws(Problem) {
        let (source, target) = try leaks(of: request, change.match.parameters)
        let (store, author, now, origin) = (change.context.store, change.author, change.now, change.origin)
        change.context.storeThreads.add(
            change.work("merging \(source)") { [isForm] resources in
                let reader = author.limited(resources.reader, now: now)
                guard try isForm || reader.leak(target, now: now) != nil else {
                    throw Problem(.notFound, "there is no leak \(target) to merge into")
                }
                guard let preview = try MergePreview(source, into: target, from: reader, now: now) else {
                    throw Problem.noLeak
                }
                let id = preview.target.identity.id
                let entry = MergePreview.auditEntry(source, into: id, by: origin, at: now)
                guard
                    let merge = try store.mergeByHand(
                        source, into: id, by: author.actor, audit: entry, now: now)
                else {
                    throw Problem.noLeak
                }
                guard !isForm else {
                    return .redirect(to: Links.served.to(.leak(merge.target)) + "#" + PageLayout.mainAnchor)
                }
                return JSONResponse.json { $0.fields(of: merge) }
            })
    }

    private func leaks(
        of request: borrowing Request, _ parameters: Parameters
    ) throws(Problem) -> (source: LeakID, target: LeakID) {
        let source: LeakID
        let text: String?
        if isForm {
            guard let form = request.form else {
                throw Problem(
                    .unsupportedMediaType, "The request is not a form; use the form on the page /merge.")
            }
            guard let named = form["leak"].flatMap({ LeakID($0) }) else { throw .noLeak }
            (source, text) = (named, form["target"])
        } else {
            try request.requireJSON()
            (source, text) = (try parameters.leak, try Self.target(json: request.body()))
        }
        guard let target = text.flatMap({ LeakID(inLink: $0) }) else {
            throw Problem.invalidBody(
                "the field “target” must be the id of the leak to merge into, or the address of its page")
        }
        return (source, target)
    }

    /// Reads the only field of a JSON object.
    private static func target(json body: [UInt8]) throws(Problem) -> String? {
        guard UTF8Validator.firstInvalidByte(in: body) == nil else {
            throw Problem.invalidBody("the body is not UTF-8")
        }
        do {
            return try JSONScanner.scan(body) { (scanner) throws(JSONError) in
                var target: String?
                if try scanner.enterObject() {
                    repeat {
                        let start = scanner.offset
                        let name = try scanner.name()
                        guard scanner.text(of: name) == "target" else {
                            throw JSONError(.expected("target, and no other field"), at: start)
                        }
                        guard try scanner.kind() == .string else {
                            throw JSONError(.expected("a string as target"), at: scanner.offset)
                        }
                        let value = try scanner.string()
                        target = scanner.text(of: value)
                    } while try scanner.hasAnotherElement(in: .object)
                }
                try scanner.finish()
                return target
            }
        } catch {
            throw Problem.invalidBody(
                #"the body must be a JSON object such as {"target": "0f6a3b5c7d9e1f2030405060708090a0"}: \#(error)"#
            )
        }
    }
}

/// The mutation that undoes a merge by hand: `POST /merge/undo` for the form on the page of the leak, and
/// `DELETE /api/v1/merges/{number}`.
struct UndoMergeMutation: Mutation {
    static let all = [true, false].map { UndoMergeMutation(isForm: $0) }

    let permission = Permission.triage
    let isForm: Bool

    var method: LeakHTTPServer.Method { isForm ? .post : .delete }
    var path: String { isForm ? Links.served.to(.undoMergeForm) : "/api/v1/merges/{number}" }
    var body: Route.Body { .atMost(bytes: isForm ? 1024 : 0) }

    var formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)? {
        guard isForm else { return nil }
        return { _ in ErrorPage.PageLink(target: .summary(app: nil), text: "Back to the list") }
    }

    func start(_ request: borrowing Request, _ change: ChangeRequest) throws(Problem) {
        let text: String?
        if isForm {
            guard let form = request.form else {
                throw Problem(
                    .unsupportedMediaType, "The request is not a form; use the form on the leak's page.")
            }
            text = form["number"]
        } else {
            text = change.match.parameters["number"]
        }
        guard let number = text.flatMap({ Int64(decimalDigits: $0) }) else {
            throw Problem(.notFound, "there is no merge with this number; /api/v1/merges lists all of them")
        }
        let (store, author, now, origin) = (change.context.store, change.author, change.now, change.origin)
        change.context.storeThreads.add(
            change.work("undoing merge \(number)") { [isForm] resources in
                let missing = Problem(
                    .notFound, "\(ManualMerge.missingText(number)); /api/v1/merges lists all of them")
                let reader = author.limited(resources.reader, now: now)
                guard let merge = try reader.manualMerge(number) else { throw missing }
                let entry = merge.undoEntry(by: origin, at: now)
                guard let undone = try store.undoMerge(number, by: author.actor, audit: entry, now: now)
                else {
                    throw missing
                }
                guard !isForm else {
                    let leak = undone.reports > 0 ? undone.merge.source : undone.merge.target
                    return .redirect(to: Links.served.to(.leak(leak)) + "#" + PageLayout.mainAnchor)
                }
                return JSONResponse.json { writer in
                    writer.fields(of: undone.merge)
                    writer.field("restored", undone.reports)
                }
            })
    }
}

extension LeakID {
    /// Reads an id, or the id in the address of a leak's page; `nil` for any other text.
    init?(inLink text: String) {
        let ids = text.split { !$0.isHexDigit }.lazy.compactMap { LeakID($0) }
        guard let id = ids.first else { return nil }
        self = id
    }
}

extension JSONWriter {
    mutating func fields(of merge: ManualMerge) {
        field("number", Int(merge.number))
        field("app", merge.app.name)
        field("environment", merge.app.environment)
        field("source", merge.source.description)
        field("title", merge.sourceTitle)
        field("target", merge.target.description)
        field("reports", merge.reports)
        field("by", merge.by)
        time("at", merge.at)
    }
}
