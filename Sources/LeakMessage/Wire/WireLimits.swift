/// Limits of the wire format, version 1. The collector rejects values beyond them; a sender cuts values before it sends them.
public enum WireLimits {
    // One report.
    /// Bytes of `class`.
    public static let classBytes = 512
    /// Elements of `stack`. The deepest paths of UIKit's own screens have about forty.
    public static let stackCount = 128
    /// Elements of `children`.
    public static let childrenCount = 32
    /// Elements of `cycle`.
    public static let cycleCount = 32
    /// Bytes of each element of `stack`, `children` and `cycle`.
    public static let elementBytes = 512
    /// Bytes of `reason`.
    public static let reasonBytes = 128
    /// Milliseconds of `waited_ms` and of `lived_ms`: ten years, so that no sum of them overflows.
    public static let durationMilliseconds = 10 * 365 * 24 * 3600 * 1000
    /// Instances of one class at a time.
    public static let aliveCount = 1_000_000
    /// Sightings merged into one report.
    public static let mergedSightingCount = 1_000_000
    /// Bytes of `message`.
    public static let messageBytes = 8 * 1024
    /// Bytes of the domain of an error.
    public static let errorDomainBytes = 256
    /// Names in the `userInfo` of an error.
    public static let userInfoCount = 64
    /// Bytes of the whole `userInfo` as JSON.
    public static let userInfoBytes = 8 * 1024
    /// Names in `keys`.
    public static let keysCount = 64
    /// Bytes of a name in `keys`.
    public static let keyBytes = 64
    /// Bytes of a text in `keys`.
    public static let keyValueBytes = 1024
    /// Elements of `log`.
    public static let logLineCount = 64
    /// Bytes of each element of `log`.
    public static let logLineBytes = 512
    /// Elements of `fingerprint`.
    public static let fingerprintCount = 8
    /// Bytes of each element of `fingerprint`.
    public static let fingerprintBytes = 256

    // Explanation of a leak.
    /// References of a path, and elements of `closures`. With its standard budgets, RetainPaths reports at most 12 references
    /// of a cycle.
    public static let pathReferenceCount = 32
    /// Elements of `further_cycles`.
    public static let furtherCyclesCount = 8
    /// The number of unexplained references, the number of objects, and the length of a path.
    public static let maxExplanationNumber = 1_000_000_000
    /// Bytes that an object keeps: 1 TiB.
    public static let retainedBytes = 1 << 40

    // Sender.
    /// Bytes of `app.id`.
    public static let appIDBytes = 256
    /// Bytes of `app.module`.
    public static let moduleBytes = 256
    /// Bytes of `app.environment`.
    public static let environmentBytes = 64
    /// Bytes of `version` and of `build`.
    public static let versionBytes = 64
    /// Bytes of `os`, of `os_version` and of `model`.
    public static let deviceBytes = 64
    /// Bytes of `install`.
    public static let installBytes = 128
    /// Bytes of `user`.
    public static let userBytes = 256

    // One request.
    /// Reports of one request: ten times the largest batch of LeakReporter, and about six megabytes of typical reports.
    public static let reportsCount = 10_000
    /// Different leaks in one request. A new leak costs the store as much as a hundred more sightings of one leak. A device sees a
    /// few dozen leaks; the store writes a thousand in about 0.15 s.
    public static let leaksCount = 1_000
    /// Ended sessions. A device has a few a day, so a thousand are enough for a device that was offline for a year.
    public static let sessionsCount = 1_000
    /// Bytes of the `id` of a session.
    public static let sessionIDBytes = 128
    /// Checks of one session. At ten checks a second, a session reaches the limit after more than a day.
    public static let sessionChecks = 1_000_000
    /// Leaks of one session.
    public static let sessionLeaks = 1_000_000
    /// Objects of one session that were never checked, see ``EndedSession/unseen``.
    public static let sessionUnseen = 1_000_000
    /// Classes checked since the last batch; a large app has a few hundred screens.
    public static let checkedClassCount = 1_000
    /// Checks of one class, like ``mergedSightingCount``.
    public static let classChecks = 1_000_000
    /// Explanations of leaks. A reporter sends one for each different leak of a session.
    public static let explanationsCount = 1_000
    /// Different reasons for which reports were dropped.
    public static let droppedCount = 32
    /// Bytes of a reason for which reports were dropped.
    public static let droppedReasonBytes = 64
    /// Dropped reports for one reason, like ``mergedSightingCount``.
    public static let droppedReports = 1_000_000
}
