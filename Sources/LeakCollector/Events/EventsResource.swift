internal import LeakHTTPServer
internal import LeakMessage
internal import LeakPlatform
internal import LeakStore

extension EventFilter {
    static let parameters = Request.scopeParameters + ["kind"]

    /// - Throws: ``Problem`` 400 for an unknown kind.
    init(_ request: borrowing Request) throws(Problem) {
        self.init(
            app: request.nonEmpty("app"),
            environment: request.nonEmpty("environment").map { AppKey.environment(named: $0) })
        guard let name = request.nonEmpty("kind") else { return }
        kind = Event.Kind(rawValue: name)
        guard Event.Kind.all.contains(where: { $0.rawValue == name }) else {
            throw .invalidParameter(
                "the parameter “kind” must be one of \(Event.Kind.all.map(\.rawValue).joined(separator: ", "))"
            )
        }
    }
}

extension Request {
    fileprivate func nonEmpty(_ name: String) -> String? { query(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the id of an event in a parameter; `nil` without the parameter.
    fileprivate func eventID(in name: String) throws(Problem) -> Int64? {
        try nonEmpty(name).map { (text) throws(Problem) -> Int64 in
            guard let id = Int64(decimalDigits: text) else {
                throw .invalidParameter(
                    "the parameter “\(name)” must be the value of “next” in a response")
            }
            return id
        }
    }
}

/// The events: as JSON oldest first, for programs that poll; as a page newest first.
struct EventsResource: JSONResource, PageResource {
    static let permission = Permission.read
    static let (jsonPath, pagePath) = ("/events", "/events")
    static let jsonParameters = ["since"] + EventFilter.parameters + ["limit"]

    /// The number of events of a page, and the default of `limit`.
    static let pageSize = 100
    /// The highest value of `limit`.
    static let maxLimit = 1_000

    let filter: EventFilter
    /// The id of the last event that the program has read.
    let since: Int64
    /// The id of the last event before this page; `nil` for the first page.
    let before: Int64?
    let limit: Int

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        filter = try EventFilter(request)
        since = try request.eventID(in: "since") ?? 0
        before = try request.eventID(in: "before")
        limit =
            try request.nonEmpty("limit").map { (text) throws(Problem) -> Int in
                guard let limit = Int64(decimalDigits: text), (1...Int64(Self.maxLimit)).contains(limit)
                else {
                    throw .invalidParameter("the parameter “limit” must be 1 to \(Self.maxLimit)")
                }
                return Int(limit)
            } ?? Self.pageSize
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        let events = try view.reader.events(EventQuery(.after(since), filter: filter, limit: limit))
        writer.array("events") { writer in
            for event in events { writer.object { $0.fields(of: event, address: view.address) } }
        }
        writer.field("next", "\(try events.last?.id ?? next(from: view))")
    }

    /// Returns the cursor after an empty list: ``since``, but not more than the id of the newest event. A database that was restored
    /// from a backup assigns the ids after the backup again.
    private func next(from view: StoreView) throws -> Int64 {
        guard since > 0 else { return 0 }
        return min(since, try view.reader.events(EventQuery(.before(.max), limit: 1)).first?.id ?? 0)
    }

    func page(from view: StoreView) throws -> HTML {
        var events = try view.reader.events(
            EventQuery(.before(before ?? .max), filter: filter, limit: Self.pageSize + 1))
        let hasNext = events.count > Self.pageSize
        if hasNext { events.removeLast() }
        var context = view.context(
            app: AppScope(filter.app, environment: filter.environment ?? AppKey.production))
        context.environments = try view.reader.environments(app: nil)
        context.apps = try Set(view.reader.appSummaries().map(\.id)).sorted()
        return EventsPage(
            context: context, filter: filter, events: events, next: hasNext ? events.last?.id : nil,
            isFirst: before == nil
        ).html
    }
}

extension Event {
    /// Returns the page of what the event is about: the leak, or the releases of the app.
    fileprivate var target: LinkTarget? {
        if let leak, hasLeak { return .leak(leak) }
        return app.map { .releases(app: $0.scope) }
    }

