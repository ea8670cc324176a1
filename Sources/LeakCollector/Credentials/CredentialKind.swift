public import LeakStore

/// Credentials that users create by name: keys and tokens.
public enum CredentialKind: String, Hashable, Sendable, CaseIterable {
    /// Ingest keys, which allow sending reports.
    case keys
    /// Access tokens, each with a role.
    case tokens

    public var purpose: Credential.Purpose {
        switch self {
        case .keys: .ingest
        case .tokens: .access
        }
    }

    /// Returns `true` if credentials of the purpose are listed, renamed and revoked as this kind.
    func includes(_ purpose: Credential.Purpose) -> Bool {
        purpose == self.purpose
    }

    public var noun: String {
        switch self {
        case .keys: "key"
        case .tokens: "token"
        }
    }

    /// The setting that creates a credential of this kind at the start. The credential is named after the setting's
    /// environment variable.
    var setting: Setting {
        switch self {
        case .keys: .ingestKey
        case .tokens: .accessToken
        }
    }
}
