import LeakCollector
import LeakPlatform
import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// `collector regroup`: merges leaks of older grouping rules into the leaks to which the current rules assign their
/// reports.
struct RegroupCommand {
    private let settings: Settings
    private let app: String?
    private let isDryRun: Bool

    init(settings: Settings, app: String?, isDryRun: Bool) {
        self.settings = settings
        self.app = app
        self.isDryRun = isDryRun
    }

    func run() throws {
        let store = try Program.openStore(settings, isServer: false)
        let plans = try RegroupPlanner(store: store, now: WallClock.milliseconds()).plans(app: app)
        for plan in plans { for line in RegroupSummary.lines(plan) { Output.line(TerminalText.text(line)) } }
        let groups = plans.flatMap(\.groups)
        let plannedCount = groups.reduce(0) { $0 + $1.parts.count }
        guard plannedCount > 0 else {
            return Output.line(
                "nothing to merge: the reports of every leak belong to it by the current rules")
        }
        guard !isDryRun else {
            return Output.line(
                "nothing was changed; to merge these leaks, run collector regroup without --dry-run. A merge cannot be undone: "
                    + "make a backup first")
        }
        let isTerminal = isatty(2) == 1
        var (mergedCount, targetCount) = (0, 0)
        for group in groups {
            let mergedInGroup = try RegroupPlanner.merge(group, in: store, now: WallClock.milliseconds())
            mergedCount += mergedInGroup
            if mergedInGroup > 0 { targetCount += 1 }
            if isTerminal {
                let planned = countText(plannedCount, of: "leak")
                Output.error("\(mergedCount) of \(planned) merged", overwrites: true)
            }
        }
        if isTerminal { Output.error("", overwrites: true) }
        for line in RegroupSummary.outcome(merged: mergedCount, into: targetCount, planned: plannedCount) {
            Output.line(line)
        }
    }
}
