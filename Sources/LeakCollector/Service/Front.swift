internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore
internal import LeakPlatform

/// The door of the collector: looks at each request's head, lets in who may, and hands the rest to those who answer.
final class Front: Service {
    private let gate: Gate
    private let files: StaticFiles
    private let ingest: Ingest
    private let sentry: SentryIngest
    private let visits: Visits
    /// Wrong tokens in `Authorization`, counted apart from those of the sign-in page: people can sign in although a program
    /// of their network still sends an old token.
    private let bearerAttempts = SignInAttempts()
    private let readiness: Readiness
    private let triage: Triage
    private let handing: Handing
    private let erasure: Erasure
    private let symbols: SymbolUploads
    private let tables: SymbolTables
    private let pool: ReadPool
    private let health: StoreHealth
    private let log: Log
    private let now: @Sendable () -> Int64
    /// Known once the server is bound: port 0 becomes a real one only then.
    private let address = Guarded("")

    init(
        gate: Gate, signIn: SignIn, files: StaticFiles, queue: CommitQueue, parsing: ParsingPool,
        rate: RateLimit, takesExplanations: Bool, erasure: Erasure, symbols: SymbolUploads,
        tables: SymbolTables,
        pool: ReadPool, health: StoreHealth, log: Log, now: @escaping @Sendable () -> Int64
    ) {
        self.gate = gate
        self.files = files
        ingest = Ingest(
            queue: queue, parsing: parsing, rate: rate, symbols: tables, takesExplanations: takesExplanations,
            now: now)
        sentry = SentryIngest(ingest: ingest, gate: gate)
        visits = Visits(signIn: signIn, pool: pool, attempts: SignInAttempts(), log: log)
        readiness = Readiness(pool: pool, log: log)
        triage = Triage(store: signIn.store, gate: gate, pool: pool, log: log)
        handing = Handing(store: signIn.store, gate: gate, pool: pool, log: log)
        self.erasure = erasure
        self.symbols = symbols
        self.tables = tables
        self.pool = pool
        self.health = health
        self.log = log
        self.now = now
    }

    func learn(address: String) {
        self.address.with { $0 = address }
    }

    // MARK: Before the body

    func screen(_ request: borrowing Request) -> Response? {
        let match = Route.router.match(request)
        switch match {
        case .found(let pattern, let parameters):
            guard let route = pattern.route(parameters) else { return nothing(at: request) }
            return refusal(of: route, request)
        case .notFound: return files.response(to: request) ?? nothing(at: request)
        case .methodNotAllowed(let allow): return methodNotAllowed(allow, at: request)
        case .options: return match.refusal
        }
    }

    func refuseUnknownMethod(of request: borrowing Request) -> Response? {
        let allow = Route.router.allowedMethods(of: request) ?? files.allowedMethods(of: request)
        return allow.map { methodNotAllowed($0, at: request) }
    }

    /// - Parameter allow: the methods that the address answers.
    private func methodNotAllowed(_ allow: String, at request: borrowing Request) -> Response {
        guard !request.path.hasPrefix("/api/") else {
            return Problem(.methodNotAllowed, "this address answers \(allow)").with("Allow", allow).response
        }
        var page = Response.page(
            error: .methodNotAllowed, isSignedIn: unreadable(by: request) == nil, now: now())
        page.fields.append(("Allow", allow))
        return page
    }

    /// What keeps a request out whose address and method are right.
    private func refusal(of route: Route, _ request: borrowing Request) -> Response? {
        if let refusal = unentitled(to: route, request) { return refusal }
        if route == .symbolUpload {
            if let trouble = health.worst, trouble.keepsReportsOut { return trouble.problem.response }
            return SymbolUploads.refusal(of: request)?.response
        }
        guard route.bodyBytes < .max else { return nil }
        // A body in chunks tells its length only at its end, see ``serve(_:_:)``.
        let bytes = request.announcedLength ?? 0
        guard bytes <= route.bodyBytes, route.bodyBytes > 0 || !request.hasBody else {
            return refused(tooLarge(for: route), at: route)
        }
        // What it inflates to is known only once it is inflated, by the loop.
        guard !request.isCompressed else {
            var response = refused(
                Problem(.unsupportedMediaType, "this address takes no compressed body"), at: route)
            response.fields.append(("Accept-Encoding", "identity"))
            return response
        }
        return nil
    }

