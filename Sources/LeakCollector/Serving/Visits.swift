internal import HTTPServer

/// Browsers that sign in and out: `/sign-in` and `/sign-out`.
struct Visits: Sendable {
    let signIn: SignIn
    let pool: ReadPool
    let log: Log

    /// - Parameter now: milliseconds since 1970.
    func receive(_ route: Route, _ request: borrowing Request, _ responder: consuming Responder, now: Int64) {
        // A HEAD, as some programs send to look at a link, must not use the link up.
        let code = request.method == .get ? request.query("code") : nil
        let provenance = signIn.gate.provenance(of: request)
        switch route {
        case .signInPage where code == nil:
            let problem: SignInPage.Problem? = request.query("out") == nil ? nil : .signedOut
            responder.send(page(problem, destination: Self.destination(request.query("to")), now))
        case .signIn where provenance == .elsewhere, .signOut where provenance == .elsewhere:
            responder.send(
                .page(error: .forbidden, detail: "This form was sent from another site.", now: now))
        // A browser adds the cookie by itself, and says where the form stands.
        case .signOut where provenance == .untold && signIn.gate.sessionCookie(of: request) != nil:
            responder.send(
                .page(
                    error: .forbidden,
                    detail: "Nothing says that this form comes from a page of this collector.",
                    now: now))
        case .signOut:
            let session = signIn.gate.sessionCookie(of: request) ?? ""
            run(responder, now) {
                .redirect(to: "/sign-in?out=1", cookie: try signIn.close(session: session, now: now))
            }
        default:
            let form = Form(request.body())
            let destination = Self.destination(form["to"] ?? request.query("to"))
            run(responder, now) {
                let cookie =
                    if let code {
                        try signIn.open(code: code, now: now)
                    } else {
                        try signIn.open(token: form["token"] ?? "", now: now)
                    }
                guard let cookie else {
                    return page(code == nil ? .wrongToken : .usedLink, destination: destination, now)
                }
                return .redirect(to: destination ?? "/", cookie: cookie)
            }
        }
    }

    private func page(_ problem: SignInPage.Problem?, destination: String?, _ now: Int64) -> Response {
        let page = SignInPage(
            context: PageContext(links: .served, now: now), problem: problem, destination: destination)
        return Response(
            page: page.html, status: problem == .wrongToken || problem == .usedLink ? .forbidden : .ok)
    }

    /// Opens or closes a session where it may wait for the disk.
    private func run(
        _ responder: consuming Responder, _ now: Int64, _ visit: @escaping @Sendable () throws -> Response
    ) {
        let later = SharedResponder(responder)
        let isTaken = pool.run { _, _ in
            do {
                later.send(try visit())
            } catch {
                log.error("signing in or out: \(error)")
                later.send(.page(error: .serviceUnavailable, now: now))
            }
        }
        if !isTaken { later.send(.page(error: .serviceUnavailable, now: now)) }
    }

    /// Where to go after signing in: one of our own paths, never another site (`//evil.example` is one to browsers,
    /// and so is `/\evil.example`).
    static func destination(_ text: String?) -> String? {
        guard let text, text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 2048 else { return nil }
        let second = text.utf8.dropFirst().first
        guard second != UInt8(ascii: "/"), second != UInt8(ascii: "\\") else { return nil }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        return text
    }
}
