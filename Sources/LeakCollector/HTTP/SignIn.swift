internal import LeakHTTPServer
internal import LeakStore

/// Sign-in of browsers, which opens a session: by a printed link that works once, or by an access token typed into
/// the page.
struct SignIn: Sendable {
    let store: any Store
    let authenticator: Authenticator
    /// True if the collector's address in the settings begins with `https://`. The cookie is then sent over TLS only.
    let isSecure: Bool

    /// Name of the credentials of sign-in links. A leak's history shows it for visitors who signed in with a link.
    static let linkName = "sign-in link"
    /// Prefix of a session's name, before the name of the token.
    static let sessionPrefix = "signed in by "

    /// Creates the code of a sign-in link.
    func makeCode(now: Int64) throws -> Secret {
        let code = try Secret.random()
        authenticator.add(
            try store.add(
                Credential(
                    purpose: .signIn, name: Self.linkName, hash: code.hash, role: .admin, createdAt: now,
                    expiresAt: now + Authenticator.linkLifetimeMilliseconds), audit: nil))
        return code
    }

    /// Exchanges the code of a link for a session.
    ///
    /// Blocks on the disk.
    ///
    /// - Parameter overTLS: true if a trusted proxy says that the browser connected over TLS.
    /// - Returns: the session's cookie, or `nil` if the code is unknown, used or too old.
    func openSession(code: String, overTLS: Bool = false, from address: IPAddress? = nil, now: Int64) throws
        -> String?
    {
        // The code is checked in memory first, so that guesses never reach the disk.
        guard case .valid(let link) = authenticator.find(code, for: [.signIn], now: now) else { return nil }
        guard try store.useOnce(hash: link.hash, now: now) else { return nil }
        authenticator.remove(hash: link.hash)
        return try openSession(
            name: Self.sessionPrefix + "link", with: link, by: nil, overTLS: overTLS, from: address, now: now)
    }

    /// Exchanges an access token for a session.
    ///
    /// Blocks on the disk.
    ///
    /// - Parameter overTLS: true if a trusted proxy says that the browser connected over TLS.
    /// - Returns: the session's cookie, or `nil` if the token is not valid or its role reads no pages.
    func openSession(token: String, overTLS: Bool = false, from address: IPAddress? = nil, now: Int64) throws
        -> String?
    {
        guard case .valid(let credential) = authenticator.find(token, for: [.access], now: now),
            credential.permissions.contains(.read)
        else { return nil }
        return try openSession(
            name: Self.sessionPrefix + credential.name, with: credential, by: credential.id, overTLS: overTLS,
            from: address, now: now)
    }

    /// Ends a session. Blocks on the disk.
    ///
    /// - Returns: ``removalCookie``.
    func closeSession(_ secret: String, from address: IPAddress? = nil, now: Int64) throws -> String {
        if case .valid(let credential) = authenticator.find(secret, for: [.session], now: now) {
            let entry = AuditEntry(
                .signOut, of: "session \(credential.id)", by: credential.origin(from: address), at: now)
            _ = try store.revoke(credential: credential.id, audit: entry, now: now)
            authenticator.remove(hash: credential.hash)
        }
        return removalCookie
    }

    /// The cookie that removes the session from the browser.
    var removalCookie: String { cookie("", seconds: 0, overTLS: false) }

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - opener: the sign-in link or access token whose role and app the session has.
    ///   - token: id of the access token; the session ends when the token is revoked. `nil` for a sign-in link.
    private func openSession(
        name: String, with opener: Credential, by token: Int64?, overTLS: Bool,
        from address: IPAddress?, now: Int64
    ) throws -> String {
        let session = try Secret.random()
        let new = Credential(
            purpose: .session, name: name, hash: session.hash, role: opener.role, app: opener.app,
            createdAt: now,
            expiresAt: now + Authenticator.sessionLifetimeMilliseconds, openedBy: token)
        let credential = try store.add(
            new, audit: AuditEntry(.signIn, of: "session", by: new.origin(from: address), at: now))
        authenticator.add(credential)
        return cookie(
            session.text, seconds: Int(Authenticator.sessionLifetimeMilliseconds / 1000), overTLS: overTLS)
    }

    /// Returns the session's cookie. It is `Lax`, so that browsers send it when a visitor follows a link to a leak in a
    /// chat. Browsers send forms of other sites without it.
    private func cookie(_ value: String, seconds: Int, overTLS: Bool) -> String {
        let secure = isSecure || overTLS ? "; Secure" : ""
        return
            "\(authenticator.cookieName)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(secure)"
    }
}
