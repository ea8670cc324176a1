internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// Content that can be read at an address: its parameters, and how it is loaded and shown.
///
/// A resource is created on the connection's event loop from the head of a request. It is loaded on a thread that may
/// wait for the store. Equal resources have equal content until the next commit. To add a resource, add its file and
/// a line in `Resources`.
protocol Resource: Hashable, Sendable {
    /// The right that a reader needs.
    static var permission: Permission { get }

    /// - Throws: ``Problem`` 400 for an invalid parameter.
    init(_ request: borrowing Request, _ parameters: Parameters) throws(Problem)
}

/// Content that programs read as JSON.
protocol JSONResource: Resource {
    /// The part of the path after `/api/v1`, such as `/leaks/{leak}`.
    static var jsonPath: String { get }
    /// The parameters that the query may have. A request with any other parameter is rejected, because a misspelt name would be
    /// ignored otherwise.
    static var jsonParameters: [String] { get }

    /// Writes the fields of the response's JSON object. Blocks the calling thread while it reads from the store.
    ///
    /// - Throws: ``Problem``, ``MovedResource`` or ``StoreError``.
    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws
}

/// Content that people read as a page.
protocol PageResource: Resource {
    /// The path of the page, such as `/leaks/{leak}`.
    static var pagePath: String { get }

    /// `true` if the page may be cached: it depends only on the store's data and the current minute. Its relative times
    /// have no smaller unit than the minute.
    static var isCached: Bool { get }

    /// Returns the page. Blocks the calling thread while it reads from the store.
    ///
    /// - Throws: ``Problem``, ``MovedResource`` or ``StoreError``.
    func page(from view: StoreView) throws -> HTML
}

extension JSONResource {
    static var jsonParameters: [String] { [] }
}

extension PageResource {
    static var isCached: Bool { true }
}

extension TextResource {
    static var textParameters: [String] { [] }
}

/// Content that is read as text, to be pasted somewhere.
protocol TextResource: Resource {
    /// The part of the path after `/api/v1`, such as `/leaks/{leak}/markdown`.
    static var textPath: String { get }
    /// The parameters that the query may have, as in ``JSONResource/jsonParameters``.
    static var textParameters: [String] { get }
    /// The media type of the text, such as `text/markdown; charset=utf-8`.
    static var mediaType: String { get }

    /// Returns the text. Blocks the calling thread while it reads from the store.
    ///
    /// - Throws: ``Problem``, ``MovedResource`` or ``StoreError``.
    func text(from view: StoreView) throws -> String
}

/// The inputs of one response: the store's reader, the time that the response refers to, what the person who asks may see, and the
/// state of the collector that pages show.
struct StoreView {
    let reader: any StoreReader
    /// Milliseconds since 1970.
    var now: Int64
    /// The rights of the person who asks: pages leave out forms and links that this person may not use.
    var permissions = Permission.all
    /// The only app that the person who asks may see; `nil` for all apps.
    var onlyApp: String?
    /// A problem of the collector that an admin should know, shown at the top of each page; `nil` for other people,
    /// and without a problem.
    var operatorAlert: String?
    /// ``PageContext/canSignOut``
    var canSignOut = true
    /// The backups, for a page of admins; `nil` if the collector makes none.
    var backups: BackupLoop?
    /// The notification channels, for a page of admins.
    var channelStatuses: [ChannelStatus] = []
    /// The ages at which data is deleted.
    var retention = RetentionRule()
    /// The symbols that name closures of earlier reports, which arrived before the symbols; `nil` leaves such closures without
    /// names.
    var symbolTables: SymbolTableCache?
    /// Adds an event, which is stored later; `nil` in an export.
    var addEvent: (@Sendable (Event) -> Void)?
    /// Links to the pages of the server, or to the files of an export.
    var links = Links.served
    /// Address of this collector, for links in text that people paste elsewhere.
    var address = ""

    /// Returns the context of a page with a query: all apps and environments, and the versions of the query's app.
    func context(_ query: LeakQuery) throws(StoreError) -> PageContext {
        var context = context(app: query.scope)
        context.apps = try reader.apps(in: query.environment)
        context.environments = try reader.environments(app: nil)
        context.versions = try reader.versions(app: query.scope)
        context.query = query
        return context
    }

    /// Returns the context of a page about one app, or of a page without a choice of apps.
    func context(app: AppScope) -> PageContext {
        var query = LeakQuery()
        query.scope = app
        var context = PageContext(links: links, now: now, permissions: permissions, query: query)
        context.operatorAlert = operatorAlert
        context.canSignOut = canSignOut
        return context
    }

    /// Returns the context of a page about one app with a choice of the environment.
    func contextWithEnvironments(app: AppScope) throws(StoreError) -> PageContext {
        var context = context(app: app)
        context.environments = try reader.environments(app: nil)
        return context
    }
}

/// Error for content that has moved to another address, such as a leak that was merged into another.
struct MovedResource: Error {
    /// The full path on this server, for example with `/api/v1` at its start.
    var location: String
}

