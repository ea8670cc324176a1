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
}

/// The data that ``Store/forget(_:audit:while:)`` deletes, or has deleted.
public struct ForgetCounts: Hashable, Sendable {
    /// Number of environments of an app that are deleted completely.
    public var environments = 0
    /// Number of versions that are deleted completely, each in one environment.
    public var versions = 0
    /// Number of leaks that are deleted completely, each in one environment. A leak that was also seen in other versions stays.
    public var leaks = 0
    /// Number of reports that are no longer counted.
    public var reports = 0
    /// Number of samples that are deleted. A report may be stored as several samples, for example as the first and the newest.
    public var samples = 0
    /// Number of decisions and notes about the deleted leaks.
    public var decisions = 0

    public init() {}

    /// `true` if nothing was deleted: the target does not exist.
    public var isEmpty: Bool { self == ForgetCounts() }
}

extension ForgetCounts {
    package mutating func add(_ other: ForgetCounts) {
        environments += other.environments
        versions += other.versions
        leaks += other.leaks
        reports.addBounded(other.reports)
        samples += other.samples
        decisions += other.decisions
    }
}
