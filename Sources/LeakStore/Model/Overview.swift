/// What the top of the summary says.
public struct Overview: Sendable {
    /// The newest version (``NewestVersion``), and the one before it by semantic order.
    public var newest: Release?
    public var previous: Release?
    /// Where ``newest`` has no session: those of the newest version below it that has some, ``previous`` or an older one.
    /// Builds of a desk and first reports of a beta leave the last number standing.
    public var lastSessions: VersionSessions?
    /// Leaks first seen in the newest version, but for those that are known, resolved or ignored; most reports first, at
    /// most three named.
    public var newLeaks: Int
    public var newTitles: [String]
    /// Leaks that are ``LeakState/regressed``; most reports first, at most three named.
    public var regressedLeaks: Int
    public var regressedTitles: [String]
    /// What the three numbers below are of.
    public var period: Period
    public var recentReports: Int
    public var recentInstalls: Int
    public var recentLeaks: Int
    /// Since ever.
    public var leaks: Int
    public var reports: Int
    /// Those among ``leaks`` and ``reports`` that are the system's alone.
    public var known: KnownTotals
    public var resolved: KnownTotals
    public var ignored: KnownTotals
    /// What devices had to throw away, by reason.
    public var dropped: [Submission.Dropped]
    /// What counts under ``StoreLimits/other``.
    public var beyond: [BeyondLimit]
    /// All of ``dropped`` together, at most 2^53 - 1.
    public var droppedTotal: Int { dropped.reduce(into: 0) { $0.addBounded($1.count) } }

    public init(
        newest: Release?, previous: Release?, lastSessions: VersionSessions? = nil, newLeaks: Int,
        newTitles: [String],
        regressedLeaks: Int = 0, regressedTitles: [String] = [], period: Period = .day, recentReports: Int,
        recentInstalls: Int, recentLeaks: Int, leaks: Int, reports: Int, known: KnownTotals = KnownTotals(),
        resolved: KnownTotals = KnownTotals(), ignored: KnownTotals = KnownTotals(),
        dropped: [Submission.Dropped],
        beyond: [BeyondLimit] = []
    ) {
        self.newest = newest
        self.previous = previous
        self.lastSessions = lastSessions
        self.newLeaks = newLeaks
        self.newTitles = newTitles
        self.regressedLeaks = regressedLeaks
        self.regressedTitles = regressedTitles
        self.period = period
        self.recentReports = recentReports
        self.recentInstalls = recentInstalls
        self.recentLeaks = recentLeaks
        self.leaks = leaks
        self.reports = reports
        self.known = known
        self.resolved = resolved
        self.ignored = ignored
        self.dropped = dropped
        self.beyond = beyond
    }
}

/// One version of an app, all its builds together.
public struct Release: Hashable, Sendable {
    public var version: String
    /// Whether it is its app's newest: ``NewestVersion``.
    public var isNewest: Bool
    /// Oldest build first.
    public var builds: [String]
    public var reports: Int
    public var leaks: Int
    /// Leaks first seen in it.
    public var newLeaks: Int
    /// Leaks that were seen in it, which is not older than their fix, since they were resolved.
    public var regressedLeaks: Int
    /// Leaks seen in the version before it, and not in it; 0 for the oldest.
    public var goneLeaks: Int
    public var installs: Int
    public var sessions: Int
    public var leakySessions: Int
    public var checks: Int
    /// Milliseconds since 1970.
    public var firstSeen: Int64
    public var lastSeen: Int64

    public init(
        version: String, isNewest: Bool = false, builds: [String], reports: Int, leaks: Int, newLeaks: Int,
        regressedLeaks: Int = 0,
        goneLeaks: Int = 0, installs: Int,
        sessions: Int,
        leakySessions: Int, checks: Int, firstSeen: Int64, lastSeen: Int64
    ) {
        self.version = version
        self.isNewest = isNewest
        self.builds = builds
        self.reports = reports
        self.leaks = leaks
        self.newLeaks = newLeaks
        self.regressedLeaks = regressedLeaks
        self.goneLeaks = goneLeaks
        self.installs = installs
        self.sessions = sessions
        self.leakySessions = leakySessions
        self.checks = checks
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }

    /// From 0 to 1; `nil` without a session.
    public var leakFreeSessions: Double? {
        sessions == 0 ? nil : Double(sessions - leakySessions) / Double(sessions)
    }
}

/// What a list of apps says of one.
public struct AppSummary: Hashable, Sendable {
    public var id: String
    /// `nil` for an app of which no version is known yet.
    public var newestVersion: String?
    /// Milliseconds since 1970.
    public var lastSeen: Int64

    public init(id: String, newestVersion: String?, lastSeen: Int64) {
        self.id = id
        self.newestVersion = newestVersion
        self.lastSeen = lastSeen
    }
}

/// The sessions that were told of one version of an app.
public struct VersionSessions: Hashable, Sendable {
    public var version: String
    public var sessions: Int
    /// Those among ``sessions`` in which something leaked.
    public var leakySessions: Int

    public init(version: String, sessions: Int, leakySessions: Int) {
        self.version = version
        self.sessions = sessions
        self.leakySessions = leakySessions
    }
}