extension Parameters {
    /// The id of the leak in the path of the request.
    ///
    /// - Throws: ``Problem`` 404 if the id is invalid.
    var leak: LeakID {
        get throws(Problem) {
            guard let leak = self["leak"].flatMap({ LeakID($0) }) else { throw .noLeak }
            return leak
        }
    }
}

extension Request {
    /// The names of the parameters from which ``queriedScope`` is read.
    static var scopeParameters: [String] { ["app", "environment"] }

    /// Checks that the query has only known parameters, each once.
    ///
    /// - Throws: ``Problem`` 400 that names the first parameter that is unknown or repeated.
    func requireParameters(_ known: [String]) throws(Problem) {
        var seen: Set<String> = []
        for name in queryNames {
            guard known.contains(name) else {
                throw Problem.invalidParameter(
                    "unknown parameter “\(name)”; this address has "
                        + (known.isEmpty ? "no parameters" : "only \(known.joined(separator: ", "))"))
            }
            guard seen.insert(name).inserted else {
                throw Problem.invalidParameter("the parameter “\(name)” is given twice")
            }
        }
    }

    /// The app and the environment in the query. An empty app means all apps, because the choice “All apps” of a form
    /// sends an empty value.
    var queriedScope: AppScope {
        func nonEmpty(_ name: String) -> String? { query(name).flatMap { $0.isEmpty ? nil : $0 } }
        return AppScope(
            nonEmpty("app"),
            environment: AppKey.environment(named: nonEmpty("environment") ?? AppKey.production))
    }
}

/// An address of a resource, with the form in which it is sent: JSON, page or text.
struct ResourceAddress: Sendable {
    /// The form of the response.
    enum Representation: Hashable, Sendable {
        case json, page, text
    }

    let path: String
    let representation: Representation
    let permission: Permission
    /// Parses a request's parameters.
    private let parse: @Sendable (borrowing Request, Parameters) throws(Problem) -> ResourceRead

    static func json<Content: JSONResource>(_: Content.Type) -> ResourceAddress {
        ResourceAddress(
            path: "/api/v1" + Content.jsonPath, representation: .json, permission: Content.permission
        ) {
            (request, parameters) throws(Problem) in
            try request.requireParameters(Content.jsonParameters)
            let resource = try Content(request, parameters)
            return ResourceRead { view in
                var writer = JSONWriter()
                try writer.object { writer throws in try resource.writeJSON(to: &writer, from: view) }
                return JSONResponse.response(writer.bytes)
            }
        }
    }

    static func page<Content: PageResource>(_: Content.Type) -> ResourceAddress {
        ResourceAddress(path: Content.pagePath, representation: .page, permission: Content.permission) {
            (request, parameters) throws(Problem) in
            let resource = try Content(request, parameters)
            return ResourceRead(cacheKey: Content.isCached ? resource : nil) { view in
                Response(page: try resource.page(from: view))
            }
        }
    }

    static func text<Content: TextResource>(_: Content.Type) -> ResourceAddress {
        ResourceAddress(
            path: "/api/v1" + Content.textPath, representation: .text, permission: Content.permission
        ) {
            (request, parameters) throws(Problem) in
            try request.requireParameters(Content.textParameters)
            let resource = try Content(request, parameters)
            return ResourceRead { view in
                let bytes = Array(try resource.text(from: view).utf8)
                var response = JSONResponse.response(bytes)
                response.type = Content.mediaType
                return response
            }
        }
    }

    func route(in context: RequestContext) -> Route {
        let access: Route.Access = representation == .page ? .people(permission) : .readers(permission)
        return Route(.get, path, access: access) { request, match, responder in
            let responder = SharedResponder(responder)
            let makeRejection = { @Sendable problem in match.rejection(problem, now: context.now()) }
            do throws(Problem) {
                guard let reader = match.reader else { throw .unauthorized("this needs an access token") }
                let resourceRead = try parse(request, match.parameters)
                try reader.requireApp(request.query("app"))
                context.storeThreads.add(
                    StoreWork(request.path, responders: { [responder] }, rejection: makeRejection) {
                        resources in
                        do {
                            let now = context.now()
                            let view = StoreView(
                                reader: reader.limited(resources.reader, now: now), now: now,
                                permissions: reader.permissions, onlyApp: reader.app,
                                operatorAlert: reader.permissions.contains(.administer)
                                    ? context.backups?.problem(now: now) : nil,
                                canSignOut: reader.purpose != .proxy, backups: context.backups,
                                channelStatuses: context.channelStatuses(),
                                retention: context.retention,
                                symbolTables: context.symbolTables, addEvent: context.addEvent,
                                address: context.address)
                            return try resourceRead.answer(from: view, cache: resources.pageCache)
                        } catch let moved as MovedResource {
                            return .redirect(to: moved.location)
                        }
                    })
            } catch {
                responder.send(makeRejection(error))
            }
        }
    }
}
