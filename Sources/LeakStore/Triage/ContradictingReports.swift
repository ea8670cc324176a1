/// SQL for the reports that contradict a decision that resolved a leak.
package enum ContradictingReports {
    /// Returns SQL for the number of reports that contradict a decision `d`, of a leak in a release `r` that should have the fix; 0 or
    /// less if none does.
    ///
    /// Reports of a release that was known when the decision was made may be of objects that leaked before it, and arrive late. So
    /// only those count that were made since the hour of the decision. The store knows the times of reports by hour, or by day once
    /// the hours have expired.
    ///
    /// - Parameters:
    ///   - reports: SQL for the reports of the leak in the release that were not there when the decision was made.
    ///   - leak: SQL for the row of the leak.
    ///   - smallest: the SQL function that returns the smallest of its parameters.
    package static func sql(_ reports: String, ofLeak leak: String, smallest: String) -> String {
        let hoursOfDay = "between d.at / 86400000 * 24 and d.at / 86400000 * 24 + 23"
        func sum(_ table: String, _ condition: String) -> String {
            """
            (select coalesce(sum(t.reports), 0) from \(table) t
              where t.leak = \(leak) and t.release = r.id and \(condition))
            """
        }
        return """
            case when r.id <= d.known_release and \(reports) > 0 then \(smallest)(\(reports),
              \(sum("leak_day", "t.day > d.at / 86400000"))
              + case when exists (select 1 from leak_hour t where t.leak = \(leak) and t.hour \(hoursOfDay))
                then \(sum("leak_hour", "t.hour \(hoursOfDay) and t.hour >= d.at / 3600000"))
                else \(sum("leak_day", "t.day = d.at / 86400000")) end)
              else \(reports) end
            """
    }
}
