/// The filters and the order of a list of leaks.
public struct LeakQuery: Hashable, Sendable {
    public enum Sort: String, Hashable, Sendable, CaseIterable {
        /// Installs affected in the newest version, then reports.
        case impact
        case reports, installs
        /// Bytes that one object retains, times objects alive at once, times installs; then reports.
        case cost
        case lastSeen = "last_seen"
        case firstSeen = "first_seen"
    }

    /// The filter of a list by the state of its leaks.
    public enum StateFilter: String, Hashable, Sendable, CaseIterable {
        /// All leaks except those that are ``LeakState/known``, ``LeakState/resolved`` or ``LeakState/ignored``.
        case toFix = "to_fix"
        /// Those of ``toFix`` that were first seen in the newest version of their app.
        case new
        case open, regressed, slow, resolved, ignored, known
        case any
    }

    public var app: String?
    /// Only leaks that were reported from this environment.
    public var environment = AppKey.production
    /// Only leaks seen in this version; reports and installs are then that version's.
    public var version: String?
    public var state = StateFilter.toFix
    /// Only leaks with reports in this period. Reports are then those of the period: of whole hours for ``Period/day``, else of
    /// whole days. Installs stay those of all time.
    public var period: Period?
    public var kind: String?
    /// Only leaks with this class, under whatever stack.
    public var className: String?
    /// Text in the class, path or message, ignoring case.
    public var search: String?
    public var sort = Sort.impact
    /// Maximum number of rows, 1 to 1,000.
    public var limit = 50
    /// ``LeakPage/next`` of the page before.
    public var cursor: String?

    public init() {}
}

extension LeakQuery {
    /// The list without its filters: the leaks to fix of the same app, or of all apps, in the same environment. A property that is not copied here is a
    /// filter.
    public var withoutFilters: LeakQuery {
        var query = LeakQuery()
        (query.app, query.environment, query.sort) = (app, environment, sort)
        (query.limit, query.cursor) = (limit, cursor)
        return query
    }

    /// The app and the environment.
    public var scope: AppScope {
        get { AppScope(app, environment: environment) }
        set { (app, environment) = (newValue.app, newValue.environment) }
    }

    /// `true` if a filter other than the app and the environment limits the list.
    public var hasFilters: Bool { self != withoutFilters }

    /// `true` if an index has the leaks of the list in their order. Lists of all states and of the leaks to fix read the same
    /// index.
    package var isReadFromIndex: Bool {
        var query = self
        if state == .any { query.state = .toFix }
        return sort != .cost && !query.hasFilters
    }

    /// The parameters of the list's address, by their names in the API; `nil` for a value that a plain query has too.
    public var parameters: [(name: String, value: String?)] {
        let plain = LeakQuery()
        return scope.parameters + [
            ("version", version),
            ("state", state == plain.state ? nil : state.rawValue),
            ("period", period?.rawValue),
            ("kind", kind),
            ("class", className),
            ("q", search),
            ("sort", sort == plain.sort ? nil : sort.rawValue),
            ("limit", limit == plain.limit ? nil : String(limit)),
            ("cursor", cursor),
        ]
    }
}

/// The triage state of a leak.
public enum LeakState: String, Hashable, Sendable, CaseIterable {
    case open
    /// Resolved, and seen again in a version that is not older than the fix.
    case regressed
    /// Nearly always freed a little later: at least nine freed reports for every ten reports.
    case slow
    /// Marked as fixed, and no version from the fix on contradicts it.
    case resolved
    /// Marked as to be ignored.
    case ignored
    /// Caused by the system, not by the app: an entry of ``KnownLeaks`` describes the leak, and no report contradicts it.
    case known
}

/// One page of a list of leaks.
public struct LeakPage: Sendable {
    public var leaks: [LeakRow]
    /// The cursor of the next page; `nil` on the last page.
    public var next: String?
    /// Leaks on all pages.
    public var total: Int
    /// Reports of these leaks.
    public var reports: Int
    /// Totals of leaks that match the query but are set aside because they are ``LeakState/known``; zero if the query names a state.
    public var known: LeakTotals
    /// The same totals of ``LeakState/resolved`` and of ``LeakState/ignored`` leaks, including those that are known too.
    public var resolved: LeakTotals
    public var ignored: LeakTotals

    public init(
        leaks: [LeakRow], next: String?, total: Int, reports: Int, known: LeakTotals = LeakTotals(),
        resolved: LeakTotals = LeakTotals(), ignored: LeakTotals = LeakTotals()
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
