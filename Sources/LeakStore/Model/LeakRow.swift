/// One leak in a list.
public struct LeakRow: Sendable {
    /// The largest number of installs that is exact. A greater number is an estimate.
    public static let maxExactInstalls = 256

    public var identity: LeakIdentity
    public var state: LeakState
    /// The known leak that explains this leak, or a part of its reports.
    public var known: KnownMatch?
    /// The last decision that is neither a note nor a reopening; `nil` without such a decision, or if the leak was reopened
    /// after it. The state that it set may have ended.
    public var decisionStatus: DecisionStatus?
    /// The evidence for the fix of a resolved leak; `nil` for other leaks.
    public var fix: FixStatus?
    /// True if the leak was first seen in the app's current release.
    public var isNew: Bool
    public var reports: Int
    /// Number of leaked objects that were freed after their report.
    public var freed: Int
    /// Exact up to 256 installs, an estimate beyond. Never more than reports.
    public var installs: Int
    /// Installs that had the leak in the app's current release in the last ``RecentInstalls/days`` days: exact up to 256, an
    /// estimate beyond, and never more than reports. Updated with each report, and when expired data is first deleted on a day.
    /// ``LeakQuery/Sort/impact`` sorts by it.
    public var impact: Int
    /// The largest number of instances alive at the same time that a report named; `nil` if no report named a number.
    public var maxAlive: Int?
    /// Bytes that one object retains: the median of the explanations, to within 1/32; `nil` without an explanation.
    public var retainedBytes: Int?
    /// Time in milliseconds from the report of a leaked object until the object was freed; `nil` if no object was freed.
    public var lived: Percentiles?
    /// The lowest version in which the leak was seen.
    public var firstVersion: String
    /// The lowest build of ``firstVersion`` in which the leak was seen, if a lower build of this version was in use before
    /// without the leak; otherwise `nil`. Only builds that begin with a number are compared.
    public var newInBuild: String?
    /// The highest version in which the leak was seen.
    public var lastVersion: String
    /// Milliseconds since 1970.
    public var firstSeen: Int64
    public var lastSeen: Int64
    /// The first day of ``trend``, in days since 1970.
    public var trendFrom: Int
    /// Reports per day, the last 14 days, oldest first.
    public var trend: [Int]
    /// The rate of the leak in ``rateVersion``: reports of the leak, and checks of its class; `nil` without a check.
    public var rate: ReportsAndChecks?
    /// The version that the query names, or else the version of the app's current release. For an app without a current
    /// release: the last version in which the leak was seen.
    public var rateVersion: String?
    /// The same counts in the version before the version of ``rate``; `nil` if that version has no check of the class.
    public var previousVersionRate: ReportsAndChecks?

    public init(
        identity: LeakIdentity, state: LeakState, known: KnownMatch? = nil,
        decisionStatus: DecisionStatus? = nil, fix: FixStatus? = nil,
        isNew: Bool, reports: Int,
        freed: Int, installs: Int, impact: Int = 0, maxAlive: Int?, retainedBytes: Int? = nil,
        lived: Percentiles?,
        firstVersion: String, newInBuild: String? = nil, lastVersion: String, firstSeen: Int64,
        lastSeen: Int64, trendFrom: Int,
        trend: [Int], rate: ReportsAndChecks?, rateVersion: String? = nil,
        previousVersionRate: ReportsAndChecks? = nil
    ) {
        self.identity = identity
        self.state = state
        self.known = known
        self.decisionStatus = decisionStatus
        self.fix = fix
        self.isNew = isNew
        self.reports = reports
        self.freed = freed
        self.installs = installs
        self.impact = impact
        self.maxAlive = maxAlive
        self.retainedBytes = retainedBytes
        self.lived = lived
        self.firstVersion = firstVersion
        self.newInBuild = newInBuild
        self.lastVersion = lastVersion
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.trendFrom = trendFrom
        self.trend = trend
        self.rate = rate
        self.rateVersion = rateVersion
        self.previousVersionRate = previousVersionRate
    }
}

extension LeakRow {
    /// Bytes that all objects of the leak that are alive at the same time retain together; `nil` without an explanation.
    public var retainedAtOnce: Int? { retainedBytes.map { Self.boundedProduct($0, max(1, maxAlive ?? 1)) } }

    /// Bytes that would be freed on all devices: ``retainedAtOnce`` times ``installs``, at most 2^53 - 1; `nil` without an
    /// explanation.
    public var cost: Int? { retainedAtOnce.map { Self.boundedProduct($0, installs) } }

    /// Returns the product, at most 2^53 - 1.
    private static func boundedProduct(_ one: Int, _ other: Int) -> Int {
        let (product, overflows) = one.multipliedReportingOverflow(by: other)
        return overflows ? 0x1F_FFFF_FFFF_FFFF : min(product, 0x1F_FFFF_FFFF_FFFF)
    }
}

/// The median and the 90th percentile of durations, in milliseconds.
public struct Percentiles: Hashable, Sendable {
    public var p50: Int
    public var p90: Int

    public init(p50: Int, p90: Int) {
        self.p50 = p50
        self.p90 = p90
    }
}

/// A rate: the number of reports of a leak, and the number of checks of its class.
public struct ReportsAndChecks: Hashable, Sendable {
    public var reports: Int
    public var checks: Int

    public init(reports: Int, checks: Int) {
        self.reports = reports
        self.checks = checks
    }
}
