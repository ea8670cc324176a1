/// The choice of the current release of an app in an environment: the pinned release; without one, the highest version with
/// adoption. A version has adoption if it has at least ``minPercentage`` percent of the environment's sessions in the last 24
/// hours that had sessions, and at least ``minSessions``. The current release keeps its adoption until it has less than
/// ``keptPercentage`` percent. If no version has adoption, the version with the most sessions is the current release.
///
/// A version that a single install uses is not a candidate while several installs, or senders without install ids, use another
/// version. Installs in the same bucket (``BucketCounts``) count as a single install. ``unknownVersion`` is not a candidate
/// while there is any other version, and ``StoreLimits/other`` never is. A version whose senders have no install ids is chosen
/// for its adoption only if no version whose senders have install ids has adoption.
///
/// If there are more than ``maxReportsPerSession`` reports for each session, most senders report no sessions, so reports count
/// instead of sessions.
/// Sessions and reports count in the hour in which they began or were made. The table `release_hour` has the last ``maxHours``
/// hours that had sessions or reports, within the ``keptHours`` before the last report, so the current release does not change
/// while nothing arrives.
/// The row ID of the current release is stored in `app.newest_release`, because the impact of every leak depends on it.
public enum CurrentRelease {
    /// The version of reports that name no version.
    package static let unknownVersion = "unknown"
    /// Lowest number of recent sessions with which a version has adoption. A version without adoption is the current release
    /// only if no version has it.
    public static let minSessions = 100
    /// Lowest percentage of the environment's recent sessions with which a version has adoption.
    public static let minPercentage = 5
    /// The percentage below which the current release loses its adoption. It is lower than ``minPercentage``, so that the
    /// current release does not change back and forth.
    public static let keptPercentage = 3
    private static let maxReportsPerSession = 10
    /// Number of installs with a leak that is enough to show that a version was in use, even if it had fewer than
    /// ``minSessions`` sessions. A single install may be a developer's device.
    package static let minInstalls = 2

    /// Maximum number of hours of an app in `release_hour`, which has only hours with sessions or reports.
    package static let maxHours = 24
    /// Age in hours from which on an hour is not in `release_hour`: 30 days, as old as a report may be.
    package static let keptHours = 30 * 24
    /// Number of hours by which the clock of another collector may be ahead. Rows of later hours come from a clock that was set
    /// back since, and are deleted.
    package static let leadHours = 1

    /// Returns the hour in which the sessions or reports of `hour` count: the present hour if `hour` is later, otherwise `hour`.
    /// Returns `nil` if they are too old to count.
    ///
    /// - Parameter now: the present hour.
    package static func countedHour(_ hour: Int, now: Int) -> Int? {
        hour > now - keptHours ? min(hour, now) : nil
    }

    /// Returns `true` if the rows of an hour stay in `release_hour`.
    package static func isKept(_ hour: Int, now: Int) -> Bool {
        hour > now - keptHours && hour <= now + leadHours
    }

    /// SQL for the id of the current release of an app `a`, in the syntax of all databases. Before anything was counted, and
    /// for an app whose last report came before the table `release_hour` existed, it is the stored release, or else the highest
    /// version.
    package static let rowIDSQL = """
        select coalesce(a.pinned_release, (
          select id from (
            select id, order_key, is_current, candidacy, is_named, used, sum(used) over () as total from (
              select id, order_key, is_current, candidacy, is_named, case when sum(sessions) over () * \(maxReportsPerSession)
                >= sum(reports) over () then sessions else reports end as used
              from (
                select r.id, r.order_key, case when r.id = a.newest_release then 1 else 0 end as is_current,
                  case r.version when '\(StoreLimits.other)' then 0 when '\(unknownVersion)' then 1
                    else case when min(h.bucket) = max(h.bucket) and max(h.bucket) >= 0 then 2 else 3 end
                    end as candidacy,
                  case when max(h.bucket) = \(SubmissionAggregate.HourUse.unknownInstalls) then 0 else 1 end as is_named,
                  sum(h.sessions * 1.0) as sessions, sum(h.reports * 1.0) as reports
                from release_hour h join release r on r.id = h.release where h.app = a.id
                group by r.id, r.version, r.order_key) as summed
              ) as counted
            ) as shares
          where candidacy > 0
          order by candidacy desc, case
            when used < \(minSessions)
              or used * 100 < total * case is_current when 1 then \(keptPercentage) else \(minPercentage) end then used
            else total + 1 + is_named end desc, order_key desc limit 1), a.newest_release,
          (select id from release where app = a.id order by order_key desc limit 1))
        """