    private func tooLarge(for route: Route) -> Problem {
        Problem(.contentTooLarge, "this address takes at most \(route.bodyBytes) bytes of body")
    }

    /// In the form of the address: a page for people, a problem for programs.
    private func refused(_ problem: Problem, at route: Route) -> Response {
        switch route {
        case .decisionForm(let leak): return Act.form(leak).refusal(problem, now: now())
        case .handout(let change): return change.refusal(problem, now: now())
        case .signInPage, .signIn, .signOut:
            return .page(error: problem.status, detail: problem.detail, now: now())
        case _ where route.access == .people:
            return .page(error: problem.status, detail: problem.detail, isSignedIn: true, now: now())
        default: return problem.response
        }
    }

    private func unentitled(to route: Route, _ request: borrowing Request) -> Response? {
        switch route.access {
        case .anyone:
            return nil
        case .writers:
            if case .sentry = route { return sentry.refusal(of: request, health, now: now()) }
            return ingest.refusal(of: request, writer: gate.writer(of: request, now: now()), health)
        case .readers:
            return unreadable(by: request).map { refused($0, request) }
        case .people:
            guard let problem = unreadable(by: request) else { return nil }
            // A program that presents a token reads why it failed; a browser is shown the way in.
            guard Gate.bearer(of: request) == nil else { return refused(problem, request) }
            let target = route.destination(from: request.target)
            return .redirect(to: target == "/" ? "/sign-in" : "/sign-in?to=\(Percent.encode(target))")
        }
    }

    /// The answer to a request that may not read. A wrong token counts for its client's address; beyond the count the
    /// connection ends with the answer, so that each further guess costs a connection. A valid token is never counted.
    private func refused(_ problem: Problem, _ request: borrowing Request) -> Response {
        var response = problem.response
        guard Gate.bearer(of: request) != nil, problem.status == .unauthorized else { return response }
        let (client, now) = (request.clientAddress, now())
        if bearerAttempts.secondsToWait(client, now: now) != nil {
            bearerAttempts.noteRefusal()
            response.closes = true
        } else if let line = bearerAttempts.noteFailure(client, by: .bearer, now: now) {
            log.warning(line)
        }
        return response
    }

    private func unreadable(by request: borrowing Request) -> Problem? {
        switch gate.reader(of: request, now: now()) {
        case .valid: nil
        case .revoked: Problem(.forbidden, "this access token has been revoked")
        case .unknown:
            .unauthorized(
                "reading needs an access token (Authorization: Bearer TOKEN) or a signed-in browser")
        }
    }

    private func nothing(at request: borrowing Request) -> Response {
        guard !request.path.hasPrefix("/api/") else {
            return Problem(.notFound, "nothing is at this address; /openapi.json lists what is").response
        }
        return .page(error: .notFound, isSignedIn: unreadable(by: request) == nil, now: now())
    }

    func bodyLimit(of request: borrowing Request, _ limits: Limits) -> Int {
        switch route(of: request) {
        case .sentry: max(limits.bodyBytes, SentryIngest.bodyBytes)
        case .symbolUpload: max(limits.bodyBytes, SymbolTable.Limits.bytes)
        default: limits.bodyBytes
        }
    }

    /// Reports and symbols are inflated by the threads that parse them; no other address takes a compressed body.
    func inflates(_ request: borrowing Request) -> Bool {
        switch route(of: request) {
        case .reports, .sentry, .symbolUpload: true
        default: false
        }
    }

    private func route(of request: borrowing Request) -> Route? {
        guard case .found(let pattern, let parameters) = Route.router.match(request) else { return nil }
        return pattern.route(parameters)
    }

    // MARK: After the body

