/// Data that ``Store/forget(_:audit:while:)`` deletes.
public enum ForgetTarget: Hashable, Sendable {
    /// A leak in one environment.
    case leak(LeakID)
    /// A version of an app in one environment.
    case version(String, of: AppKey)
    /// An app in one environment.
    case environment(AppKey)
    /// An app in all environments.
    case app(String)
    /// The apps, versions and leaks that the reports of an ingest key made and that no other key has reported since. Also the
    /// builds that the key made in versions that stay, unless these builds have sessions, checks or reports of other leaks. A merge
    /// by hand of such a leak is undone first, and so are newer merges into the same leak. If nothing would be left of that leak, it
    /// is deleted.
    ///
    /// - since: only those that were made at this time or later, in milliseconds since 1970, by the collector's clock; `nil` for
    ///   all. Those from before the collector stored their keys are never deleted.
    case key(Int64, since: Int64?)
}

/// The data that ``Store/forget(_:audit:while:)`` deletes, or has deleted.
public struct ForgetCounts: Hashable, Sendable {
    /// Number of environments of an app that are deleted completely.
    public var environments = 0
    /// Number of versions that are deleted completely, each in one environment.
    public var versions = 0
    /// Number of builds that are deleted without their version: ``ForgetTarget/key(_:since:)``.
    public var builds = 0
    /// Number of leaks that are deleted completely, each in one environment. A leak that was also seen in other versions stays.
    public var leaks = 0
    /// Number of reports that are no longer counted.
    public var reports = 0
    /// Number of samples that are deleted. A report may be stored as several samples, for example as the first and the newest.
    public var samples = 0
    /// Number of decisions and notes about the deleted leaks.
    public var decisions = 0
    /// For ``ForgetTarget/key(_:since:)``, the number of merges by hand that are undone. Before the deletion, newer merges into the same
    /// leaks are not counted.
    public var merges = 0

    /// For ``ForgetTarget/key(_:since:)``, what stays although the key made it, because other keys have reported it too.
    public var kept = Kept()

    /// Numbers of environments of apps, of versions and of leaks.
    public struct Kept: Hashable, Sendable {
        public var environments = 0
        public var versions = 0
        public var leaks = 0

        public init() {}
    }

    public init() {}

    /// `true` if nothing was deleted, for example because the target does not exist.
    public var isEmpty: Bool {
        var counts = self
        counts.kept = Kept()
        return counts == ForgetCounts()
    }
}

extension ForgetCounts {
    package mutating func add(_ other: ForgetCounts) {
        environments += other.environments
        versions += other.versions
        builds += other.builds
        leaks += other.leaks
        reports.addBounded(other.reports)
        samples += other.samples
        decisions += other.decisions
        merges += other.merges
    }
}
