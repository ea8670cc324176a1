internal import LeakMessage
internal import LeakStore

extension JSONWriter {
    mutating func fields(of check: ReleaseCheck) {
        field("app", check.app)
        field("version", check.version)
        field("baseline", check.baseline)
        field("passes", check.passes)
        field("new_count", check.newCount)
        field("regressed_count", check.regressedCount)
        field("set_aside", check.setAside)
        field("leaks", check.leaks)
        field("reports", check.reports)
        array("new") { writer in
            for row in check.new { writer.object { $0.fields(of: row) } }
        }
        array("regressed") { writer in
            for row in check.regressed { writer.object { $0.fields(of: row) } }
        }
    }
}
