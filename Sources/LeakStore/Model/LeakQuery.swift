/// The filters and the order of a list of leaks.
public struct LeakQuery: Hashable, Sendable {
    public enum Sort: String, Hashable, Sendable, CaseIterable {
        /// ``LeakRow/impact``: recent installs with the leak in the current release. Leaks with the same impact are sorted by
        /// reports.
        case impact
        case reports, installs
        /// The product of three numbers: bytes that one object retains, objects alive at the same time, and installs. Leaks
        /// with the same product are sorted by reports.
        case cost
        case lastSeen = "last_seen"
        case firstSeen = "first_seen"
        /// Title of the leak, byte by byte.
        case name
        /// Regressed, new, open, freed late, resolved, ignored, known; then reports.
        case state
        /// Reports of the last 14 days (``LeakRow/trend``), then all reports.
        case recent

        /// The order of the list if ``LeakQuery/order`` is `nil`: names from A to Z, everything else with the largest or newest
        /// first.
        public var usualOrder: Order { self == .name ? .ascending : .descending }
    }

    public enum Order: String, Hashable, Sendable, CaseIterable {
        case ascending = "asc"
        case descending = "desc"
    }

    /// The filter of a list by the state of its leaks.
    public enum StateFilter: String, Hashable, Sendable, CaseIterable {
        /// All leaks except those that are ``LeakState/known``, ``LeakState/resolved``, ``LeakState/ignored`` or
        /// ``LeakState/slow``.
        case toFix = "to_fix"
        /// Leaks of ``toFix`` that were first seen in the current release of their app.
        case new
        case open, regressed, slow, resolved, ignored, known
        case any
    }

    public var app: String?
    /// Only leaks that were reported from this environment.
    public var environment = AppKey.production
    /// Only leaks seen in this version. Reports and installs are then the reports and installs of this version.
    public var version: String?
    public var state = StateFilter.toFix
    /// Only leaks with reports in this period. Reports are then the reports of the period, which consists of whole hours for
    /// ``Period/day`` and of whole days otherwise. In a list of resolved leaks, only reports since the decision count. Installs
    /// are the installs of all time.
    public var period: Period?
    public var kind: String?
    /// Only leaks of this class, with any stack.
    public var className: String?
    /// Text in the title, class, module or path, ignoring case: ``SearchText``.
    public var search: String?
    public var sort = Sort.impact
    /// `nil` for ``Sort/usualOrder``.
    public var order: Order?
    /// Maximum number of rows, 1 to 1,000.
    public var limit = 50
    /// ``LeakPage/next`` of the previous page; `nil` for the first page.
    public var cursor: String?
    /// `true` if reports of resolved leaks in the period count even if they are from before the decision. This is needed for
    /// totals that are subtracted from the totals of all leaks, because those totals include such reports.
    package var countsReportsBeforeDecision = false

    public init() {}
}

extension LeakQuery {
    /// The list without its filters: the leaks to fix of the same app, or of all apps, in the same environment. A property that
    /// is not copied here is a filter.
    public var withoutFilters: LeakQuery {
        var query = LeakQuery()
        (query.app, query.environment, query.sort) = (app, environment, sort)
        (query.order, query.limit, query.cursor) = (order, limit, cursor)
        return query
    }

    /// The list of resolved leaks that are still seen: ``LeakPage/resolvedSeen``.
    public var ofResolvedSeen: LeakQuery {
        var query = self
        query.state = .resolved
        query.period = period ?? LeakPage.recentPeriod
        return query
    }

    /// `true` if only reports since the decision count: older reports do not show that a resolved leak is still seen.
    package var countsSinceDecision: Bool {
        state == .resolved && period != nil && !countsReportsBeforeDecision
    }

    /// The app and the environment.
    public var scope: AppScope {
        get { AppScope(app, environment: environment) }
        set { (app, environment) = (newValue.app, newValue.environment) }
    }

    public var isAscending: Bool { (order ?? sort.usualOrder) == .ascending }

    /// `true` if a filter other than the app and the environment limits the list.
    public var hasFilters: Bool { self != withoutFilters }

