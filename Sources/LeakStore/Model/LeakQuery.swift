/// Which leaks to list, in what order.
public struct LeakQuery: Hashable, Sendable {
    public enum Sort: String, Hashable, Sendable, CaseIterable {
        /// Installs affected in the newest version, then reports.
        case impact
        case reports, installs
        /// Bytes that an object keeps, times those alive at once, times installs; then reports.
        case cost
        case lastSeen = "last_seen"
        case firstSeen = "first_seen"
    }

    /// Which leaks a list has, by what is to be done about them.
    public enum StateFilter: String, Hashable, Sendable, CaseIterable {
        /// All but what is ``LeakState/known``, ``LeakState/resolved`` or ``LeakState/ignored``.
        case toFix = "to_fix"
        case open, regressed, slow, resolved, ignored, known
        case any
    }

    public var app: String?
    /// Only leaks seen in this version; reports and installs are then that version's.
    public var version: String?
    public var state = StateFilter.toFix
    /// Only leaks with reports in it; reports are then those of the period (of whole days, but for ``Period/day``: of whole
    /// hours), installs stay those since ever.
    public var period: Period?
    public var kind: String?
    /// Only leaks with this class, under whatever stack.
    public var className: String?
    /// Part of the class, path or message, whatever the case.
    public var search: String?
    public var sort = Sort.impact
    /// Rows at most, 1 to 1,000.
    public var limit = 50
    /// ``LeakPage/next`` of the page before.
    public var cursor: String?

    public init() {}
}

/// What is to be done about a leak.
public enum LeakState: String, Hashable, Sendable, CaseIterable {
    case open
    /// Resolved, and seen again in a version that is not older than the fix.
    case regressed
    /// Nearly always freed a little later.
    case slow
    /// Somebody said that it is mended, and no version from the fix on speaks against it.
    case resolved
    /// Somebody said that it is to be left alone.
    case ignored
    /// The system's, not the app's: an entry of ``KnownLeaks`` describes it, and no report speaks against it.
    case known
}

/// One page of a list of leaks.
public struct LeakPage: Sendable {
    public var leaks: [LeakRow]
    /// For the page after this one; `nil` on the last.
    public var next: String?
    /// Leaks on all pages.
    public var total: Int
    /// Reports of these leaks.
    public var reports: Int
    /// What fits the query but for being ``LeakState/known``, and is left out for that; nothing where the query names a
    /// state.
    public var known: KnownTotals
    /// The same of what is ``LeakState/resolved``, and of what is ``LeakState/ignored``; known ones among them count here.
    public var resolved: KnownTotals
    public var ignored: KnownTotals

    public init(
        leaks: [LeakRow], next: String?, total: Int, reports: Int, known: KnownTotals = KnownTotals(),
        resolved: KnownTotals = KnownTotals(), ignored: KnownTotals = KnownTotals()
    ) {
        self.leaks = leaks
        self.next = next
        self.total = total
        self.reports = reports
        self.known = known
        self.resolved = resolved
        self.ignored = ignored
    }
}

/// One leak in a list.
public struct LeakRow: Sendable {
    public var identity: LeakIdentity
    public var state: LeakState
    /// What is known of it, or of a part of its reports.
    public var known: KnownMatch?
    /// The decision that was made last, but for notes and for reopening; its state may be over.
    public var standing: Standing?
    /// First seen in the app's newest version.
    public var isNew: Bool
    public var reports: Int
    public var freed: Int
    public var installs: Int
    public var aliveAtMost: Int?
    /// Bytes that one object keeps, the median of the explanations, to within 1/32; `nil` without one.
    public var retainedBytes: Int?
    /// Time from leak to freed, milliseconds; `nil` without a freed report.
    public var lived: Percentiles?
    public var firstVersion: String
    public var lastVersion: String
    /// Milliseconds since 1970.
    public var firstSeen: Int64
    public var lastSeen: Int64
    /// Reports per day, the last 14 days, oldest first; `from` is the first of them, in days since 1970.
    public var trendFrom: Int
    public var trend: [Int]
    /// How often the class was checked in the version looked at (the newest one where it leaked unless the query
    /// names one), and how often it leaked there; `nil` without a check.
    public var share: Share?

    public init(
        identity: LeakIdentity, state: LeakState, known: KnownMatch? = nil, standing: Standing? = nil,
        isNew: Bool, reports: Int,
        freed: Int, installs: Int, aliveAtMost: Int?, retainedBytes: Int? = nil, lived: Percentiles?,
        firstVersion: String, lastVersion: String, firstSeen: Int64, lastSeen: Int64, trendFrom: Int,
        trend: [Int], share: Share?
    ) {
        self.identity = identity
        self.state = state
        self.known = known
        self.standing = standing
        self.isNew = isNew
        self.reports = reports
        self.freed = freed
        self.installs = installs
        self.aliveAtMost = aliveAtMost
        self.retainedBytes = retainedBytes
        self.lived = lived
        self.firstVersion = firstVersion
        self.lastVersion = lastVersion
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.trendFrom = trendFrom
        self.trend = trend
        self.share = share
    }
}

extension LeakRow {
    /// Bytes that the objects which were alive at once keep together; `nil` without an explanation.
    public var retainedAtOnce: Int? { retainedBytes.map { Self.product($0, max(1, aliveAtMost ?? 1)) } }

    /// Bytes that would be freed on all devices: of what is alive at once, times installs; `nil` without an explanation.
    public var cost: Int? { retainedAtOnce.map { Self.product($0, installs) } }

    private static func product(_ one: Int, _ other: Int) -> Int {
        let (product, overflows) = one.multipliedReportingOverflow(by: other)
        return overflows ? 0x1F_FFFF_FFFF_FFFF : min(product, 0x1F_FFFF_FFFF_FFFF)
    }
}

public struct Percentiles: Hashable, Sendable {
    public var p50: Int
    public var p90: Int

    public init(p50: Int, p90: Int) {
        self.p50 = p50
        self.p90 = p90
    }
}

/// Reports out of checks.
public struct Share: Hashable, Sendable {
    public var reports: Int
    public var checks: Int

    public init(reports: Int, checks: Int) {
        self.reports = reports
        self.checks = checks
    }
}
