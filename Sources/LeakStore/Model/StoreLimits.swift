/// Limits on the data that one sender can add to a database, for example with an ingest key that was extracted from a shipped
/// app.
///
/// Reports beyond a limit of names or bytes are not rejected: they are counted under the name ``other``, or are not stored as
/// samples. The number of such reports is stored as ``OverLimitCount`` and shown. Names that exist already still count under
/// their own name until they are evicted: ``EvictionRule``. Only ``databaseBytes`` and ``symbolBytes`` make the store reject
/// data.
public struct StoreLimits: Hashable, Sendable {
    /// The name under which the reports of new names are counted when a limit is reached.
    public static let other = "other"

    /// Apps that one ingest key may create: those of a large company, with their extensions and test builds. A key that is
    /// restricted to an app creates one.
    public var appsPerKey = 100
    /// Environments of one app. Beyond this number, further environments count as ``other``; ``AppKey/production`` is always
    /// admitted.
    public var environmentsPerApp = 16
    /// Versions of one app: about 20 years with one version a week.
    public var releasesPerApp = 1_000
    /// Builds of one version: enough for one build for each commit of a long branch.
    public var buildsPerRelease = 500
    /// Leaks of one app: more than a team can read. The worst app that is publicly known has a few hundred.
    public var leaksPerApp = 10_000
    /// Bytes of the names and paths of an app's leaks: 6 KiB for each of ``leaksPerApp``, typical leaks have 400 bytes.
    public var leakTextBytesPerApp = 64 << 20
    /// Bytes of new leaks (names and paths), versions and builds that one ingest key may add on a day, in all its apps
    /// together. A version or build counts as three times the bytes of its name plus 96. A leak in one more build counts as 12
    /// KiB, which its sets of installs may take. For example, 400 leaks in 50 builds take 234 MiB on the day on which they are
    /// added.
    public var leakTextBytesPerKeyAndDay = 256 << 20
    /// Bytes of details that one ingest key may add on a day in all its apps together: reports kept as samples, systems, models
    /// and values of explanations of each leak, and classes of checks of each version. A sample that replaces another adds the
    /// difference of their lengths; the newest sample of a leak counts as at least 4,096 bytes. The second half of the limit is
    /// reserved for the first report of each leak.
    ///
    /// For example, 1,000 leaks with all 18 samples of 4 KiB each and 20 explanations of 300 bytes take 80 MB on the day on
    /// which they are added. Half of the limit is 134 MB.
    public var detailBytesPerKeyAndDay = 256 << 20
    /// Builds that are counted separately for one leak: more than a year of daily builds. Beyond this number, the new builds of
    /// each release count together.
    public var buildsPerLeak = 500
    /// Builds that are counted separately for a leak, added up over all leaks of an app: enough for a thousand leaks in two
    /// hundred builds each. Beyond twice as many, new releases of a leak count together.
    public var leakBuildsPerApp = 200_000
    /// Classes whose checks are counted separately in one build. A large app has a few hundred screens.
    public var checkClassesPerBuild = 2_000
    /// Reasons for which an app's devices dropped reports. This project's reporter sends eight.
    public var droppedReasonsPerApp = 32
    /// Idempotency keys remembered for one ingest key and day, 60 bytes each, or 120 with 64 characters: two batches a day from
    /// a million devices.
    public var idempotencyKeysPerDay = 2_000_000
    /// Different responses stored for one ingest key and day, 960 bytes each at most. Most batches have one of a few responses.
    /// Beyond the limit, a repeated batch is still recognized, but its response says only that the batch was counted.
    public var responsesPerDay = 20_000
    /// Maximum number of rows that one transaction updates, where a new leak counts as eight: about 0.15 s of writing, so that
    /// other calls do not wait long. One submission is never split.
    public var weightPerCommit = 8_000
    /// Bytes of all symbol tables together, compressed: 500 builds of an app with a million lines of machine code. Tables that
    /// reports no longer need are deleted automatically.
    public var symbolBytes = 1 << 30
    /// Maximum size of the database file in bytes, which SQLite enforces. It takes effect if the other limits together allow
    /// too much data: reports are then rejected. A file that is larger when it is opened may grow by 64 MiB more.
    public var databaseBytes = 16 << 30

    public init() {}

    /// Returns `true` if one more build may be counted separately for a leak.
    ///
    /// - Parameters:
    ///   - builds: number of builds that are counted separately for the leak.
    ///   - cells: the sum of these numbers over all leaks of its app.
    ///   - isOther: `true` for the build `other`, in which all other builds of a release are counted together.
    package func admitsBuild(builds: Int, cells: Int, isOther: Bool) -> Bool {
        // Subtracts instead of adding, because a limit may be Int.max.
        (builds < buildsPerLeak || isOther && builds - buildsPerLeak < releasesPerApp)
            && (cells < leakBuildsPerApp || isOther && cells - leakBuildsPerApp < leakBuildsPerApp)
    }

