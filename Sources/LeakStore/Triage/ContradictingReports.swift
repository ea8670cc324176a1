/// SQL for the reports that contradict a decision "resolved", because they show that the fix does not work.
///
/// The SQL refers to a row `d` of `decision`, `c` of `leak_release`, `r` of the release of `c`, and `s` of `decision_release`
/// (``joinSQL``).
package enum ContradictingReports {
    /// Joins the counts that `c` had when the decision was made, if it had any.
    package static let joinSQL = "left join decision_release s on s.decision = d.id and s.release = c.release"

    /// SQL for the condition that the fix of the decision is in a build of the release.
    private static let isSplitSQL =
        "(d.build_from is not null and substr(r.order_key, 1, length(d.fix_from)) = d.fix_from)"
    /// SQL that selects the builds of `c` that should have the fix, as `b`, with their counts of the leak, as `p`. Builds beyond a limit
    /// are counted together as `other`, which may be of any of them, so it counts too.
    private static let buildsSQL = """
        from build b join leak_build p on p.leak = c.leak and p.build = b.id
        where b.release = c.release and p.reports > 0 
          and (not \(isSplitSQL) or b.order_key >= d.build_from or b.name = '\(StoreLimits.other)')
        """

    /// SQL for the number of reports of `c` in builds that should have the fix. A report without a build, or with a build that
    /// has no number, may be of any build, so it does not count if the decision names a build of the version.
    package static let reportsSQL = """
        case when \(isSplitSQL) then (select cast(coalesce(sum(p.reports), 0) as bigint) \(buildsSQL)) else c.reports end
        """

    /// SQL for the oldest build of `c` with reports that contradict the decision, if `c` has any such reports; null if the
    /// build has no name. It is also null if several builds had reports, some of them when the decision was made, because the
    /// new reports may be of any of them.
    package static let buildSQL = """
        (select b.name \(buildsSQL) and b.name not in ('', '\(StoreLimits.other)')
          and (coalesce(s.reports, 0) = 0 or (select count(*) \(buildsSQL)) = 1)
          order by b.order_key limit 1)
        """

    private static let newReportsSQL = "(\(reportsSQL) - coalesce(s.reports, 0))"
    /// SQL that selects the reports of the day of the decision that were made in its hour or later, as `t`.
    private static let hoursClauseSQL = """
        from leak_hour t where t.leak = c.leak and t.release = c.release
          and t.hour between d.at / 3600000 and d.at / 86400000 * 24 + 23
        """

    /// Returns SQL for the number of reports of `c` that contradict the decision; 0 or less if none does.
    ///
    /// Reports of a release that was known when the decision was made may be of objects that leaked before the decision, and
    /// arrive late. So only reports count that were made in the hour of the decision or later, and had not arrived when the
    /// decision was made. The store knows the times of reports by hour, or by day once the hours have expired. If the hours
    /// have expired, the reports on the day of the decision are ignored. It does not know the times by build: if the decision
    /// names a build of the version, a late report of this build counts if another report of the version was made since.
    ///
    /// - Parameter smallest: the SQL function that returns the smallest of its parameters.
    package static func sql(smallest: String) -> String {
        """
        case when r.id <= d.known_release and \(newReportsSQL) > 0 then \(smallest)(\(newReportsSQL),
          (select coalesce(sum(t.reports), 0) from leak_day t
            where t.leak = c.leak and t.release = c.release and t.day > d.at / 86400000)
          + (select coalesce(sum(t.reports), 0) - \(smallest)(coalesce(sum(t.reports), 0), coalesce(s.hour_reports, 0))
            \(hoursClauseSQL)))
          else \(newReportsSQL) end
        """
    }

    /// Returns SQL for the column `hour_reports` of a new decision.
    ///
    /// - Parameter smallest: the SQL function that returns the smallest of its parameters.
    package static func hourReportsSQL(smallest: String) -> String {
        "\(smallest)(c.reports, (select coalesce(sum(t.reports), 0) \(hoursClauseSQL)))"
    }
}
