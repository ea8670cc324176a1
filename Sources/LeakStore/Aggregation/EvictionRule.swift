/// The rule by which the least used names of an app are evicted when the app comes near a limit. An evicted leak or version is
/// merged into ``StoreLimits/other``.
///
/// Names are evicted while an app uses more than nine tenths of a limit. A name that many installs have is never evicted while
/// it is in use, so names that one sender makes up cannot push it out. The name with the fewest installs is evicted first; of
/// names with the same number of installs, the name that was not seen for the longest time. For a name whose reports name no
/// install, each day of use counts as an install. If no name may be evicted, new names beyond the limit count as
/// ``StoreLimits/other``.
package enum EvictionRule {
    /// Number of installs from which on a leak or version is evicted only if it is not seen for ``unseenDays``.
    package static let minInstalls = 10
    /// Number of sessions from which on a version is evicted only if it is not seen for ``unseenDays``: a version without leaks
    /// has no installs.
    package static let minSessions = 1_000
    /// Number of days after which a name that was not seen may be evicted, however many installs had it.
    package static let unseenDays = 400
    /// Age in days from which on an ingest key may use the last part of a limit: ``newKeyLimit(_:)``.
    package static let newKeyDays = 7

    /// Returns the part of a limit above which names are evicted.
    package static func threshold(_ limit: Int) -> Int { limit - limit / 10 }

    /// Returns the part of a limit that ingest keys younger than ``newKeyDays`` may use. The rest is reserved for older keys, so
    /// that their new versions and leaks count under their own names while a new key makes up names.
    package static func newKeyLimit(_ limit: Int) -> Int { limit - limit / 20 }

    /// Returns the time of creation from which on an ingest key is new.
    package static func newKeyStart(now: Int64) -> Int64 {
        now - Int64(newKeyDays) * Calendar.dayMilliseconds
    }

    /// The times that the SQL of a store binds.
    package struct Times: Sendable {
        /// A name that was last seen before this time may be evicted, however many installs had it.
        package let unseenBefore: Int64
        /// The time 24 hours ago.
        package let lastDay: Int64

        package init(now: Int64) {
            unseenBefore = now - Int64(EvictionRule.unseenDays) * Calendar.dayMilliseconds
            lastDay = now - Calendar.dayMilliseconds
        }
    }

    /// Returns SQL for the number of installs of a leak or release, or of its days of use if its reports name no install. The
    /// collector's own clock gives the first day, because a sender could make up an early report.
    package static func installsSQL(_ row: String) -> String {
        """
        case \(row).installs when 0 then (\(row).last_seen - coalesce(\(row).made_at, \(row).first_seen)) / \(Calendar.dayMilliseconds)
          else \(row).installs end
        """
    }

    /// Returns the SQL condition that a leak `l` may be evicted.
    ///
    /// - Parameters:
    ///   - isOther: SQL for the condition that `l` is the leak that counts all others: ``LeakIdentity/isOverLimit``.
    ///   - unseenBefore: SQL for ``Times/unseenBefore``.
    package static func leakCondition(isOther: String, unseenBefore: String) -> String {
        """
        not (\(isOther)) and l.state = 0 and (\(installsSQL("l")) < \(minInstalls) or l.last_seen < \(unseenBefore))
          and not exists (select 1 from decision d where d.leak = l.id)
          and not exists (select 1 from leak_merge m where m.leak = l.id)
        """
    }

    /// Returns the SQL condition that a release `r` of an app `a` may be evicted. The bucket -1 of an hour stands for several
    /// installs. The lowest release with reports that may contradict a fix stays, because it shows that the leak has regressed.
    ///
    /// - Parameters:
    ///   - app: SQL for the row ID of the app: a parameter. With a column of the outer query, the database would run each subquery
    ///     once for each release.
    ///   - unseenBefore: SQL for ``Times/unseenBefore``.
    ///   - lastDay: SQL for ``Times/lastDay``.
    package static func releaseCondition(app: String, unseenBefore: String, lastDay: String) -> String {
        """
        r.version <> '\(StoreLimits.other)'
          and r.id <> coalesce(a.newest_release, 0) and r.id <> coalesce(a.pinned_release, 0)
          and (\(installsSQL("r")) < \(minInstalls) and r.sessions < \(minSessions) or r.last_seen < \(unseenBefore))
          and (r.last_seen < \(lastDay) or r.installs <= 1
            and r.id not in (select h.release from release_hour h where h.app = \(app) and h.bucket = -1))
          and r.id not in (select s.release from decision_release s)
          and r.version not in (select d.version from decision d join leak l on l.id = d.leak
            where l.app = \(app) and d.version is not null)
          and r.id not in (select k.release from (
            select (select c.release from leak_release c join release n on n.id = c.release
              where c.leak = l.id and c.reports > 0 and n.order_key >= d.fix_from
                and not exists (select 1 from decision_release s where s.decision = d.id and s.release = n.id)
              order by n.order_key limit 1) as release
            from leak l join decision d on d.id = l.state where l.app = \(app) and l.state <> 0) as k
            where k.release is not null)
        """
    }
}