    /// SQL for the id of the release to which “now” and “next” refer in a decision about a leak `l` of an app `a`. It is the
    /// current release, or a higher version that is in use: ``LeakDetail/referenceVersion``.
    package static let referenceReleaseSQL = """
        select id from release where id in (
          select a.newest_release
          union all select c.release from leak_release c
            where a.pinned_release is null and c.leak = l.id and c.installs >= \(minInstalls)
              and c.installs * 100 >= \(minPercentage) * (select max(installs) from leak_release where leak = l.id))
        order by order_key desc limit 1
        """

    /// SQL for the name of the newest build of a release `r` that is in use: it has at least ``minPercentage`` percent of the
    /// sessions of all builds. There is none if a report or session of the release names no build, or a build that is not only a
    /// number, because such builds have no certain order.
    package static let newestBuildSQL = """
        select b.name from build b where b.release = r.id and b.name <> '\(StoreLimits.other)'
          and BUCKET_TOTAL(b.session_buckets) > 0
          and BUCKET_TOTAL(b.session_buckets) * 100 >= \(minPercentage)
            * (select sum(BUCKET_TOTAL(c.session_buckets)) from build c where c.release = r.id)
          and not exists (select 1 from build c where c.release = r.id and c.name <> '\(StoreLimits.other)'
            and (c.name = '' or ltrim(c.name, '0123456789.') <> ''))
        order by b.order_key desc limit 1
        """

    /// Columns of `release` r for ``earlierOrderSQL``.
    package static let earlierColumnsSQL = """
        r.id, r.version, r.order_key, r.sessions, r.checks, max(r.checks) over () as most_checks, r.installs,
          max(r.installs) over () as most_installs
        """

    /// SQL that sorts rows with ``earlierColumnsSQL``: first the versions that were in use, then all others, each from the
    /// highest down. A version was in use if one of three is true: it had at least ``minSessions``; it had at least
    /// ``minSessions`` checks, and ``minPercentage`` percent of the checks of the version with the most; it leaked on at least
    /// ``minInstalls`` installs, and ``minPercentage`` percent of the installs of the version with the most. Checks count
    /// because a version without sessions and leaks may be in use. The counts of all time decide, because an earlier version
    /// may have had no sessions in the last 24 hours that had sessions.
    package static let earlierOrderSQL = """
        case when sessions >= \(minSessions)
          or (checks >= \(minSessions) and checks * 100 >= most_checks * \(minPercentage))
          or (installs >= \(minInstalls)
          and installs * 100 >= most_installs * \(minPercentage)) then 0 else 1 end, order_key desc
        """

    /// Returns SQL for the id of the version before a release: the highest lower version that was in use, or the highest lower
    /// version if none was.
    ///
    /// - Parameters:
    ///   - release: SQL for the row ID of the release.
    ///   - app: SQL for the row ID of its app.
    package static func previousReleaseSQL(of release: String, app: String) -> String {
        """
        select id from (
          select \(earlierColumnsSQL) from release r where r.app = \(app)
            and r.order_key < (select order_key from release where id = \(release))) as earlier
        order by \(earlierOrderSQL) limit 1
        """
    }

    /// Returns the adoption of all versions of an app that had sessions or reports, by row ID in `release`.
    ///
    /// - Parameter rows: sessions and reports of each release of the app in `release_hour`, and the last hour of any release of
    ///   the app in this table.
    static func adoptions(
        _ rows: [(release: Int64, sessions: Int, reports: Int, lastHour: Int64)]
    ) -> Adoptions {
        var (sessions, reports) = (0.0, 0.0)
        for row in rows {
            (sessions, reports) = (sessions + Double(row.sessions), reports + Double(row.reports))
        }
        let isOfReports = sessions * Double(maxReportsPerSession) < reports
        var total = 0
        for row in rows { total.addBounded(isOfReports ? row.reports : row.sessions) }
        return Adoptions(
            counts: Dictionary(
                uniqueKeysWithValues: rows.map { ($0.release, isOfReports ? $0.reports : $0.sessions) }),
            empty: rows.first.map {
                ReleaseSummary.Adoption(
                    isOfReports: isOfReports, count: 0, total: total,
                    until: ($0.lastHour + 1) * Calendar.hourMilliseconds)
            })
    }

    /// The adoption of each version of an app: its share of the recent sessions, or of the recent reports if most senders
    /// report no sessions.
    package struct Adoptions {
        private let counts: [Int64: Int]
        /// An adoption with the values that all versions share, and a count of 0.
        private let emptyAdoption: ReleaseSummary.Adoption?

        fileprivate init(counts: [Int64: Int], empty: ReleaseSummary.Adoption?) {
            self.counts = counts
            emptyAdoption = empty
        }

        /// - Parameter release: the row ID of the release.
        /// - Returns: `nil` if `release_hour` has no sessions and no reports of the app.
        package subscript(release: Int64) -> ReleaseSummary.Adoption? {
            var adoption = emptyAdoption
            adoption?.count = counts[release] ?? 0
            return adoption
        }
    }
}
