/// A saved version of the grouping rules that people wrote for an app. They apply to the app in all its environments.
public struct AppRules: Hashable, Sendable {
    public var app: String
    /// The number of the version: 1 for the first rules of the app, 0 if there are none yet.
    public var version: Int
    /// The rules, a line each. Empty for an app without rules.
    public var text: String
    /// The author: ``AuditEntry/actor``.
    public var by: String
    /// The time of the change, in milliseconds since 1970.
    public var at: Int64

    public init(app: String, version: Int = 0, text: String = "", by: String = "", at: Int64 = 0) {
        self.app = app
        self.version = version
        self.text = text
        self.by = by
        self.at = at
    }

    /// Number of versions that are kept for each app. Older ones are deleted.
    public static let maxVersions = 50
}

/// The result of saving rules: ``Store/saveRules(_:of:basedOn:by:now:)``.
public enum RulesOutcome: Hashable, Sendable {
    case saved(AppRules)
    /// The text is that of the current version, so no version was added.
    case unchanged(AppRules)
    /// Another version was saved after the version on which the text is based. Nothing was changed.
    case outdated(current: AppRules)
    case unknownApp
}

/// A value that changes with every change of the rules of any app.
public struct RulesVersion: Hashable, Sendable {
    /// The highest row ID. Row IDs are never used again.
    var lastRowID: Int64
    /// The sum of all row IDs. It changes if an app is deleted, and if a lower row ID is committed after a higher one.
    var rowIDSum: Int64
}
