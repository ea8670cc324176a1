/// A secret that was given to an app, a tool or a person; only its SHA-256 is stored.
public struct Credential: Hashable, Sendable {
    public enum Purpose: String, Hashable, Sendable {
        /// An ingest key: it can only send reports.
        case ingest
        /// An access token. Its ``Credential/role`` says what it can do.
        case access
        /// A sign-in link: it opens a session in a browser once.
        case signIn = "sign_in"
        /// The session of a signed-in browser.
        case session
        /// A person whom a trusted proxy has authenticated. It has no secret, and is never stored.
        case proxy
    }

    /// The rights of an access token, and of the sessions that it opens.
    public enum Role: String, Hashable, Sendable, CaseIterable {
        /// Reads leaks, reports and releases.
        case viewer
        /// A viewer who also decides about leaks.
        case triager
        /// Can do everything.
        case admin
        /// Can only run release checks.
        case check
        /// Can only upload and list symbols.
        case symbols
    }

    /// The number that the store assigns; 0 for a credential that is not stored yet.
    public var id: Int64
    public var purpose: Purpose
    public var name: String
    /// SHA-256 of the secret: 32 bytes. Empty for ``Purpose/proxy``.
    public var hash: [UInt8]
    /// The role of an access token, a sign-in link, a session, or a person whom a proxy authenticated. `nil` gives no rights: for
    /// an ingest key, and for a role that a later collector has stored.
    public var role: Role?
    /// The only app whose reports an ingest key may send, or which an access token or its sessions may read and change; `nil` for
    /// any app.
    public var app: String?
    /// The only environments whose reports an ingest key may send; empty for any environment.
    public var environments: [String]
    /// Milliseconds since 1970.
    public var createdAt: Int64
    /// Milliseconds since 1970; `nil` if the credential never expires.
    public var expiresAt: Int64?
    /// Milliseconds since 1970; `nil` if the credential was not revoked.
    public var revokedAt: Int64?
    /// For a session: the ``id`` of the credential that opened it. Revoking that credential ends the session too.
    public var openedBy: Int64?

    /// The error that a store throws if it does not add the credential.
    package var refusal: StoreError {
        StoreError(
            .invalidArgument,
            openedBy == nil
                ? "this secret was used before; choose another" : "this access token was revoked; use another"
        )
    }

    public init(
        id: Int64 = 0, purpose: Purpose, name: String, hash: [UInt8], role: Role? = nil, app: String? = nil,
        environments: [String] = [], createdAt: Int64, expiresAt: Int64? = nil, revokedAt: Int64? = nil,
        openedBy: Int64? = nil
    ) {
        self.id = id
        self.purpose = purpose
        self.name = name
        self.hash = hash
        self.role = role
        self.app = app
        self.environments = environments
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.openedBy = openedBy
    }

    /// ``environments`` as one text, for the database and the API: `ci,debug`; `nil` for any environment. An ingest key cannot be
    /// limited to an environment whose name contains a comma.
    public var environmentList: String? {
        environments.isEmpty ? nil : environments.joined(separator: ",")
    }
}
