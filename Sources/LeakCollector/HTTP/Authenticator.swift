internal import LeakHTTPServer
internal import LeakPlatform
internal import LeakStore

/// Authentication of all requests that read or write: by ingest key, access token, session cookie, or the name that a trusted
/// proxy gives.
final class Authenticator: Sendable {
    /// Milliseconds that a browser stays signed in: 30 days.
    static let sessionLifetimeMilliseconds: Int64 = 30 * 24 * 3600 * 1000
    /// Milliseconds for which a printed sign-in link can open a session.
    static let linkLifetimeMilliseconds: Int64 = 10 * 60 * 1000

    private struct State {
        var credentialIndex: CredentialIndex
        /// Number of changes to the index. Credentials that were read from the store before a change may lack it.
        var editCount = 0
    }

    private let state: Guarded<State>
    /// Name of the session cookie. Browsers send a cookie to all ports of a host, so two collectors on one host need different
    /// names.
    let cookieName: String
    /// The rights of people whom a trusted proxy names; `nil` ignores the names.
    private let proxyUsers: ProxyUsers?
    /// The origins whose pages may send forms, besides the origin that `Host` names.
    private let trustedOrigins: Set<WebOrigin>

    init(
        _ credentials: [Credential] = [], cookieName: String = "leaks_session",
        trustedOrigins: Set<WebOrigin> = [], proxyUsers: ProxyUsers? = nil
    ) {
        self.proxyUsers = proxyUsers
        self.cookieName = cookieName
        self.trustedOrigins = trustedOrigins
        state = Guarded(State(credentialIndex: CredentialIndex(credentials)))
    }

    /// Number of changes so far. Callers of ``replace(_:since:)`` must read this number before they read the credentials.
    var editCount: Int { state.with { $0.editCount } }

    /// Replaces all credentials after the store has changed.
    ///
    /// - Parameter editCount: ``editCount`` from before the credentials were read. If the count has changed since then, these
    ///   credentials may lack an edit.
    /// - Returns: `true` if they were replaced; `false` if they must be read again.
    func replace(_ credentials: [Credential], since editCount: Int) -> Bool {
        let newIndex = CredentialIndex(credentials)
        return state.with { state in
            guard state.editCount == editCount else { return false }
            state.credentialIndex = newIndex
            // A slower thread that read before this thread has older credentials, so its call must fail.
            state.editCount += 1
            return true
        }
    }

    func add(_ credential: Credential) {
        state.with { state in
            state.credentialIndex.add(credential)
            state.editCount += 1
        }
    }

    func remove(hash: [UInt8]) {
        state.with { state in
            state.credentialIndex.remove(hash)
            state.editCount += 1
        }
    }

    /// Looks up the ingest key of a request with reports, from `Authorization: Bearer` or `X-Leak-Key`.
    func ingestKey(of request: borrowing Request, now: Int64) -> CredentialIndex.LookupResult {
        guard let secret = Self.bearer(of: request) ?? request.field("x-leak-key") else { return .unknown }
        return find(secret, for: [.ingest], now: now)
    }

    /// Looks up the credential of a request that reads: an access token in `Authorization: Bearer`, a person whom a trusted proxy
    /// names, or a signed-in browser's cookie. The credential may lack the right that the request needs.
    func readCredential(of request: borrowing Request, now: Int64) -> CredentialIndex.LookupResult {
        if let token = Self.bearer(of: request) { return find(token, for: [.access], now: now) }
        if let user = proxyUsers?.credential(of: request) { return .valid(user) }
        guard let cookie = sessionCookie(of: request) else { return .unknown }
        return find(cookie, for: [.session], now: now)
    }

    func find(_ secret: String, for purposes: Set<Credential.Purpose>, now: Int64)
        -> CredentialIndex.LookupResult
    {
        let hash = Secret.hash(of: secret)
        return state.with { $0.credentialIndex.find(hash, for: purposes, now: now) }
    }

    /// Returns the token of `Authorization: Bearer TOKEN`. RFC 6750 §2.1; the scheme's case does not matter (RFC 9110
    /// §11.1).
    static func bearer(of request: borrowing Request) -> String? {
        guard let value = request.field("authorization"), value.utf8.count > 7 else { return nil }
        guard value.utf8.prefix(7).elementsEqual("bearer ".utf8, by: { $0 | 0x20 == $1 | 0x20 }) else {
            return nil
        }
        return String(value.dropFirst(7).drop { $0 == " " })
    }

    /// Returns the source of a request: a page of this collector, another site, or unknown.
    func requestOrigin(of request: borrowing Request) -> RequestOrigin {
        RequestOrigin(of: request, trusting: trustedOrigins)
    }