    func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        guard case .found(let pattern, let parameters) = Route.router.match(request),
            let route = pattern.route(parameters)
        else {
            responder.send(nothing(at: request))
            return
        }
        guard request.bodyCount <= route.bodyBytes else {
            responder.send(refused(tooLarge(for: route), at: route))
            return
        }
        switch route {
        case .reports:
            // Looked up again: between head and body, which a slow phone stretches to minutes, a key may be revoked.
            guard case .valid(let key) = gate.writer(of: request, now: now()) else {
                responder.send(Problem(.forbidden, "this ingest key is not valid any more").response)
                return
            }
            ingest.take(request, key: key, responder)
        case .sentry(let form):
            sentry.take(request, form, responder, now: now())
        case .health:
            responder.send(.plain("ok\n"))
        case .readiness where health.worst != nil:
            responder.send((health.worst ?? .unwritable).problem.response)
        case .readiness: readiness.receive(responder)
        case .decisions(let leak): decide(.json(leak), request, responder)
        case .decisionForm(let leak): decide(.form(leak), request, responder)
        case .handout(let change): handOut(change, request, responder)
        case .formAddress(let page): responder.send(.redirect(to: Links.served.to(page)))
        case .symbolUpload, .symbolRemoval: change(route, request, responder)
        case .install(let id):
            do throws(Problem) {
                _ = try gate.author(of: request, now: now())
            } catch {
                responder.send(error.response)
                return
            }
            erasure.receive(id, responder)
        case .signInPage, .signIn, .signOut:
            visits.receive(route, request, responder, now: now())
        case .resource(let address):
            do throws(Problem) {
                ask(try address.question(request, parameters), responder)
            } catch {
                responder.send(refused(error, at: route))
            }
        }
    }

    /// Stores or removes symbols, with an access token.
    private func change(_ route: Route, _ request: borrowing Request, _ responder: consuming Responder) {
        do throws(Problem) {
            guard try gate.author(of: request, now: now()).purpose == .access else {
                throw .unauthorized("this needs an access token (Authorization: Bearer TOKEN)")
            }
        } catch {
            responder.send(error.response)
            return
        }
        if case .symbolRemoval(let image) = route {
            symbols.remove(image, responder)
            return
        }
        ingest.parse(request, responder) {
            $0.response
        } work: { [symbols] body, responder in
            symbols.receive(body, responder)
        }
    }

    private func decide(_ act: Act, _ request: borrowing Request, _ responder: consuming Responder) {
        guard !health.keepsQuestionsOut else {
            let problem = Problem.unavailable("the database cannot be reached", afterSeconds: 5)
            responder.send(act.refusal(problem, note: act.note(of: request), now: now()))
            return
        }
        triage.receive(act, request, responder, now: now())
    }

    private func handOut(
        _ change: HandoutChange, _ request: borrowing Request, _ responder: consuming Responder
    ) {
        guard !health.keepsQuestionsOut else {
            let problem = Problem.unavailable("the database cannot be reached", afterSeconds: 5)
            responder.send(change.refusal(problem, now: now()))
            return
        }
        handing.receive(change, request, responder, address: address.with { $0 }, now: now())
    }

    /// Has a question answered on a thread that may wait for the disk.
    private func ask(_ question: Question, _ responder: consuming Responder) {
        guard !health.keepsQuestionsOut else {
            responder.send(
                question.refusal(
                    .unavailable("the database cannot be reached", afterSeconds: 5), now: now()))
            return
        }
        let later = SharedResponder(responder)
        let address = address.with { $0 }
        let isTaken = pool.run { [now, log, tables] reader, memo in
            do throws(Problem) {
                let view = StoreView(reader: reader, now: now(), symbols: tables, address: address)
                later.send(try question.answer(from: view, or: memo))
            } catch {
                if error.status.code >= 500 { log.error("\(question): \(error.cause ?? error.detail)") }
                later.send(question.refusal(error, now: now()))
            }
        }
        if !isTaken {
            later.send(
                question.refusal(
                    .unavailable("too many questions wait for the store", afterSeconds: 1), now: now()))
        }
    }
}
