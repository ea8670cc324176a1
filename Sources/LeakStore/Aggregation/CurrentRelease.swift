/// The choice of the current release of an app in an environment: the pinned release; without one, the highest version with
/// adoption. A version has adoption if it has at least ``minimumPercentage`` percent of the environment's sessions of the last
/// 24 hours, and at least ``minimumSessions``. If no version has that many sessions, the version with the most sessions is the current release.
///
/// If most senders report no sessions, which shows in more than ``reportsPerSession`` reports for each, reports count instead. The 24 hours end with the last hour in which sessions or reports
/// arrived, so the current release does not change while nothing arrives. The table `release_hour` has these hours and no
/// others: ``firstHour(now:)``. The row of the current release is stored in `app.newest_release`, because the impact of every leak
/// depends on it.
public enum CurrentRelease {
    public static let minimumSessions = 100
    public static let minimumPercentage = 5
    private static let reportsPerSession = 10
    /// Minimum number of installs with a leak that shows that an earlier version was in use without ``minimumSessions``. A single
    /// install may be a developer's device.
    private static let minimumInstalls = 2

    /// Number of hours in `release_hour`.
    private static let hours = 24

    /// Returns the first hour that still counts.
    package static func firstHour(now: Int) -> Int { now - hours + 1 }

    /// SQL for the id of the current release of an app `a`, in the syntax of all databases. Before anything was counted, and for an
    /// app that reported last before the hours were stored, it is the stored release, or else the highest version.
    package static let row = """
        select coalesce(a.pinned_release, (
          select id from (
            select id, order_key, used, sum(used) over () as total from (
              select id, order_key, case when sum(sessions) over () * \(reportsPerSession) >= sum(reports) over ()
                then sessions else reports end as used
              from (
                select r.id, r.order_key, sum(h.sessions * 1.0) as sessions, sum(h.reports * 1.0) as reports
                from release_hour h join release r on r.id = h.release where h.app = a.id group by r.id, r.order_key) as summed
              ) as counted
            ) as shares
          order by case when used < \(minimumSessions) or used * 100 < total * \(minimumPercentage) then used
            else total + 1 end desc, order_key desc limit 1), a.newest_release,
          (select id from release where app = a.id order by order_key desc limit 1))
        """

    /// Columns of `release` r for ``earlierOrder``.
    package static let earlierColumns = """
        r.id, r.version, r.order_key, r.sessions, r.installs, max(r.installs) over () as most_installs
        """

    /// SQL that sorts rows with ``earlierColumns``, so that the highest version that was in use is the first. Such a version had at
    /// least ``minimumSessions``, or leaked on ``minimumInstalls`` and ``minimumPercentage`` percent of the most installs of a
    /// version. The counts of all time decide, because an earlier version may have had no use in the last 24 hours.
    package static let earlierOrder = """
        case when sessions >= \(minimumSessions) or (installs >= \(minimumInstalls)
          and installs * 100 >= most_installs * \(minimumPercentage)) then 0 else 1 end, order_key desc
        """

    /// Returns SQL for the id of the version before a release: the highest lower version that was in use.
    ///
    /// - Parameters:
    ///   - release: SQL for the row of the release.
    ///   - app: SQL for the row of its app.
    package static func previous(of release: String, app: String) -> String {
        """
        select id from (
          select \(earlierColumns) from release r where r.app = \(app)
            and r.order_key < (select order_key from release where id = \(release))) as earlier
        order by \(earlierOrder) limit 1
        """
    }

    /// SQL for the row of a release, its sessions and reports in `release_hour`, and the last hour of any release of the app there.
    /// The first two parameters are the name and the environment of the app.
    package static func hours(_ name: String, _ environment: String) -> String {
        """
        select h.release, cast(sum(h.sessions) as bigint), cast(sum(h.reports) as bigint),
          (select max(hour) from release_hour where app = h.app)
        from app a join release_hour h on h.app = a.id where a.name = \(name) and a.environment = \(environment)
        group by h.app, h.release
        """
    }

    /// Returns the adoption of all versions of an app that had sessions or reports, by row of `release`.
    ///
    /// - Parameter rows: the result of ``hours(_:_:)``.
    package static func adoptions(
        _ rows: [(release: Int64, sessions: Int, reports: Int, lastHour: Int64)]
    ) -> Adoptions {
        var (sessions, reports) = (0.0, 0.0)
        for row in rows {
            (sessions, reports) = (sessions + Double(row.sessions), reports + Double(row.reports))
        }
        let isOfReports = sessions * Double(reportsPerSession) < reports
        var total = 0
        for row in rows { total.addBounded(isOfReports ? row.reports : row.sessions) }
        return Adoptions(
            counts: Dictionary(
                uniqueKeysWithValues: rows.map { ($0.release, isOfReports ? $0.reports : $0.sessions) }),
            of: rows.first.map {
                ReleaseSummary.Adoption(
                    isOfReports: isOfReports, count: 0, total: total,
                    until: ($0.lastHour + 1) * Calendar.hourMilliseconds)
            })
    }

    /// The adoption of each version of an app.
    package struct Adoptions {
        private let counts: [Int64: Int]
        private let all: ReleaseSummary.Adoption?

        fileprivate init(counts: [Int64: Int], of all: ReleaseSummary.Adoption?) {
            self.counts = counts
            self.all = all
        }

        /// - Parameter release: the row of the release.
        /// - Returns: `nil` if the app has sent nothing since adoption is known.
        package subscript(release: Int64) -> ReleaseSummary.Adoption? {
            var adoption = all
            adoption?.count = counts[release] ?? 0
            return adoption
        }
    }
}
