/// SQL for the reports that contradict a decision "resolved", because they show that the fix does not work.
///
/// The SQL refers to a row `d` of `decision`, `c` of `leak_release`, `r` of the release of `c`, and `s` of `decision_release`
/// (``joinSQL``).
///
/// Reports of a release that was known when the decision was made may be of objects that leaked before the decision, and
/// arrive late. So only reports count that were made in the hour of the decision or later, and had not arrived when the
/// decision was made. The store knows the times of reports by hour, or by day once the hours have expired. If the hours
/// have expired, the reports on the day of the decision are ignored. All reports of a release that was not known count.
///
/// If the decision names a build of the version, only reports of builds that should have the fix count. All reports of a build
/// that was first used after the decision count. The store does not know the times of reports by build, so a late report of a
/// build that was in use before counts if a report of another build in use was made since.
package enum ContradictingReports {
    /// Joins the counts that `c` had when the decision was made, if it had any.
    package static let joinSQL = "left join decision_release s on s.decision = d.id and s.release = c.release"

    /// SQL for the condition that the fix of the decision is in a build of the release.
    private static let isSplitSQL =
        "(d.build_from is not null and substr(r.order_key, 1, length(d.fix_from)) = d.fix_from)"
    /// SQL for the condition that a build `b` was first used after the decision. For decisions that were stored before the
    /// column existed, this is not known, and no build counts as such.
    private static let isNewBuildSQL = "coalesce(b.id > d.known_build, false)"
    /// SQL for the condition that a build `b` of `c` should have the fix. Builds beyond a limit are counted together as `other`,
    /// which may be any of them, so it counts too.
    private static let hasFixSQL =
        "(not \(isSplitSQL) or b.order_key >= d.build_from or b.name = '\(StoreLimits.other)')"
    /// SQL that selects the builds of `c` with reports, as `b`, and their counts, as `p`. The plus makes a database begin with
    /// the rows of the leak, because a release may have many builds without the leak.
    private static let buildsSQL = """
        from leak_build p join build b on b.id = p.build where p.leak = c.leak and +b.release = c.release and p.reports > 0
        """

    private static func sumSQL(where condition: String) -> String {
        "(select cast(coalesce(sum(p.reports), 0) as bigint) \(buildsSQL) and \(condition))"
    }

    /// SQL for the number of reports of `c` that its row of `decision_release` counts when the decision is made: those of the
    /// builds that should have the fix and are in use. A report without a build, or with a build that has no number, may be of
    /// any build, so it does not count if the decision names a build of the version.
    package static let reportsSQL = """
        case when \(isSplitSQL) then \(sumSQL(where: "\(hasFixSQL) and not \(isNewBuildSQL)")) else c.reports end
        """

    /// SQL for the number of reports of `c` in builds that were in use when the decision was made, but should not have the fix; 0
    /// if the decision names no build of the version.
    package static let reportsWithoutFixSQL = """
        case when \(isSplitSQL) then \(sumSQL(where: "not \(hasFixSQL) and not \(isNewBuildSQL)")) else 0 end
        """

    /// SQL for the number of reports of `c` in builds that should have the fix and were first used after the decision.
    private static let newBuildReportsSQL = sumSQL(where: "\(hasFixSQL) and \(isNewBuildSQL)")

    /// SQL for the number of reports of `c` that arrived since the decision, in all builds.
    private static let newReportsSQL = "(c.reports - coalesce(s.reports, 0))"

    /// SQL for the number of reports of `c` that arrived since the decision, in builds that should have the fix and were in use
    /// when the decision was made.
    private static let newReportsOfKnownBuildsSQL = """
        (\(reportsSQL) - coalesce(s.reports, 0) - case when \(isSplitSQL) then 0 else \(newBuildReportsSQL) end)
        """

    /// SQL that selects the reports of the day of the decision that were made in its hour or later, as `t`.
    private static let hoursClauseSQL = """
        from leak_hour t where t.leak = c.leak and t.release = c.release
          and t.hour between d.at / 3600000 and d.at / 86400000 * 24 + 23
        """

    /// SQL for the number of reports of `c` that were made since the decision, and had not arrived before.
    private static let reportsSinceSQL = """
        ((select coalesce(sum(t.reports), 0) from leak_day t
            where t.leak = c.leak and t.release = c.release and t.day > d.at / 86400000)
          + (select coalesce(sum(t.reports), 0) - least(coalesce(sum(t.reports), 0), coalesce(s.hour_reports, 0))
            \(hoursClauseSQL)))
        """

    /// SQL for the number of contradicting reports of `c` in builds that were in use when the decision was made; 0 or
    /// less if there are none. The reports of builds that were first used later are subtracted from those made since.
    private static let reportsOfKnownBuildsSQL = """
        case when r.id <= d.known_release and \(newReportsOfKnownBuildsSQL) > 0 then
          least(\(newReportsOfKnownBuildsSQL), \(reportsSinceSQL) - \(newBuildReportsSQL))
          else \(newReportsOfKnownBuildsSQL) end
        """

    /// SQL for the number of reports of `c` that contradict the decision if it names no build of the version; 0 or less
    /// if none does.
    private static let reportsOfVersionSQL = """
        case when r.id <= d.known_release and \(newReportsSQL) > 0 then
          least(\(newReportsSQL), \(reportsSinceSQL)) else \(newReportsSQL) end
        """

    /// SQL for the number of reports of `c` that contradict the decision; 0 or less if none does.
    package static let sql = """
        case when \(isSplitSQL) then
          \(newBuildReportsSQL) - least(0, -(\(reportsOfKnownBuildsSQL)))
          else \(reportsOfVersionSQL) end
        """

    /// SQL for the condition that `c` had reports of the leak when it was resolved, or that the builds in use then later
    /// got only reports that do not contradict the decision.
    package static let hadReportsSQL = """
        (s.reports > 0 or case when \(isSplitSQL) then \(reportsOfKnownBuildsSQL)
          else \(reportsOfVersionSQL) end <= 0)
        """

    /// Returns SQL for the condition that reports of a build may contradict the decision: the build was first used after the
    /// decision, or builds that were in use when the decision was made have reports that contradict it.
    ///
    /// - Parameter build: SQL for the row ID of a build of `c`.
    package static func mayContradictSQL(build: String) -> String {
        "(coalesce(\(build) > d.known_build, false) or \(reportsOfKnownBuildsSQL) > 0)"
    }

    /// Returns SQL for a value of the oldest build of `c` with reports that contradict the decision; null if there is none with a
    /// name. The limit makes a database compute the values of `known` once, and not for each build.
    private static func oldestBuildSQL(_ value: String) -> String {
        """
        (select \(value) from (
            select \(reportsOfKnownBuildsSQL) as reports, \(newReportsOfKnownBuildsSQL) as new_reports,
              (select count(*) \(buildsSQL) and \(hasFixSQL) and not \(isNewBuildSQL)) as builds limit 1) known
          cross join (
            select b.name, b.order_key, \(isNewBuildSQL) as is_new \(buildsSQL) and \(hasFixSQL)
              and b.name not in ('', '\(StoreLimits.other)')) found
          where found.is_new or known.reports > 0 order by found.order_key limit 1)
        """
    }

    /// SQL for the oldest build of `c` with reports that contradict the decision, if `c` has any such reports; null if the
    /// build has no name. It is also null if several builds were in use when the decision was made and have reports, some of
    /// them from before the decision, because the new reports may be of any of these builds.
    package static let buildSQL = oldestBuildSQL(
        """
        case when found.is_new or known.builds = 1
          or coalesce(s.reports, 0) = 0 and known.reports >= known.new_reports then found.name end
        """)

    /// SQL for the columns `rank`, `build_key` and `order_key` that order releases with contradicting reports, oldest first.
    /// Releases of one rank, such as 5.2 and 5.2.0, are ordered by their oldest build with such reports, if the decision names a
    /// build of the version.
    package static let orderColumnsSQL = """
        case when \(isSplitSQL) then 0 else 1 end as rank,
        case when \(isSplitSQL) then
          coalesce(\(oldestBuildSQL("found.order_key")), d.build_from) end as build_key, r.order_key
        """

    /// SQL for the column `hour_reports` of a new decision.
    package static let hourReportsSQL =
        "least(c.reports, (select coalesce(sum(t.reports), 0) \(hoursClauseSQL)))"
}