    /// `true` if an index has the leaks of the list in the order of the list. Lists of all states and lists of leaks to fix
    /// read the same index.
    package var isReadFromIndex: Bool {
        var query = self
        if state == .any { query.state = .toFix }
        return sort.hasIndex && !query.hasFilters
    }

    /// The parameters of the list's URL, by their names in the API. The value is `nil` if it is the default.
    public var parameters: [(name: String, value: String?)] {
        let defaults = LeakQuery()
        return scope.parameters + [
            ("version", version),
            ("state", state == defaults.state ? nil : state.rawValue),
            ("period", period?.rawValue),
            ("kind", kind),
            ("class", className),
            ("q", search),
            ("sort", sort == defaults.sort ? nil : sort.rawValue),
            ("order", order == sort.usualOrder ? nil : order?.rawValue),
            ("limit", limit == defaults.limit ? nil : String(limit)),
            ("cursor", cursor),
        ]
    }
}

extension LeakQuery.Sort {
    /// `true` if the stores have an index with this order.
    package var hasIndex: Bool {
        switch self {
        case .impact, .reports, .installs, .lastSeen, .firstSeen: true
        case .cost, .name, .state, .recent: false
        }
    }
}

extension LeakQuery {
    /// SQL of the order: the keyword, the operator that selects the rows after a given row, and the operator that selects the
    /// given row too.
    package var direction: (keyword: String, operatorAfter: String, operatorFrom: String) {
        isAscending ? ("asc", ">", ">=") : ("desc", "<", "<=")
    }
}

/// The triage state of a leak.
public enum LeakState: String, Hashable, Sendable, CaseIterable {
    /// The leak has none of the other states: it needs a fix.
    case open
    /// Resolved, and seen again in a version that is not older than the fix.
    case regressed
    /// Nearly always freed later: at least nine objects freed for every ten reported.
    case slow
    /// The leak is resolved, and was not seen in a version that should have the fix.
    case resolved
    /// A person has decided to ignore the leak.
    case ignored
    /// Caused by the system, not by the app: a rule of ``KnownLeaks`` describes the leak, and every report that names a system
    /// comes from a system that a rule for this leak covers.
    case known
}

/// One page of a list of leaks.
public struct LeakPage: Sendable {
    public var leaks: [LeakRow]
    /// The cursor of the next page; `nil` on the last page.
    public var next: String?
    /// Number of leaks on all pages.
    public var total: Int
    /// Number of reports of the leaks on all pages.
    public var reports: Int
    /// Totals of leaks that match the query but are set aside because they are ``LeakState/known``; zero if the query names a
    /// state.
    public var known: LeakTotals
    /// Totals of leaks that match the query but are set aside because they are ``LeakState/resolved``, including those that are
    /// known leaks too; zero if the query names a state.
    public var resolved: LeakTotals
    /// Totals of leaks that match the query but are set aside because they are ``LeakState/ignored``, including those that are
    /// known leaks too; zero if the query names a state.
    public var ignored: LeakTotals
    /// Totals of leaks that match the query but are set aside because they are ``LeakState/slow``; zero if the query names a
    /// state.
    public var slow: LeakTotals
    /// The part of ``resolved`` with reports since the decision, in the period of the query or in ``recentPeriod``: leaks that
    /// are still seen, because versions without the fix are still in use. Its reports are only the reports since the decision.
    public var resolvedSeen: LeakTotals

    /// The period of ``resolvedSeen`` if the query has no period: the period of ``LeakRow/trend``.
    public static let recentPeriod = Period.fortnight

    public init(
        leaks: [LeakRow], next: String?, total: Int, reports: Int, known: LeakTotals = LeakTotals(),
        resolved: LeakTotals = LeakTotals(), ignored: LeakTotals = LeakTotals(),
        slow: LeakTotals = LeakTotals(), resolvedSeen: LeakTotals = LeakTotals()
    ) {
        self.leaks = leaks
        self.next = next
        self.total = total
        self.reports = reports
        self.known = known
        self.resolved = resolved
        self.ignored = ignored
        self.slow = slow
        self.resolvedSeen = resolvedSeen
    }
}
