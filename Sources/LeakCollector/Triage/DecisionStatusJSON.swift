internal import LeakMessage
internal import LeakStore

extension JSONWriter {
    /// `null` where nothing was decided.
    mutating func field(_ name: String, _ standing: DecisionStatus?) {
        guard let standing else { return nullField(name) }
        object(name) { writer in
            writer.fields(of: standing.decision)
            writer.field("reports_since", standing.reportsSince)
            writer.field("back_in", standing.regressedIn)
        }
    }

    /// Every field, whatever was decided: what does not belong to the action is `null`.
    mutating func fields(of decision: PastDecision) {
        var version: String?
        var isAfter: Bool?
        var until: Int64?
        var reports: Int?
        switch decision.action {
        case .resolved(let fix, let after): (version, isAfter) = (fix, after)
        case .ignored(.date(let end)): until = end
        case .ignored(.reports(let count)): reports = count
        case .ignored(nil), .reopened, .noted: break
        }
        field("action", decision.action.name)
        field("version", version)
        field("is_after", isAfter)
        if let until { time("until", until) } else { nullField("until") }
        field("reports_limit", reports)
        field("note", decision.note)
        field("by", decision.by)
        time("at", decision.at)
    }
}

extension PastDecision.Action {
    /// As ``DecisionFields/action`` has it.
    fileprivate var name: String {
        switch self {
        case .resolved: "resolve"
        case .ignored: "ignore"
        case .reopened: "reopen"
        case .noted: "note"
        }
    }
}
