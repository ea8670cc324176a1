internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// An address of a resource, with the form in which it is sent: JSON, page or text.
struct ResourceAddress: Sendable {
    /// The form of the response.
    enum Representation: Hashable, Sendable {
        case json, page, text
    }

    /// The read of a resource that a request asks for.
    struct ResourceRead: Sendable {
        /// The key of the page in a thread's page cache; `nil` if it is not cached.
        var cacheKey: (any Resource)?
        /// Returns the response. Blocks the calling thread while it reads from the store.
        let makeResponse: @Sendable (StoreView) throws -> Response

        /// Returns the response, from the page cache if the page is in it.
        ///
        /// - Parameters:
        ///   - view: the view of the store for the request.
        ///   - pageCache: the cached pages of the view's reader.
        fileprivate func answer(from view: StoreView, cache pageCache: PageCache) throws -> Response {
            guard let cacheKey else { return try makeResponse(view) }
            let view = StoreView(
                reader: view.reader, now: view.now - view.now % 60_000, symbolTables: view.symbolTables,
                links: view.links, address: view.address)
            guard view.reader.hasLocalChangeCounter else { return try makeResponse(view) }
            return try pageCache.page(
                for: AnyHashable(cacheKey), changeCounter: try view.reader.changeCounter(), now: view.now
            ) {
                try makeResponse(view)
            }
        }
    }

    let path: String
    let representation: Representation
    /// Parses a request's parameters.
    private let parse: @Sendable (borrowing Request, Parameters) throws(Problem) -> ResourceRead

    static func json<Content: JSONResource>(_: Content.Type) -> ResourceAddress {
        ResourceAddress(path: "/api/v1" + Content.jsonPath, representation: .json) {
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
        ResourceAddress(path: Content.pagePath, representation: .page) {
            (request, parameters) throws(Problem) in
            let resource = try Content(request, parameters)
            return ResourceRead(cacheKey: Content.isCached ? resource : nil) { view in
                Response(page: try resource.page(from: view))
            }
        }
    }

    static func text<Content: TextResource>(_: Content.Type) -> ResourceAddress {
        ResourceAddress(path: "/api/v1" + Content.textPath, representation: .text) {
            (request, parameters) throws(Problem) in
            try request.requireParameters([])
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
        Route(.get, path, access: representation == .page ? .people : .readers) { request, match, responder in
            let responder = SharedResponder(responder)
            let makeRejection = { @Sendable problem in match.rejection(problem, now: context.now()) }
            do throws(Problem) {
                let resourceRead = try parse(request, match.parameters)
                context.storeThreads.add(
                    StoreWork(request.path, responders: { [responder] }, rejection: makeRejection) {
                        resources in
                        do {
                            let view = StoreView(
                                reader: resources.reader, now: context.now(),
                                symbolTables: context.symbolTables,
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
