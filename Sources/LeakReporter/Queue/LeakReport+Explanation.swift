import LeakMessage

extension LeakReport {
    /// A report with only the fields that identify the leak and its explanation, without the fields of the sighting.
    var explanationOnly: LeakReport {
        var report = LeakReport()
        report.id = id
        report.at = at
        report.kind = kind
        report.className = className
        report.stack = stack
        report.children = children
        report.cycle = cycle
        report.message = message
        report.error = error
        report.fingerprint = fingerprint
        report.app = app
        report.explanation = explanation
        return report
    }
}