    /// Limits for an operator's imports: ten times as many names as senders may create, and no limit of idempotency keys, so
    /// that repeated imports count once.
    public static var forImports: StoreLimits {
        var limits = StoreLimits()
        limits.appsPerKey *= 10
        limits.releasesPerApp *= 10
        limits.buildsPerRelease *= 10
        limits.leaksPerApp *= 10
        limits.leakTextBytesPerApp *= 10
        limits.leakTextBytesPerKeyAndDay *= 10
        limits.detailBytesPerKeyAndDay *= 10
        limits.buildsPerLeak *= 10
        limits.leakBuildsPerApp *= 10
        limits.checkClassesPerBuild *= 10
        limits.droppedReasonsPerApp *= 10
        limits.idempotencyKeysPerDay = .max
        limits.responsesPerDay = .max
        return limits
    }
}

/// The number of items beyond one limit, which were counted as ``StoreLimits/other``, left out, or counted without their
/// idempotency key; or the number of names that were merged into ``StoreLimits/other`` (``EvictionRule``) or deleted
/// (``RetentionRule``).
public struct OverLimitCount: Hashable, Sendable {
    public enum Name: String, Hashable, Sendable, CaseIterable {
        case apps = "apps_per_key"
        case environments = "environments_per_app"
        case releases = "releases_per_app"
        case builds = "builds_per_release"
        case leaks = "leaks_per_app"
        case leakTexts = "leak_text_bytes_per_key_and_day"
        /// Reports that are counted but not kept as samples, and values of leaks and classes of checks that count without their
        /// name.
        case details = "detail_bytes_per_key_and_day"
        case leakBuilds = "builds_of_leaks"
        case checkClasses = "check_classes_per_build"
        case droppedReasons = "dropped_reasons_per_app"
        /// Batches whose idempotency key was not stored: they are counted, and counted again if they are repeated.
        case idempotencyKeys = "idempotency_keys_per_day"
        /// Evicted leaks, which were merged into the leak that counts all others.
        case evictedLeaks = "joined_leaks"
        /// Evicted versions, which were merged into the version ``StoreLimits/other``.
        case evictedReleases = "joined_versions"
        /// Leaks that were deleted, because they were not seen for a long time: ``RetentionRule/unseenDays``.
        case deletedLeaks = "deleted_leaks"
        /// Versions that were deleted, because they were not seen for a long time: ``RetentionRule/unseenDays``.
        case deletedReleases = "deleted_versions"

        /// `true` for names that were evicted or deleted: no limit was exceeded.
        public var isOfRemovedNames: Bool {
            switch self {
            case .evictedLeaks, .evictedReleases, .deletedLeaks, .deletedReleases: true
            default: false
            }
        }

        /// Text that says how items beyond the limit are treated. It follows their number and ``noun(count:)``.
        public var outcome: String {
            switch self {
            case .details: "left out"
            case .idempotencyKeys: "counted again if repeated"
            case .evictedLeaks, .evictedReleases: "merged into “other” to stay below the limit"
            case .deletedLeaks, .deletedReleases: "not seen for long, deleted"
            default: "counted as “other”"
            }
        }

        /// Returns the noun of the items that ``OverLimitCount/count`` counts, such as `report` or `reports`.
        public func noun(count: Int) -> String {
            switch self {
            case .details: count == 1 ? "detail" : "details"
            case .idempotencyKeys: count == 1 ? "batch" : "batches"
            case .checkClasses: count == 1 ? "check" : "checks"
            case .evictedLeaks, .deletedLeaks: count == 1 ? "leak" : "leaks"
            case .evictedReleases, .deletedReleases: count == 1 ? "version" : "versions"
            default: count == 1 ? "report" : "reports"
            }
        }
    }

    public var app: AppKey
    public var limit: Name
    /// The number of reports, with these exceptions. A ``limit`` with ``Name/isOfRemovedNames`` counts names.
    /// ``Name/checkClasses`` counts checks. ``Name/idempotencyKeys`` counts batches. ``Name/details`` counts samples that were not
    /// stored, reports that count without their system or model, values of explanations, and checks; pages call them details.
    public var count: Int

    public init(app: AppKey, limit: Name, count: Int) {
        self.app = app
        self.limit = limit
        self.count = count
    }
}
