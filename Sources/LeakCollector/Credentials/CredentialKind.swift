public import LeakStore

/// Credentials that users create by name: keys and tokens.
public enum CredentialKind: String, Hashable, Sendable, CaseIterable {
    /// Ingest keys, which allow sending reports.
    case keys
    /// Access tokens, which allow reading, and everything that can be done on pages.
    case tokens

    public var purpose: Credential.Purpose {
        switch self {
        case .keys: .ingest
        case .tokens: .access
        }
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
