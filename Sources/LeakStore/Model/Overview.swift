/// The numbers at the top of the summary page, of one app or of all apps.
public struct Overview: Sendable {
    /// The current release: ``CurrentRelease``.
    public var currentRelease: ReleaseSummary?
    /// The highest version below ``currentRelease`` that was in use; if none was, the highest version below it.
    public var previousRelease: ReleaseSummary?
    /// If ``currentRelease`` has no sessions: the sessions of the most recent version below it that has sessions, which is
    /// ``previousRelease`` or an older version. A page can show this number while the current release has no sessions.
    public var lastSessions: VersionSessions?
    /// Number of leaks first seen in the current release, except leaks that are set aside.
    public var newLeaks: Int
    /// Titles of the new leaks with the most reports, at most three, most reports first.
    public var newLeakTitles: [String]
    /// Number of leaks that are ``LeakState/regressed``.
    public var regressedLeaks: Int
    /// Titles of the regressed leaks with the most reports, at most three, most reports first.
    public var regressedLeakTitles: [String]
    /// The period of ``recentReports``, ``recentInstalls`` and ``recentLeaks``.
    public var period: Period
    /// Number of reports in ``period``.
    public var recentReports: Int
    /// Number of installs that sent reports in ``period``: exact up to 256, an estimate beyond.
    public var recentInstalls: Int
    /// Number of leaks that were seen in ``period``.
    public var recentLeaks: Int
    /// Number of leaks of all time.
    public var leaks: Int
    /// Number of reports of all time.
    public var reports: Int
    /// The part of ``leaks`` and ``reports`` that only the system causes.
    public var known: LeakTotals
    /// The part of ``leaks`` and ``reports`` that is ``LeakState/resolved``.
    public var resolved: LeakTotals
    /// The part of ``leaks`` and ``reports`` that is ``LeakState/ignored``.
    public var ignored: LeakTotals
    /// The part of ``leaks`` and ``reports`` that is nearly always freed later (``LeakState/slow``).
    public var slow: LeakTotals
    /// Reports that devices dropped, by reason.
    public var dropped: [Submission.Dropped]
    /// For each limit that was reached, the number of items beyond the limit.
    public var overLimit: [OverLimitCount]
    /// The total of ``dropped``, at most 2^53 - 1.
    public var droppedTotal: Int { dropped.reduce(into: 0) { $0.addBounded($1.count) } }

    public init(
        currentRelease: ReleaseSummary?, previousRelease: ReleaseSummary?,
        lastSessions: VersionSessions? = nil,
        newLeaks: Int,
        newLeakTitles: [String],
        regressedLeaks: Int = 0, regressedLeakTitles: [String] = [], period: Period = .day,
        recentReports: Int,
        recentInstalls: Int, recentLeaks: Int, leaks: Int, reports: Int, known: LeakTotals = LeakTotals(),
        resolved: LeakTotals = LeakTotals(), ignored: LeakTotals = LeakTotals(),
        slow: LeakTotals = LeakTotals(), dropped: [Submission.Dropped],
        overLimit: [OverLimitCount] = []
    ) {
        self.currentRelease = currentRelease
        self.previousRelease = previousRelease
        self.lastSessions = lastSessions
        self.newLeaks = newLeaks
        self.newLeakTitles = newLeakTitles
        self.regressedLeaks = regressedLeaks
        self.regressedLeakTitles = regressedLeakTitles
        self.period = period
        self.recentReports = recentReports
        // An estimate may be greater than the number of reports, which is exact.
        self.recentInstalls = min(recentInstalls, recentReports)
        self.recentLeaks = recentLeaks
        self.leaks = leaks
        self.reports = reports
        self.known = known
        self.resolved = resolved
        self.ignored = ignored
        self.slow = slow
        self.dropped = dropped
        self.overLimit = overLimit
    }
}

/// One version of an app, all its builds together.
public struct ReleaseSummary: Hashable, Sendable {
    /// Maximum number of releases that are read for an app: its highest versions, several years of releases. If an app has
    /// more, its current release and the release ``StoreLimits/other`` are listed after them.
    package static let maxListed = 200

