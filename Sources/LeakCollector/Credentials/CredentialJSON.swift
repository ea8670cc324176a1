internal import LeakMessage
internal import LeakStore

extension JSONWriter {
    /// Those of one kind, revoked ones too; of their secrets nothing is known here.
    mutating func fields(of credentials: [Credential], _ kind: CredentialKind) {
        array(kind.rawValue) { writer in
            for credential in credentials { writer.object { $0.fields(of: credential, kind) } }
        }
    }

    mutating func fields(of credential: Credential, _ kind: CredentialKind) {
        field("id", credential.id)
        field("name", credential.name)
        if kind == .keys { field("app", credential.app) }
        time("created_at", credential.createdAt)
        if let revokedAt = credential.revokedAt {
            time("revoked_at", revokedAt)
        } else {
            nullField("revoked_at")
        }
    }
}
