internal import LeakHTTPServer
internal import LeakStore

/// Handler of `/sign-in` and `/sign-out`.
struct SignInHandler: Sendable {
    /// The limit of a form's body, which has a token or a code, and a destination.
    private static let formBody = Route.Body.atMost(bytes: 4096)

    let signIn: SignIn
    let context: RequestContext
    let attempts = SignInAttempts()
    let log: Log

    var routes: [Route] {
        [
            Route(.get, "/sign-in", access: .anyone, body: Self.formBody, isForBrowsers: true) {
                request, _, responder in
                responder.send(firstPage(for: request, now: context.now()))
            },
            Route(.post, "/sign-in", access: .anyone, body: Self.formBody, isForBrowsers: true) {
                request, _, responder in
                receive(request, responder: responder, needsOrigin: false, handler: handleSignIn)
            },
            Route(.post, "/sign-out", access: .anyone, isForBrowsers: true) { request, _, responder in
                // A browser adds the cookie by itself, in some cases even to a form of another site, so a form with
                // the cookie must name its origin.
                let hasCookie = signIn.authenticator.sessionCookie(of: request) != nil
                receive(request, responder: responder, needsOrigin: hasCookie, handler: handleSignOut)
            },
        ]
    }

    /// Handles a form, or rejects it if another site sent it.
    ///
    /// - Parameter needsOrigin: true to reject forms of unknown origin too.
    private func receive(
        _ request: borrowing Request, responder: consuming Responder, needsOrigin: Bool,
        handler: (borrowing Request, consuming Responder, Int64) -> Void
    ) {
        let detail: String
        switch signIn.authenticator.requestOrigin(of: request) {
        case .otherSite: detail = "This form was sent from another site."
        case .unspecified where needsOrigin:
            detail =
                "The browser did not say which page sent this form. Open the sign-in page again and send it from there."
        case .ownPage, .unspecified: return handler(request, responder, context.now())
        }
        responder.send(.page(error: .forbidden, detail: detail, now: context.now()))
    }

    /// Returns the page that a browser gets before it sends a form. Only the button on the page uses up a sign-in
    /// link, because previews of chats and mail filters open the link too.
    private func firstPage(for request: borrowing Request, now: Int64) -> Response {
        let destination = Self.destination(request.query("to"))
        guard let code = request.query("code") else {
            return page(request.query("out") == nil ? nil : .signedOut, destination: destination, now: now)
        }
        guard case .valid = signIn.authenticator.find(code, for: [.signIn], now: now) else {
            return page(.usedLink, destination: destination, now: now)
        }
        return page(nil, code: code, destination: destination, now: now)
    }

    /// Signs in by the code of a link or by an access token. Wrong codes and tokens are answered on the event loop, so
    /// that guesses do not use the disk or delay other requests.
    private func handleSignIn(_ request: borrowing Request, responder: consuming Responder, now: Int64) {
        let form = Form(request.body())
        let destination = Self.destination(form["to"] ?? request.query("to"))
        let code = form["code"]
        let client = request.clientAddress
        // A code is random and cannot be guessed, so sign-in by a link is never limited.
        if code == nil, let seconds = attempts.secondsToWait(client, now: now) {
            attempts.recordRejection()
            var response = page(.tooManyAttempts, destination: destination, now: now)
            response.fields.append(("Retry-After", "\(seconds)"))
            // The connection is closed, so that each further guess costs a connection.
            response.closesConnection = true
            responder.send(response)
            return
        }
        let secret = code ?? form["token"] ?? ""
        guard
            case .valid(let credential) = signIn.authenticator.find(
                secret, for: [code == nil ? .access : .signIn], now: now),
            code != nil || credential.permissions.contains(.read)
        else {
            if let line = attempts.recordFailure(client, by: code == nil ? .form : .link, now: now) {
                log.warning(line)
            }
            responder.send(
                page(
                    code == nil ? tokenNotice(secret, now: now) : .usedLink, destination: destination,
                    now: now))
            return
        }
        let overTLS = request.cameOverTLS
        run(responder: responder, now: now) {
            let cookie =
                if let code {
                    try signIn.openSession(code: code, overTLS: overTLS, from: client, now: now)
                } else {
                    try signIn.openSession(token: secret, overTLS: overTLS, from: client, now: now)
                }
            guard let cookie else {
                return page(code == nil ? .wrongToken : .usedLink, destination: destination, now: now)
            }
            return .redirect(to: destination ?? "/", cookie: cookie)
        }
    }

    private func handleSignOut(_ request: borrowing Request, responder: consuming Responder, now: Int64) {
        guard let session = signIn.authenticator.sessionCookie(of: request),
            case .valid = signIn.authenticator.find(session, for: [.session], now: now)
        else {
            responder.send(.redirect(to: "/sign-in?out=1", cookie: signIn.removalCookie))
            return
        }
        let client = request.clientAddress
        run(responder: responder, now: now) {
            .redirect(
                to: "/sign-in?out=1", cookie: try signIn.closeSession(session, from: client, now: now))
        }
    }

    /// Returns the reason why a token does not sign in.
    private func tokenNotice(_ token: String, now: Int64) -> SignInPage.Notice {
        guard case .valid(let credential) = signIn.authenticator.find(token, for: [.access], now: now) else {
            return .wrongToken
        }
        return .tokenWithoutPages(credential.role)
    }

    /// Returns the sign-in page, with the status that belongs to its notice.
    ///
    /// - Parameter code: the code of a sign-in link that is still valid.
    private func page(
        _ notice: SignInPage.Notice?, code: String? = nil, destination: String?, now: Int64
    ) -> Response {
        let page = SignInPage(
            context: PageContext(links: .served, now: now), notice: notice, code: code,
            destination: destination)
        let status: Status =
            switch notice {
            case nil, .signedOut: .ok
            case .wrongToken, .tokenWithoutPages, .usedLink: .forbidden
            case .tooManyAttempts: .tooManyRequests
            }
        return Response(page: page.html, status: status, holdsSecret: code != nil)
    }

    /// Opens or closes a session on a thread that may wait for the disk.
    private func run(
        responder: consuming Responder, now: Int64, _ work: @escaping @Sendable () throws -> Response
    ) {
        let sharedResponder = SharedResponder(responder)
        context.storeThreads.add(
            StoreWork(
                "signing in or out", responders: { [sharedResponder] },
                rejection: { _ in .page(error: .serviceUnavailable, now: now) }
            ) { _ in try work() })
    }

    /// Returns the path to open after signing in; `nil` for an address of another site, for text that is not a path, and for a
    /// path of more than 2,048 bytes. Browsers treat `//evil.example` and `/\evil.example` as other sites.
    static func destination(_ text: String?) -> String? {
        guard let text, text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 2048 else { return nil }
        let second = text.utf8.dropFirst().first
        guard second != UInt8(ascii: "/"), second != UInt8(ascii: "\\") else { return nil }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        return text
    }
}