    public var version: String
    /// `true` if this is the current release of its app in its environment: ``CurrentRelease``.
    public var isCurrent: Bool
    /// `true` if this version was pinned as the current release.
    public var isPinned: Bool
    /// The author and the time of the pin; `nil` for a version that is not pinned, or that an earlier collector has pinned.
    public var pin: Pin?
    /// The share in the recent sessions; `nil` for an app that has sent nothing since the collector began to store sessions and
    /// reports by hour.
    public var adoption: Adoption?
    /// Names of the builds, oldest build first.
    public var builds: [String]
    public var reports: Int
    /// Number of leaks seen in this version.
    public var leaks: Int
    /// Number of leaks first seen in this version.
    public var newLeaks: Int
    /// Number of resolved leaks that were seen in this version since the decision, although this version is not older than
    /// their fix.
    public var regressedLeaks: Int
    /// Number of installs with a leak in this version: exact up to 256, an estimate beyond.
    public var installs: Int
    public var sessions: Int
    /// Number of ``sessions`` with a leak.
    public var leakySessions: Int
    public var checks: Int
    /// Milliseconds since 1970.
    public var firstSeen: Int64
    public var lastSeen: Int64

    public init(
        version: String, isCurrent: Bool = false, isPinned: Bool = false, adoption: Adoption? = nil,
        builds: [String], reports: Int, leaks: Int, newLeaks: Int,
        regressedLeaks: Int = 0,
        installs: Int,
        sessions: Int,
        leakySessions: Int, checks: Int, firstSeen: Int64, lastSeen: Int64
    ) {
        self.version = version
        self.isCurrent = isCurrent
        self.isPinned = isPinned
        self.adoption = adoption
        self.builds = builds
        self.reports = reports
        self.leaks = leaks
        self.newLeaks = newLeaks
        self.regressedLeaks = regressedLeaks
        self.installs = installs
        self.sessions = sessions
        self.leakySessions = leakySessions
        self.checks = checks
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }

    /// The author and the time of a pin.
    public struct Pin: Hashable, Sendable {
        /// ``AuditEntry/actor``
        public var by: String
        /// Milliseconds since 1970.
        public var at: Int64

        public init(by: String, at: Int64) { (self.by, self.at) = (by, at) }
    }

    /// The share that a version has in the recent sessions of its app in one environment. Sessions of the last 24 hours that
    /// had sessions count: hours without sessions are skipped.
    public struct Adoption: Hashable, Sendable {
        /// `true` if reports count instead of sessions, because most senders report no sessions.
        public var isOfReports: Bool
        /// Sessions of the version; reports if ``isOfReports``.
        public var count: Int
        /// The sum of ``count`` of all versions.
        public var total: Int
        /// The end of the last hour that counts, in milliseconds since 1970.
        public var until: Int64

        public init(isOfReports: Bool = false, count: Int, total: Int, until: Int64) {
            self.isOfReports = isOfReports
            self.count = count
            self.total = total
            self.until = until
        }

        /// ``count`` divided by ``total``, from 0 to 1.
        public var share: Double { total == 0 ? 0 : Double(count) / Double(total) }
    }

    /// Share of the sessions without a leak, from 0 to 1; `nil` without a session.
    public var leakFreeSessions: Double? {
        sessions == 0 ? nil : Double(sessions - leakySessions) / Double(sessions)
    }
}

/// An app in one environment, in a list of apps.
public struct AppSummary: Hashable, Sendable {
    public var id: String
    /// ``AppKey/environment``
    public var environment: String
    /// The current release: ``CurrentRelease``. `nil` if no version of the app is known yet.
    public var currentRelease: String?
    /// Milliseconds since 1970.
    public var lastSeen: Int64

    public init(
        id: String, environment: String = AppKey.production, currentRelease: String?, lastSeen: Int64
    ) {
        self.id = id
        self.environment = environment
        self.currentRelease = currentRelease
        self.lastSeen = lastSeen
    }

    public var key: AppKey { AppKey(id, environment: environment) }
}

/// The sessions that were reported for one version of an app.
public struct VersionSessions: Hashable, Sendable {
    public var version: String
    public var sessions: Int
    /// Number of ``sessions`` with a leak.
    public var leakySessions: Int

    public init(version: String, sessions: Int, leakySessions: Int) {
        self.version = version
        self.sessions = sessions
        self.leakySessions = leakySessions
    }
}
