internal import LeakStore

/// What is handed out by name, as addresses and answers call it.
enum CredentialKind: String, Hashable, Sendable, CaseIterable {
    /// Write reports.
    case keys
    /// Read, and do what is done on pages.
    case tokens

    var purpose: Credential.Purpose {
        switch self {
        case .keys: .ingest
        case .tokens: .access
        }
    }

    var noun: String {
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
