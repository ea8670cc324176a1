public import LeakStore

/// Credentials that users create by name: keys and tokens.
public enum CredentialKind: String, Hashable, Sendable, CaseIterable {
    /// Write reports.
    case keys
    /// Read, and do what is done on pages.
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

    /// The setting that makes one at the start, and whose variable is then its name.
    var setting: Setting {
        switch self {
        case .keys: .ingestKey
        case .tokens: .accessToken
        }
    }
}