    /// Returns the session's secret from the request's cookies. RFC 6265 §4.2.1
    func sessionCookie(of request: borrowing Request) -> String? {
        guard let cookies = request.field("cookie") else { return nil }
        for pair in cookies.split(separator: ";") {
            let trimmed = pair.drop { $0 == " " }
            if trimmed.hasPrefix(cookieName + "=") {
                return String(trimmed.dropFirst(cookieName.utf8.count + 1))
            }
        }
        return nil
    }
}

/// The issued credentials, indexed by the hash of their secret. The index has no lock, so the code that stores it must
/// prevent concurrent access.
struct CredentialIndex: Sendable {
    /// Credentials by the first eight bytes of their hash. The duration of this look-up can reveal only bits of the
    /// hash of an attacker's own guess. The whole hash is then compared in constant time.
    private var credentialsByHashPrefix: [UInt64: [Credential]] = [:]

    init(_ credentials: [Credential]) {
        for credential in credentials { add(credential) }
    }

    /// Result of looking up a presented secret.
    enum LookupResult: Sendable {
        case valid(Credential)
        case revoked
        case unknown
    }

    /// Looks up a credential.
    ///
    /// - Parameters:
    ///   - hash: SHA-256 of the presented secret.
    ///   - purposes: the purposes that the credential may have.
    ///   - now: milliseconds since 1970; an expired credential is unknown.
    func find(_ hash: [UInt8], for purposes: Set<Credential.Purpose>, now: Int64) -> LookupResult {
        for credential in credentialsByHashPrefix[Self.prefix(hash)] ?? []
        where ConstantTime.areEqual(credential.hash, hash) && purposes.contains(credential.purpose) {
            if credential.revokedAt != nil { return .revoked }
            if let end = credential.expiresAt, end <= now { return .unknown }
            return .valid(credential)
        }
        return .unknown
    }

    mutating func add(_ credential: Credential) {
        credentialsByHashPrefix[Self.prefix(credential.hash), default: []].append(credential)
    }

    mutating func remove(_ hash: [UInt8]) {
        credentialsByHashPrefix[Self.prefix(hash)]?.removeAll { ConstantTime.areEqual($0.hash, hash) }
    }

    private static func prefix(_ hash: [UInt8]) -> UInt64 {
        hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension Authenticator {
    /// Returns the credential of a request that changes something. Call it after the body was read, because a token
    /// may have been revoked meanwhile.
    ///
    /// - Throws: ``Problem`` 403 if the credential is not valid any more or lacks the right, or if the request may come from
    ///   another site.
    func author(of request: borrowing Request, needing permission: Permission, now: Int64) throws(Problem)
        -> Credential
    {
        guard case .valid(let credential) = readCredential(of: request, now: now) else {
            throw Problem(
                .forbidden,
                "this session or token was revoked or has expired; sign in again or use another token",
                kind: .revokedToken)
        }
        try credential.require(permission)
        // A browser adds the session cookie, or the cookie of the proxy, even to requests that another site makes it send, in ways
        // that `SameSite` does not cover: for example from a page of the same host on another port.
        let requestOrigin = requestOrigin(of: request)
        guard requestOrigin == .ownPage || requestOrigin == .unspecified && credential.purpose == .access
        else {
            throw Problem(
                .forbidden,
                requestOrigin == .otherSite
                    ? "the request came from another site; open the page on this collector and send the request from there"
                    : "the request does not say which page it came from (Origin or Sec-Fetch-Site); send an access token instead",
                kind: .otherSite)
        }
        return credential
    }

    /// Reads all credentials again.
    func reload(from reader: any StoreReader, now: Int64) throws(StoreError) {
        var isReplaced = false
        while !isReplaced {
            let editCount = editCount
            isReplaced = replace(try reader.credentials(includingEnded: true, now: now), since: editCount)
        }
    }
}

extension Credential {
    /// Returns the author of a change with this credential, for the audit log.
    ///
    /// - Parameter address: the address of the client.
    func origin(from address: IPAddress?) -> ChangeOrigin {
        ChangeOrigin(
            actor: actor, token: purpose == .access ? id : openedBy, address: address.map { "\($0)" })
    }

    /// Name that the history of a leak shows for changes with this credential: the name of the token, even for a browser that was
    /// signed in with the token; ``SignIn/linkName``; or the name of a person whom a proxy authenticated.
    var actor: String {
        guard purpose == .session else { return name }
        guard openedBy != nil else { return SignIn.linkName }
        return name.hasPrefix(SignIn.sessionPrefix)
            ? String(name.dropFirst(SignIn.sessionPrefix.count)) : name
    }
}
