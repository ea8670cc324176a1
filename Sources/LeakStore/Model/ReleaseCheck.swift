/// What a version brings that the versions up to another one did not have: what a gate before a release looks at.
public struct ReleaseCheck: Sendable {
    public var app: String
    public var version: String
    /// The version compared with; `nil` when there is none before.
    public var baseline: String?
    /// Leaks seen in ``version`` and in no version that is not newer than ``baseline``, most reports in it first, at most
    /// ``rowLimit``. Known system leaks and ignored ones are left out, and those that are said to be mended in ``version``
    /// or before; reports and installs are those of ``version``.
    public var new: [LeakRow]
    public var newCount: Int
    /// Leaks that were seen in ``version``, which is not older than their fix, since they were resolved.
    public var regressed: [LeakRow]
    public var regressedCount: Int
    /// Leaks seen in ``version`` that were left out, for being known, ignored or resolved.
    public var setAside: Int
    /// Leaks seen in ``version`` in all.
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
