/// SQL for the reports that contradict a decision "resolved", because they show that the fix does not work.
///
/// The SQL refers to a row `d` of `decision`, `c` of `leak_release`, `r` of the release of `c`, and `s` of `decision_release`
/// (``joinSQL``).
package enum ContradictingReports {
    /// Joins the counts that `c` had when the decision was made, if it had any.
    package static let joinSQL = "left join decision_release s on s.decision = d.id and s.release = c.release"

    private static let newReportsSQL = "(c.reports - coalesce(s.reports, 0))"
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
    /// have expired, the reports on the day of the decision are ignored.
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
