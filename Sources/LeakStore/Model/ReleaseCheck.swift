/// The leaks that a version adds, compared with all versions up to a baseline: the input of a gate before a release.
public struct ReleaseCheck: Sendable {
    public var app: String
    public var version: String
    /// The version compared with; `nil` if there is no earlier version.
    public var baseline: String?
    /// Leaks that were seen in ``version`` and in no version up to ``baseline``, most reports in it first, at most ``rowLimit``.
    /// Known system leaks, ignored leaks, and leaks that are marked as fixed in ``version`` or before are left out; reports and
    /// installs are those of ``version``.
    public var new: [LeakRow]
    public var newCount: Int
    /// Leaks that were seen in ``version`` since they were resolved; the version is not older than their fix.
    public var regressed: [LeakRow]
    public var regressedCount: Int
    /// Number of leaks seen in ``version`` that were left out because they are known, ignored or resolved.
    public var setAside: Int
    /// Number of all leaks seen in ``version``.
    public var leaks: Int
    public var reports: Int

    public static let rowLimit = 200

    public init(
        app: String, version: String, baseline: String?, new: [LeakRow], newCount: Int, regressed: [LeakRow],
        regressedCount: Int, setAside: Int, leaks: Int, reports: Int
    ) {
        self.app = app
        self.version = version
        self.baseline = baseline
        self.new = new
        self.newCount = newCount
        self.regressed = regressed
        self.regressedCount = regressedCount
        self.setAside = setAside
        self.leaks = leaks
        self.reports = reports
    }

    public var passes: Bool { newCount == 0 && regressedCount == 0 }
}
