internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore
internal import LeakPlatform

/// The service that handles all requests to a collector: finds the route of a request, authorizes it, and passes it
/// to the route's handler.
final class CollectorService: Service {
    /// All routes except the files of `Public`.
    let routes: [Route]
    let router: Router<Route>
    private let context: RequestContext
    private let files: StaticFiles
    private let ingest: Ingest
    /// Wrong tokens in `Authorization`, counted separately from those of the sign-in page: people can sign in even if a program
    /// in their network still sends an old token.
    private let bearerAttempts: SignInAttempts
    let metrics: MetricsHandler
    private let log: Log

    init(
        _ context: RequestContext, signIn: SignIn, ingest: Ingest, erasure: Erasure,
        symbolUploads: SymbolUploadWorker, metricSources: MetricsHandler.Sources,
        files: StaticFiles, log: Log
    ) {
        self.context = context
        self.files = files
        self.ingest = ingest
        self.log = log
        let signInHandler = SignInHandler(signIn: signIn, context: context, log: log)
        let bearerAttempts = SignInAttempts()
        self.bearerAttempts = bearerAttempts
        metrics = MetricsHandler(
            context, metricSources, signInAttempts: [signInHandler.attempts, bearerAttempts])
        let mutations = Mutations.all(erasure: erasure, symbolUploads: symbolUploads, ingest: ingest)
        routes =
            Resources.addresses.map { $0.route(in: context) }
            + mutations.flatMap { $0.routes(in: context) }
            + signInHandler.routes
            + SentryIngest(ingest: ingest, authenticator: context.authenticator).routes(
                context.health, context.now)
            + [ingest.route(context.authenticator, context.health), metrics.route] + Self.probes(context)
        router = Router(routes.map { ($0.method, $0.path, $0) })
    }

    /// Returns the routes of health checks: `/healthz` shows that the collector runs, `/readyz` that it can answer requests.
    private static func probes(_ context: RequestContext) -> [Route] {
        let health = context.health
        let readiness = ReadinessProbe(storeThreads: context.storeThreads) {
            context.backups?.publicProblem(now: context.now())
        }
        return [
            Route(.get, "/healthz", access: .anyone) { _, _, responder in responder.send(.plain("ok\n")) },
            Route(.get, "/readyz", access: .anyone) { _, _, responder in
                if let issue = health.mostSerious {
                    responder.send(issue.problem.response)
                } else {
                    readiness.receive(responder)
                }
            },
        ]
    }

    // MARK: Before the body

    func screen(_ request: borrowing Request) -> ScreeningResult {
        let match = router.match(request)
        switch match {
        case .found(let route, let parameters):
            let authentication = route.access.permission.map { _ in authenticate(request) }
            guard let match = Route.Match(route, parameters, reader: try? authentication?.get()) else {
                return ScreeningResult(notFoundResponse(at: request))
            }
            let rejection = rejection(of: request, match, authentication)
            guard case .parsed(let bytes) = route.body else {
                return ScreeningResult(rejection, context: match)
            }
            return ScreeningResult(rejection, bodyLimit: bytes, inflates: true, context: match)
        case .notFound: return ScreeningResult(files.response(to: request) ?? notFoundResponse(at: request))
        case .methodNotAllowed(let allow): return ScreeningResult(methodNotAllowed(allow, at: request))
        case .options: return ScreeningResult(match.refusal)
        }
    }

    func rejectUnknownMethod(of request: borrowing Request) -> Response? {
        let allow = router.allowedMethods(of: request) ?? files.allowedMethods(of: request)
        return allow.map { methodNotAllowed($0, at: request) }
    }

    func recordRejection(of context: (any AnyObject & Sendable)?, status: Status) {
        guard let match = context as? Route.Match, match.route.access == .writers else { return }
        ingest.recordRejection(ProblemKind(status: status))
    }

    /// Returns the response to a request with a method that its address does not accept.
    ///
    /// - Parameter allow: the methods that the address accepts.
    private func methodNotAllowed(_ allow: String, at request: borrowing Request) -> Response {
        guard !request.path.hasPrefix("/api/") else {
            return Problem(.methodNotAllowed, "this address accepts only \(allow)").withField("Allow", allow)
                .response
        }
        var page = Response.page(
            error: .methodNotAllowed, permissions: permissions(of: request), now: context.now())
        page.fields.append(("Allow", allow))
        return page
    }

