import LeakCollector
import LeakPlatform
import LeakStore

/// `collector merge` and `collector unmerge`: merges a leak into another leak by hand, and undoes it. May run while a collector
/// runs on the same database.
struct MergeCommand: Equatable {
    enum Action: Equatable {
        case merge(LeakID, into: LeakID, isDryRun: Bool)
        case undo(Int64)
    }

    let action: Action
    let flags: [Setting: String]

    func run() throws -> Program.ExitCode {
        let store = try Program.openStore(Program.readSettings(flags), isServer: false)
        let reader = try store.makeReader()
        let (origin, now) = (ChangeOrigin.commandLine, WallClock.milliseconds())
        switch action {
        case .merge(let source, let target, let isDryRun):
            guard let preview = try MergePreview(source, into: target, from: reader, now: now) else {
                Output.error("collector: there is no leak \(source)")
                return .failed
            }
            let into = preview.target.identity.id
            Output.line("to merge: \(Self.text(preview.source)), into \(Self.text(preview.target))")
            guard !isDryRun else {
                Output.line("nothing was changed; to merge the leaks, run the command without --dry-run")
                return .done
            }
            let entry = MergePreview.auditEntry(source, into: into, by: origin, at: now)
            guard
                let merge = try store.mergeByHand(
                    source, into: into, by: origin.actor, audit: entry, now: now)
            else {
                Output.error("collector: there is no leak \(source)")
                return .failed
            }
            Output.line("merged; to undo it, run collector unmerge \(merge.number)")
        case .undo(let number):
            guard let merge = try reader.manualMerge(number),
                let undone = try store.undoMerge(
                    number, by: origin.actor, audit: merge.undoEntry(by: origin, at: now), now: now)
            else {
                Output.error("collector: \(ManualMerge.missingText(number))")
                return .failed
            }
            Output.line(
                undone.reports > 0
                    ? "the leak \(undone.merge.source) has \(countText(undone.reports, of: "report")) again"
                    : "undone; all counts of the leak \(undone.merge.source) were deleted before")
        }
        return .done
    }

    private static func text(_ leak: LeakRow) -> String {
        "\(leak.identity.id) (\(TerminalText.text(leak.identity.title)), \(countText(leak.reports, of: "report")))"
    }
}