    /// Returns the address of ``target``; of all leaks for an event of the collector itself.
    ///
    /// - Parameter address: the address of this collector.
    func pageAddress(_ address: String) -> String {
        address + Links.served.to(target ?? .events(EventFilter(kind: kind)))
    }
}

extension JSONWriter {
    /// Writes the fields of an event.
    ///
    /// - Parameter address: the address of this collector.
    mutating func fields(of event: Event, address: String) {
        field("id", event.id)
        time("at", event.at)
        field("kind", event.kind.rawValue)
        field("app", event.app?.name)
        field("environment", event.app?.environment)
        field("version", event.version)
        field("build", event.build)
        field("leak", event.leak?.description)
        field("title", event.title)
        field("text", event.text)
        field("url", event.pageAddress(address))
        field("details", json: event.details.utf8)
    }
}

/// The page of events: `/events`.
struct EventsPage: Component {
    var context: PageContext
    var filter: EventFilter
    var events: [Event]
    /// The id of the last event of this page; `nil` if this is the last page.
    var next: Int64?
    var isFirst = true

    var html: HTML {
        PageLayout(
            title: "Events", section: .events, context: context, isLive: true,
            main: #"""
                <div class="head"><h1>Events</h1></div>\#(form)
                \#(events.isEmpty ? empty : table)\#(pageLinks)
                """#,
            footer: [#"<a href="\#(context.links.json(of: .events(filter)))">JSON</a>"#]
        ).html
    }

    private var form: HTML {
        let choices = [
            DropDownList(
                name: "app", label: "App", emptyLabel: "All apps", options: context.apps.map { ($0, $0) },
                selectedValue: filter.app),
            DropDownList(
                name: "environment", label: "Environment", emptyLabel: "All environments",
                options: context.environments.map { ($0, $0) }, selectedValue: filter.environment),
            DropDownList(
                name: "kind", label: "Kind", emptyLabel: "All kinds",
                options: Event.Kind.all.map { ($0.rawValue, $0.displayName) },
                selectedValue: filter.kind?.rawValue),
        ]
        return #"""
            <form class="filters" action="\#(context.links.to(.events(EventFilter())))">\#
            \#(choices.map(\.html))<button>Apply</button></form>
            """#
    }

    private var empty: HTML {
        guard filter == EventFilter() else { return "<p>There is no event that matches the filter.</p>" }
        return #"""
            <p>There is no event yet. Events are recorded when a release has a new or more frequent leak, when a resolved leak comes \#
            back or its fix is proven, when a class is not checked any more, and when the collector is in trouble. Leaks from before \#
            the collector recorded events have none.</p>
            """#
    }

    private var table: HTML {
        #"""
        <table class="small access"><thead><tr><th scope="col">Time</th><th scope="col">Event</th>\#
        <th scope="col">Kind</th><th scope="col">App</th></tr></thead><tbody>\#(events.map(row))</tbody></table>
        """#
    }

    private func row(_ event: Event) -> HTML {
        let text = IsolatedText(event.text)
        let sentence: HTML =
            event.target.map { #"<a href="\#(context.links.to($0))">\#(text)</a>"# } ?? "\(text)"
        let app: HTML? = event.app.map { "\(IsolatedText($0.description))" }
        return #"""
            <tr><td>\#(context.relativeTime(event.at))</td><th scope="row">\#(sentence)</th>\#
            <td>\#(event.kind.displayName)</td><td>\#(app)</td></tr>
            """#
    }

    private var pageLinks: HTML? {
        guard next != nil || !isFirst else { return nil }
        let first: HTML? =
            isFirst ? nil : #"<a href="\#(context.links.to(.events(filter)))">First page</a>"#
        let following: HTML? = next.map { id in
            #"<a rel="next" href="\#(context.links.to(.events(filter, before: id)))">Next page</a>"#
        }
        return #"<nav class="pages" aria-label="More events">\#(first)\#(following)</nav>"#
    }
}

extension Event.Kind {
    var displayName: String {
        switch self {
        case .newLeak: "New leak"
        case .regressed: "Regressed"
        case .worse: "Worse"
        case .fixed: "Fixed"
        case .leakFreeSessionsLow: "Leak-free sessions low"
        case .noLongerChecked: "No longer checked"
        case .limitReached: "Limit reached"
        case .diskLow: "Disk nearly full"
        case .backupFailed: "Backup failed"
        case .gateFailed: "Release check failed"
        default: rawValue
        }
    }
}
