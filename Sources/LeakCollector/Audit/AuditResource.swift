internal import LeakHTTPServer
internal import LeakMessage
internal import LeakPlatform
internal import LeakStore

/// The audit log: who changed what, when, and from where, newest first.
struct AuditResource: JSONResource, PageResource {
    static let permission = Permission.administer
    static let (jsonPath, pagePath) = ("/audit", "/audit")
    static let jsonParameters = ["cursor", "limit"]
    /// The page is not cached, because few people open it, and other collectors may have written to the log.
    static let isCached = false

    /// The number of entries of a page, and the default of `limit`.
    static let pageSize = 100
    /// The highest value of `limit`.
    static let maxLimit = 1_000

    /// The id of the last entry before this page; `nil` for the first page.
    let cursor: Int64?
    let limit: Int

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        func nonEmpty(_ name: String) -> String? { request.query(name).flatMap { $0.isEmpty ? nil : $0 } }
        cursor = try nonEmpty("cursor").map { (text) throws(Problem) -> Int64 in
            guard let id = Int64(decimalDigits: text) else {
                throw Problem.invalidParameter(
                    "the parameter “cursor” must be the value of “next” in a response")
            }
            return id
        }
        limit =
            try nonEmpty("limit").map { (text) throws(Problem) -> Int in
                guard let limit = Int64(decimalDigits: text), (1...Int64(Self.maxLimit)).contains(limit)
                else {
                    throw Problem.invalidParameter("the parameter “limit” must be 1 to \(Self.maxLimit)")
                }
                return Int(limit)
            } ?? Self.pageSize
    }

    /// Returns the entries of this page, and the cursor of the next page; `nil` if this is the last page.
    private func read(_ reader: any StoreReader) throws(StoreError) -> (entries: [AuditEntry], next: Int64?) {
        let entries = try reader.auditEntries(before: cursor ?? .max, limit: limit + 1)
        guard entries.count > limit else { return (entries, nil) }
        return (Array(entries.prefix(limit)), entries[limit - 1].id)
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        let (entries, next) = try read(view.reader)
        writer.fields(of: entries)
        writer.field("next", next.map { "\($0)" })
    }

    func page(from view: StoreView) throws -> HTML {
        let (entries, next) = try read(view.reader)
        return AuditPage(
            context: view.context(app: AppScope(nil)), entries: entries, next: next,
            isFirst: cursor == nil
        ).html
    }
}

extension JSONWriter {
    mutating func fields(of entries: [AuditEntry]) {
        array("entries") { writer in
            for entry in entries {
                writer.object { writer in
                    writer.field("id", entry.id)
                    writer.time("at", entry.at)
                    writer.field("actor", entry.actor)
                    writer.field("token", entry.token)
                    writer.field("action", entry.action.rawValue)
                    writer.field("object", entry.object)
                    writer.field("details", entry.details)
                    writer.field("address", entry.address)
                }
            }
        }
    }
}

/// The page of the audit log: `/audit`.
struct AuditPage: Component {
    var context: PageContext
    var entries: [AuditEntry]
    /// The cursor of the next page; `nil` if this is the last page.
    var next: Int64?
    var isFirst = true

    var html: HTML {
        PageLayout(
            title: "Audit log", section: .access, context: context,
            main: #"""
                <p class="crumb"><a href="\#(context.links.to(.access))">Settings</a></p>
                <h1>Audit log</h1>
                <p>Every change of a person or a program, newest first. Entries are kept for two years.</p>
                \#(entries.isEmpty ? "<p>There is no entry.</p>" : table)\#(pageLinks)
                """#,
            footer: [#"<a href="\#(context.links.json(of: .audit(cursor: nil)))">JSON</a>"#]
        ).html
    }

    private var table: HTML {
        #"""
        <table class="small access"><thead><tr><th scope="col">Time</th><th scope="col">Who</th><th scope="col">Action</th>\#
        <th scope="col">Object</th><th scope="col">Details</th><th scope="col">Address</th></tr></thead>\#
        <tbody>\#(entries.map(row))</tbody></table>
        """#
    }

    private func row(_ entry: AuditEntry) -> HTML {
        let time = CivilTime(milliseconds: entry.at)
        let token: HTML? = entry.token.map { "<small>token \($0)</small>" }
        return #"""
            <tr><td><time datetime="\#(time.rfc3339)">\#(time.full)</time></td><th scope="row">\#(IsolatedText(entry.actor))\#(token)</th>\#
            <td>\#(entry.action.rawValue.replacing("_", with: " "))</td><td>\#(IsolatedText(entry.object))</td>\#
            <td>\#(IsolatedText(entry.details))</td><td>\#(entry.address ?? "")</td></tr>
            """#
    }

    private var pageLinks: HTML? {
        guard next != nil || !isFirst else { return nil }
        let first: HTML? =
            isFirst ? nil : #"<a href="\#(context.links.to(.audit(cursor: nil)))">First page</a>"#
        let following: HTML? = next.map { cursor in
            #"<a rel="next" href="\#(context.links.to(.audit(cursor: cursor)))">Next page</a>"#
        }
        return #"<nav class="pages" aria-label="More entries">\#(first)\#(following)</nav>"#
    }
}
