public import LeakStatistics

/// The versions that a release check compares, and its limits.
public struct ReleaseCheckQuery: Hashable, Sendable {
    public var app: String
    /// ``AppKey/environment``
    public var environment: String
    public var version: String
    /// A build of ``version``; `nil` adds up the counts of all its builds.
    public var build: String?
    /// The version to compare with. `nil` chooses the build before ``build`` in the same version or, if there is none, the
    /// version before ``version``.
    public var baseline: String?
    /// A build of ``baseline``; `nil` adds up the counts of all its builds. If only this build is given, the initializer takes
    /// ``version`` as the baseline.
    public var baselineBuild: String?
    public var limits = ReleaseGate.Limits()
    /// `false` leaves ``ReleaseCheck/leaks`` empty, for a caller that needs only the counts of leaks.
    public var listsLeaks = true

    public init(
        app: String, environment: String = AppKey.production, version: String, build: String? = nil,
        baseline: String? = nil, baselineBuild: String? = nil
    ) {
        self.app = app
        self.environment = environment
        self.version = version
        self.build = build
        self.baseline = baseline ?? (baselineBuild == nil ? nil : version)
        self.baselineBuild = baselineBuild
    }

    public var key: AppKey { AppKey(app, environment: environment) }
    public var scope: AppScope { AppScope(app, environment: environment) }
}

/// The result of comparing the leaks of a version with those of an earlier version: the input of a gate before a release.
public struct ReleaseCheck: Sendable {
    /// One of the two versions.
    public struct Side: Hashable, Sendable {
        public var version: String
        /// `nil` for all builds of the version together.
        public var build: String?
        /// Sessions with a leak among all sessions.
        public var sessions = Proportion(events: 0, trials: 0)
        /// The factor by which the variance of ``sessions`` is larger because devices differ:
        /// ``BucketedCounts/designEffect(of:)``. `nil` if fewer than about four devices sent sessions, because so few do not
        /// show how much devices differ.
        public var sessionsEffect: Double? = 1
        public var checks = 0
        /// Number of reports of leaks that are not set aside. Only reports that were counted by bucket (``BucketCounts``) are
        /// included, because the comparison needs buckets.
        public var reports = 0
        /// The factor by which the variance of the reports per check is larger because devices differ, like ``sessionsEffect``.
        public var reportsEffect: Double? = 1

        package init(version: String, build: String? = nil) {
            self.version = version
            self.build = build
        }
    }

    /// A leak whose rate has changed, or that is new or back.
    public struct Leak: Sendable {
        public var result: ReleaseGate.LeakResult
        /// Reports and installs are those of the version.
        public var row: LeakRow
        /// Reports of the leak and checks of its class in the baseline.
        public var baseline: RateCounts
        /// Reports of the leak and checks of its class in the version.
        public var version: RateCounts
    }

    /// Reports of a leak, and checks of its class.
    public struct RateCounts: Hashable, Sendable {
        public var reports: Int
        public var checks: Int

        /// Reports per check, at most 1; `nil` without checks.
        public var rate: Double? { checks == 0 ? nil : min(1, Double(reports) / Double(checks)) }
    }

    /// A class whose leaks have a higher rate together, although no single leak fails the release.
    public struct WorseClass: Hashable, Sendable {
        public var className: String
        /// The probability of such a rise by chance, corrected for the number of leaks and classes.
        public var probability: Double
        /// Reports of all leaks of the class, and its checks, in the baseline.
        public var baseline: RateCounts
        /// Reports of all leaks of the class, and its checks, in the version.
        public var version: RateCounts
    }

    /// Rare classes, whose leaks are also compared together: ``ReleaseGate/Pool``.
    public struct ClassPool: Hashable, Sendable {
        public var result: ReleaseGate.Pool.Result
        public var classCount: Int
        /// Number of these classes that have too few checks by themselves.
        public var undecidedClassCount: Int
        /// Reports of all leaks of the classes, and their checks, in the baseline.
        public var baseline: RateCounts
        /// Reports of all leaks of the classes, and their checks, in the version.
        public var version: RateCounts
    }

    /// Checks of a class in both versions.
    public struct CheckedClass: Hashable, Sendable {
        public var className: String
        public var result: ReleaseGate.ClassResult
        public var baselineChecks: Int
        public var versionChecks: Int
    }

    public var app: String
    /// ``AppKey/environment``
    public var environment: String
    public var scope: AppScope { AppScope(app, environment: environment) }
    /// The checked version.
    public var version: Side
    /// The earlier version; `nil` if there is none: no leak is new or worse then.
    public var baseline: Side?
    public var verdict: ReleaseGate.Verdict
    /// Leaks that are worse, new, back or better, in this order, at most ``rowLimit`` of each. Known system leaks and ignored
    /// leaks are left out. Leaks that are resolved in ``version`` or an earlier version can only be better, unless they were
    /// seen again in ``version``.
    public var leaks: [Leak]
    /// Number of all leaks that are worse, including those beyond ``rowLimit``.
    public var worseCount = 0
    /// Number of all new leaks, including those beyond ``rowLimit``.
    public var newCount = 0
    /// Number of all leaks that are back, including those beyond ``rowLimit``.
    public var backCount = 0
    /// Number of all leaks that are better, including those beyond ``rowLimit``.
    public var betterCount = 0
    /// Number of those leaks in ``betterCount`` that have no report in ``version``: their rates have fallen to 0.
    public var fixedCount = 0
    /// ``ReleaseGate/Result/hasEnoughData``. If it is `false`, a count of 0 does not mean that no leak has changed.
    public var hasEnoughData = false
    /// Classes in which the rate of all leaks together is worse, lowest ``WorseClass/probability`` first; at most ``rowLimit``.
    public var worseClasses: [WorseClass] = []
    /// `nil` if fewer than two classes are rare enough to be compared together.
    public var pool: ClassPool?
    /// `true` if the rate of all leaks of the rare classes together is worse, and fails the version.
    public var isPoolWorse: Bool { if case .worse = pool?.result { true } else { false } }
    /// ``ReleaseGate/Result/neededGrowth``
    public var neededGrowth: Double?
    /// Checked classes, at most ``rowLimit``, sorted by their checks in the baseline and then by their checks in the version,
    /// most checks first.
    public var classes: [CheckedClass]
    /// Number of new leaks that have too few reports or devices, or too low a rate, to fail the version.
    public var rareCount: Int
    /// Number of leaks seen in ``version`` whose rates are not known, because their classes have no checks in one of the
    /// versions.
    public var uncomparedCount = 0
    /// Number of leaks seen in ``version`` that were left out because they are known, ignored or resolved.
    public var setAsideCount: Int

    /// Maximum number of rows in each list of the result: leaks of one kind, worse classes, and checked classes.
    public static let rowLimit = 200
}