    /// Returns the rejection of a request with a known address and method; `nil` if its body should be read.
    ///
    /// - Parameter authentication: the result of ``authenticate(_:)``; `nil` if the route needs no right.
    private func rejection(
        of request: borrowing Request, _ match: Route.Match, _ authentication: Result<Credential, Problem>?
    ) -> Response? {
        let route = match.route
        if let rejection = authorize(request, match, by: authentication) ?? route.screen?(request) {
            return rejection
        }
        guard case .atMost(let limit) = route.body else { return nil }
        // The length of a chunked body is known only at its end, see ``serve(_:_:)``.
        let bytes = request.announcedLength ?? 0
        guard bytes <= limit, limit > 0 || !request.hasBody else {
            return match.rejection(Self.tooLarge(limit), now: context.now())
        }
        // The limit is for the inflated body, whose size is known only after the event loop has inflated it. So compressed
        // bodies are rejected.
        guard !request.isCompressed else {
            var response = match.rejection(
                Problem(
                    .unsupportedMediaType, "this address accepts no compressed body; send it uncompressed"),
                now: context.now())
            response.fields.append(("Accept-Encoding", "identity"))
            return response
        }
        return nil
    }

    private static func tooLarge(_ limit: Int) -> Problem {
        Problem(.contentTooLarge, "the body may have at most \(limit) bytes")
    }

    /// Checks that the request has the right that its route requires.
    ///
    /// - Returns: the rejection of an unauthorized request.
    private func authorize(
        _ request: borrowing Request, _ match: Route.Match, by authentication: Result<Credential, Problem>?
    ) -> Response? {
        let access = match.route.access
        guard let permission = access.permission, let authentication else { return nil }
        do throws(Problem) {
            try authentication.get().require(permission)
            return nil
        } catch {
            // A program that presents a token gets the reason of the failure as JSON.
            guard access.isForPeople, Authenticator.bearer(of: request) == nil else {
                return response(to: request, rejectedBecauseOf: error)
            }
            // A signed-in person gets the reason as a page.
            guard match.reader == nil else { return match.rejection(error, now: context.now()) }
            // The address of a form is replaced by that of its page.
            let target = match.formPage.map { Links.served.to($0.target) } ?? request.target
            return .redirect(to: target == "/" ? "/sign-in" : "/sign-in?to=\(PercentEncoder.encode(target))")
        }
    }

    /// Returns the response to a request that may not read. A wrong token counts as a failed attempt of the client's
    /// address. Beyond the limit of attempts the connection ends with the response, so that each further guess costs a
    /// connection. A valid token is never counted.
    private func response(
        to request: borrowing Request, rejectedBecauseOf problem: Problem
    ) -> Response {
        var response = problem.response
        guard Authenticator.bearer(of: request) != nil, problem.status == .unauthorized else {
            return response
        }
        let (client, now) = (request.clientAddress, context.now())
        if bearerAttempts.secondsToWait(client, now: now) != nil {
            bearerAttempts.recordRejection()
            response.closesConnection = true
        } else if let line = bearerAttempts.recordFailure(client, by: .bearer, now: now) {
            log.warning(line)
        }
        return response
    }

    /// Returns the credential of a request that reads, or the problem of a request without a valid one.
    private func authenticate(_ request: borrowing Request) -> Result<Credential, Problem> {
        switch context.authenticator.readCredential(of: request, now: context.now()) {
        case .valid(let credential): .success(credential)
        case .revoked:
            .failure(
                Problem(
                    .forbidden, "this access token was revoked; use another one", kind: .revokedToken))
        case .unknown:
            .failure(
                .unauthorized(
                    "reading needs an access token (Authorization: Bearer TOKEN) or a signed-in browser"))
        }
    }

    /// Returns the rights of a request; none without a valid credential.
    private func permissions(of request: borrowing Request) -> Set<Permission> {
        (try? authenticate(request).get())?.permissions ?? []
    }

    private func notFoundResponse(at request: borrowing Request) -> Response {
        guard !request.path.hasPrefix("/api/") else {
            return Problem(.notFound, "there is nothing at this address; /openapi.json lists all addresses")
                .response
        }
        return .page(error: .notFound, permissions: permissions(of: request), now: context.now())
    }

    // MARK: After the body

    func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        // Without a match, `screen` has answered the request.
        guard let match = request.context as? Route.Match else { return }
        if case .atMost(let limit) = match.route.body, request.bodyCount > limit {
            responder.send(match.rejection(Self.tooLarge(limit), now: context.now()))
            return
        }
        match.route.handler(request, match, responder)
    }
}
