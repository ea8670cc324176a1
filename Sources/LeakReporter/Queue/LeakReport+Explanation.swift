import LeakMessage

extension LeakReport {
    /// What names the leak, and what keeps its object; nothing of the sighting.
    var withExplanationAlone: LeakReport {
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
