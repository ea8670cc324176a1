internal import HTTPServer
internal import LeakStore
internal import Threads

/// The door of the collector: looks at each request's head, lets in who may, and hands the rest to those who answer.
final class Front: Service {
    private let gate: Gate
    private let signIn: SignIn
    private let files: StaticFiles
    private let paths: Set<String>
    private let ingest: Ingest
    private let pool: ReadPool
    private let housekeeping: Housekeeping
    private let queue: CommitQueue
    private let log: Log
    private let now: @Sendable () -> Int64
    /// Known once the server is bound: port 0 becomes a real one only then.
    private let address: Guarded<String>

    init(
        gate: Gate, signIn: SignIn, files: StaticFiles, queue: CommitQueue, pool: ReadPool,
        housekeeping: Housekeeping, log: Log, now: @escaping @Sendable () -> Int64
    ) {
        self.gate = gate
        self.signIn = signIn
        self.files = files
        paths = Set(files.paths)
        self.queue = queue
        self.pool = pool
        self.housekeeping = housekeeping
        self.log = log
        self.now = now
        ingest = Ingest(queue: queue, now: now)
        address = Guarded("")
    }

    func learn(address: String) {
        self.address.with { $0 = address }
    }

    // MARK: Before the body

    func screen(_ request: borrowing Request) -> Response? {
        guard let route = Route(path: request.path, files: paths) else { return notFound(request) }
        let method = request.method == .head ? .get : request.method
        if method == .options {
            var response = Response(.noContent)
            response.fields.append(("Allow", route.allow))
            return response
        }
        guard route.methods.contains(method) else {
            return Problem(.methodNotAllowed, "this address answers \(route.allow)").with("Allow", route.allow).response
        }
        if let refusal = refusal(of: route, request) { return refusal }
        guard request.announcedBodyCount ?? 0 <= route.bodyBytes else {
            return Problem(.contentTooLarge, "this address takes no body of that size").response
        }
        return nil
    }

    /// What keeps a request out whose address and method are right.
    private func refusal(of route: Route, _ request: borrowing Request) -> Response? {
        switch route.access {
        case .anyone:
            return nil
        case .writers:
            return ingest.refusal(of: request, writer: gate.writer(of: request, now: now()), housekeeping)
        case .readers:
            return readingRefusal(request)?.response
        case .people:
            guard let refusal = readingRefusal(request) else { return nil }
            // A program that presents a token reads why it failed; a browser is shown the way in.
            if Gate.bearer(of: request) != nil { return refusal.response }
            return redirect(to: "/sign-in")
        }
    }

    private func readingRefusal(_ request: borrowing Request) -> Problem? {
        switch gate.reader(of: request, now: now()) {
        case .valid: nil
        case .revoked: Problem(.forbidden, "this access token has been revoked")
        case .unknown:
            .unauthorized("reading needs an access token (Authorization: Bearer TOKEN) or a signed-in browser")
        }
    }

    private func notFound(_ request: borrowing Request) -> Response {
        if request.path.hasPrefix("/api/") { return Problem(.notFound, "nothing is at this address").response }
        return Pages.error(.notFound, now: now())
    }

    // MARK: After the body

    func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        guard let route = Route(path: request.path, files: paths) else {
            responder.send(notFound(request))
            return
        }
        switch route {
        case .reports:
            guard case .valid(let key) = gate.writer(of: request, now: now()) else {
                responder.send(Problem.unauthorized("the ingest key is not valid any more").response)
                return
            }
            ingest.take(request, key: key, responder)
        case .healthz:
            responder.send(Answer.json { $0.field("status", "ok") })
        case .file:
            responder.send(files.response(to: request) ?? notFound(request))
        case .signIn, .signOut:
            visit(route, request, responder)
        default:
            do {
                read(try Question(route, request, address: address.with { $0 }), responder)
            } catch {
                responder.send(error.response)
            }
        }
    }

    /// Has a question answered on a thread that may wait for the disk.
    private func read(_ question: Question, _ responder: consuming Responder) {
        let later = Later(responder)
        let isTaken = pool.run { [now, log] reader in
            do {
                later.send(try question.answer(from: reader, now: now()))
            } catch {
                if error.status == .internalServerError { log.error("\(question): \(error.detail)") }
                later.send(question.wantsPage ? Pages.error(error.status, now: now()) : error.response)
            }
        }
        if !isTaken { later.send(Problem.unavailable("too many questions wait for the store", afterSeconds: 1).response) }
    }

    // MARK: Signing in and out

    private func visit(_ route: Route, _ request: borrowing Request, _ responder: consuming Responder) {
        let now = now()
        if route == .signIn, request.method == .get || request.method == .head, request.query("code") == nil {
            responder.send(Pages.signIn(isWrong: false, now: now))
            return
        }
        guard request.method == .get || request.method == .head || isFromHere(request) else {
            responder.send(Problem(.forbidden, "this form was sent from another site").response)
            return
        }
        // A HEAD, as some programs send to look at a link, must not use it up.
        if request.method == .head {
            responder.send(Pages.signIn(isWrong: false, now: now))
            return
        }
        let visit: @Sendable () throws -> Response
        if route == .signOut {
            let session = Gate.sessionCookie(of: request) ?? ""
            visit = { [signIn] in
                let cookie = try signIn.close(session: session, now: now)
                return redirect(to: "/sign-in", cookie: cookie)
            }
        } else if let code = request.method == .get ? request.query("code") : nil {
            visit = { [signIn] in
                guard let cookie = try signIn.open(code: code, now: now) else { return Pages.signIn(isWrong: true, now: now) }
                return redirect(to: "/", cookie: cookie)
            }
        } else {
            let token = Form(request.body())["token"] ?? ""
            visit = { [signIn] in
                guard let cookie = try signIn.open(token: token, now: now) else { return Pages.signIn(isWrong: true, now: now) }
                return redirect(to: "/", cookie: cookie)
            }
        }
        let later = Later(responder)
        let isTaken = pool.run { [log] _ in
            do {
                later.send(try visit())
            } catch {
                log.error("signing in or out: \(error)")
                later.send(Pages.error(.serviceUnavailable, now: now))
            }
        }
        if !isTaken { later.send(Pages.error(.serviceUnavailable, now: now)) }
    }

    /// Whether a form comes from one of our own pages. Browsers name the origin of every POST; a request without one
    /// comes from a program, which carries no cookie by accident.
    private func isFromHere(_ request: borrowing Request) -> Bool {
        guard let origin = request.field("origin") else { return true }
        guard let host = request.field("host") else { return false }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }
}

/// Sends the browser on. 303: whatever the method was, the next is GET (RFC 9110 §15.4.4).
private func redirect(to path: String, cookie: String? = nil) -> Response {
    var response = Response(.seeOther)
    response.fields.append(("Location", path))
    response.fields.append(("Cache-Control", "no-store"))
    if let cookie { response.fields.append(("Set-Cookie", cookie)) }
    return response
}

/// A responder that a closure of another thread may hold.
final class Later: @unchecked Sendable {
    // Unchecked: handed to exactly one thread, which sends once; `take` makes a second send do nothing.
    private var responder: Responder?

    init(_ responder: consuming Responder) { self.responder = consume responder }

    func send(_ response: Response) {
        guard let responder = responder.take() else { return }
        responder.send(response)
    }
}
