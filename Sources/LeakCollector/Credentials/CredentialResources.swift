internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The page of apps, keys and tokens.
struct AccessResource: PageResource {
    static let permission = Permission.administer
    static let pagePath = "/access"
    /// The page is not cached, because credentials may expire without a commit.
    static let isCached = false

    init(_: borrowing Request, _: Parameters) {}

    func page(from view: StoreView) throws -> HTML {
        var page = try AccessPage(from: view.reader, links: view.links, now: view.now)
        (page.context.operatorAlert, page.context.canSignOut) = (view.operatorAlert, view.canSignOut)
        page.backups = view.backups.map { (status: $0.currentStatus, schedule: $0.schedule) }
        page.channels = view.channelStatuses
        return page.html
    }
}

/// All ingest keys.
struct KeysResource: JSONResource {
    static let permission = Permission.administer
    static let jsonPath = "/keys"

    init(_: borrowing Request, _: Parameters) {}

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        try writer.credentials(.keys, from: view)
    }
}

/// All access tokens.
struct TokensResource: JSONResource {
    static let permission = Permission.administer
    static let jsonPath = "/tokens"

    init(_: borrowing Request, _: Parameters) {}

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        try writer.credentials(.tokens, from: view)
    }
}

extension JSONWriter {
    fileprivate mutating func credentials(_ kind: CredentialKind, from view: StoreView) throws(StoreError) {
        let all = try view.reader.credentials(includingEnded: true, now: view.now).filter {
            kind.includes($0.purpose)
        }
        fields(of: all, kind)
    }
}

extension JSONWriter {
    /// Writes the credentials of one kind, including revoked ones, without their secrets, which are not stored.
    mutating func fields(of credentials: [Credential], _ kind: CredentialKind) {
        array(kind.rawValue) { writer in
            for credential in credentials { writer.object { $0.fields(of: credential, kind) } }
        }
    }

    mutating func fields(of credential: Credential, _ kind: CredentialKind) {
        field("id", credential.id)
        field("name", credential.name)
        if kind == .keys {
            field("app", credential.app)
            field("environments", credential.environmentList)
        }
        if kind == .tokens {
            field("role", credential.role?.rawValue)
            field("app", credential.app)
        }
        time("created_at", credential.createdAt)
        if let revokedAt = credential.revokedAt {
            time("revoked_at", revokedAt)
        } else {
            nullField("revoked_at")
        }
    }
}
