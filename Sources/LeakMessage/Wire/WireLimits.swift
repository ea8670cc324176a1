/// The bounds of the wire format, version 1. The collector refuses what passes them; a sender cuts before it sends.
public enum WireLimits {
    // One report.
    public static let classBytes = 512
    /// Deeper than any screen: UIKit's own deepest paths have about forty elements.
    public static let stackCount = 128
    public static let childrenCount = 32
    public static let cycleCount = 32
    /// Of each element of `stack`, `children` and `cycle`.
    public static let elementBytes = 512
    public static let reasonBytes = 128
    /// Of `waited_ms` and `lived_ms`: ten years, so that no sum of them overflows.
    public static let durationMilliseconds = 10 * 365 * 24 * 3600 * 1000
    /// Instances of one class at a time.
    public static let alive = 1_000_000
    /// Sightings folded into one report.
    public static let count = 1_000_000
    public static let messageBytes = 8 * 1024
    public static let errorDomainBytes = 256
    public static let userInfoCount = 64
    /// Of the whole `userInfo` as JSON.
    public static let userInfoBytes = 8 * 1024
    public static let keysCount = 64
    public static let keyBytes = 64
    public static let keyValueBytes = 1024
    public static let logCount = 64
    public static let logBytes = 512
    public static let fingerprintCount = 8
    public static let fingerprintBytes = 256

    // What keeps the object.
    /// References of a path, and closures of it. A sender ends longer paths after 12.
    public static let pathCount = 32
    public static let furtherCyclesCount = 8
    /// Of references that are not explained, of objects, and of the length of a path.
    public static let retainCount = 1_000_000_000
    /// Bytes that an object keeps: 1 TiB.
    public static let retainedBytes = 1 << 40

    // Who sent it.
    public static let appIDBytes = 256
    public static let moduleBytes = 256
    /// Of `version` and `build`.
    public static let versionBytes = 64
    /// Of `os`, `os_version` and `model`.
    public static let deviceBytes = 64
    public static let installBytes = 128
    public static let userBytes = 256

    // One request.
    /// Ten times the largest batch of our own reporter, and about six megabytes of typical reports.
    public static let reportsCount = 10_000
    /// Different leaks in one request, each of which costs the store as much as a hundred repeats. A device sees a few
    /// dozen; a thousand are written in about 0.15 s.
    public static let leaksCount = 1_000
    /// A device has a few sessions a day; a thousand is a year in a drawer.
    public static let sessionsCount = 1_000
    public static let sessionIDBytes = 128
    /// Of one session; at ten a second, more than a day of it.
    public static let sessionChecks = 1_000_000
    public static let sessionLeaks = 1_000_000
    public static let sessionUnseen = 1_000_000
    /// Classes checked since the last batch; a large app has a few hundred screens.
    public static let checksCount = 1_000
    /// Of one class, like ``count``.
    public static let classChecks = 1_000_000
    /// Explanations of leaks: one for each different leak of a session.
    public static let explanationsCount = 1_000
    public static let droppedCount = 32
    public static let droppedReasonBytes = 64
    /// For one reason, like ``count``.
    public static let droppedReports = 1_000_000
}
