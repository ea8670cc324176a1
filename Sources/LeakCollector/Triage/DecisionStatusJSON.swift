internal import LeakMessage
internal import LeakPlatform
internal import LeakStatistics
internal import LeakStore

extension JSONWriter {
    /// Writes the decision and its effect; `null` if there is no decision.
    mutating func field(_ name: String, _ decisionStatus: DecisionStatus?) {
        guard let decisionStatus else { return nullField(name) }
        object(name) { writer in
            writer.fields(of: decisionStatus.decision)
            writer.field("reports_since", decisionStatus.reportsSince)
            writer.field("back_in", decisionStatus.regressedIn)
            writer.field("back_in_build", decisionStatus.regressedInBuild)
        }
    }

    /// Writes the evidence for the fix of a resolved leak; `null` for other leaks.
    mutating func field(_ name: String, _ fix: FixStatus?) {
        guard let fix else { return nullField(name) }
        object(name) { writer in
            let progress = fix.progress
            writer.field("stage", progress.stage.rawValue)
            writer.field("version", fix.version)
            writer.field("build", fix.build)
            if progress.before.trials > 0 {
                writer.field("before", reports: progress.before.events, checks: progress.before.trials)
            } else {
                writer.nullField("before")
            }
            writer.field("since", reports: progress.reportsSince, checks: progress.checksSince)
            writer.field("checks_needed", progress.neededChecks)
            writer.field("few_devices", progress.hasFewDevices)
            writer.field("rate_below", progress.since.trials > 0 ? progress.upperBound : nil)
            writer.array("steps") { array in
                for step in fix.steps {
                    array.object {
                        $0.field("version", step.version)
                        $0.field("build", step.build)
                        $0.field("stage", step.progress.stage.rawValue)
                        $0.time("first_use", step.firstUse)
                        if let seenAgainDay = step.seenAgainDay {
                            $0.time("seen_again", Int64(seenAgainDay) * CivilDate.dayMilliseconds)
                        } else {
                            $0.nullField("seen_again")
                        }
                        $0.field(
                            "since", reports: step.progress.reportsSince, checks: step.progress.checksSince)
                    }
                }
            }
        }
    }

    private mutating func field(_ name: String, reports: Int, checks: Int) {
        object(name) { writer in
            writer.field("reports", reports)
            writer.field("checks", checks)
        }
    }

    /// Writes all fields of a decision. Fields that do not belong to its action are `null`.
    mutating func fields(of decision: PastDecision) {
        var version: String?
        var build: String?
        var isAfter: Bool?
        var until: Int64?
        var reports: Int?
        switch decision.action {
        case .resolved(let fix, let fixBuild, let after): (version, build, isAfter) = (fix, fixBuild, after)
        case .ignored(.until(let end)): until = end
        case .ignored(.nextReports(let count)): reports = count
        case .ignored(nil), .reopened, .noted: break
        }
        field("action", decision.action.name)
        field("version", version)
        field("build", build)
        field("is_after", isAfter)
        if let until { time("until", until) } else { nullField("until") }
        field("reports_limit", reports)
        field("note", decision.note)
        field("by", decision.by)
        time("at", decision.at)
    }
}

extension PastDecision.Action {
    /// The name of the action in requests, see ``DecisionFields/action``.
    fileprivate var name: String {
        switch self {
        case .resolved: "resolve"
        case .ignored: "ignore"
        case .reopened: "reopen"
        case .noted: "note"
        }
    }
}
