public import LeakStore

/// A right that a request may need. Each resource and each mutation names the right that its requests need. ``roles`` lists the
/// roles that have a right.
enum Permission: Hashable, Sendable, CaseIterable {
    /// Reading leaks, their reports, and releases.
    case read
    /// Running release checks.
    case check
    /// Deciding about leaks, commenting on them, and merging them.
    case triage
    /// Listing the images whose symbols are stored.
    case listSymbols
    /// Uploading symbols. An upload names and merges stored leaks of every app. Therefore the role for release checks, whose
    /// token is in every CI job, lacks this right, and so do the roles viewer and triager.
    case uploadSymbols
    /// Everything else: keys, tokens, the audit log, the retention page, pinning releases, removing symbols, erasing installs,
    /// and deleting and discarding leaks and other data.
    case administer

    static let all = Set(Permission.allCases)

    /// The roles that have the right.
    var roles: [Credential.Role] {
        switch self {
        case .read: [.viewer, .triager, .admin]
        case .check: [.viewer, .triager, .admin, .check]
        case .triage: [.triager, .admin]
        case .listSymbols: [.viewer, .triager, .admin, .symbols]
        case .uploadSymbols: [.admin, .symbols]
        case .administer: [.admin]
        }
    }

    /// `true` if a credential that is limited to one app can have the right, because the right concerns only leaks of that app.
    var isWithinApp: Bool {
        switch self {
        case .read, .check, .triage: true
        case .listSymbols, .uploadSymbols, .administer: false
        }
    }
}

extension Credential.Role {
    var permissions: Set<Permission> { Permission.all.filter { $0.roles.contains(self) } }

    /// `true` if a token of the role can be limited to one app. A limit would not hold for an admin, who can create tokens
    /// without a limit, nor for symbols, which belong to no app.
    public var canBeLimitedToApp: Bool {
        switch self {
        case .viewer, .triager, .check: true
        case .admin, .symbols: false
        }
    }

    /// The names of all roles, for messages: `viewer, triager, admin, check or symbols`.
    public static var list: String { orList(allCases) }

    static func orList(_ roles: [Self]) -> String {
        let names = roles.map(\.rawValue)
        guard let last = names.last, names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }

    /// One phrase about the rights of the role, for forms and help.
    public var summary: String {
        switch self {
        case .viewer: "reads everything about leaks"
        case .triager: "a viewer who also decides about leaks and merges them"
        case .admin: "does everything: also keys, tokens, symbols, and erasing installs"
        case .check: "only runs release checks"
        case .symbols: "only uploads and lists symbols"
        }
    }
}

extension Credential {
    /// The rights of an access token, of a browser's session, or of a person whom a proxy names. Other credentials have no
    /// rights.
    var permissions: Set<Permission> {
        guard [.access, .session, .proxy].contains(purpose), let role else { return [] }
        return app == nil ? role.permissions : role.permissions.filter(\.isWithinApp)
    }
}
