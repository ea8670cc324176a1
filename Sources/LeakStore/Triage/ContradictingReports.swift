/// SQL for the reports that contradict a decision that resolved a leak.
///
/// It refers to a row `d` of `decision`, `c` of `leak_release`, `r` of the release of `c`, and `s` of `decision_release`
/// (``join``).
package enum ContradictingReports {
    /// Joins the counts that `c` had when the decision was made, if it had any.
    package static let join = "left join decision_release s on s.decision = d.id and s.release = c.release"

    private static let newReports = "(c.reports - coalesce(s.reports, 0))"
    /// Selects the reports of the day of the decision that were made since its hour, as `t`.
    private static let hours = """
        from leak_hour t where t.leak = c.leak and t.release = c.release
          and t.hour between d.at / 3600000 and d.at / 86400000 * 24 + 23
        """

    /// Returns SQL for the number of reports of `c` that contradict the decision; 0 or less if none does.
    ///
    /// Reports of a release that was known when the decision was made may be of objects that leaked before it, and arrive late. So
    /// only those count that were made since the hour of the decision and had not arrived yet when it was made. The store knows the
    /// times of reports by hour, or by day once the hours have expired. Then the reports on the day of the decision are ignored.
    ///
    /// - Parameter smallest: the SQL function that returns the smallest of its parameters.
    package static func sql(smallest: String) -> String {
        """
        case when r.id <= d.known_release and \(newReports) > 0 then \(smallest)(\(newReports),
          (select coalesce(sum(t.reports), 0) from leak_day t
            where t.leak = c.leak and t.release = c.release and t.day > d.at / 86400000)
          + (select coalesce(sum(t.reports), 0) - \(smallest)(coalesce(sum(t.reports), 0), coalesce(s.hour_reports, 0))
            \(hours)))
          else \(newReports) end
        """
    }

    /// Returns SQL for the column `hour_reports` of a new decision.
    ///
    /// - Parameter smallest: the SQL function that returns the smallest of its parameters.
    package static func hourReports(smallest: String) -> String {
        "\(smallest)(c.reports, (select coalesce(sum(t.reports), 0) \(hours)))"
    }
}
