import LeakCollector
import LeakStore

/// `collector forget --list-discarded` and `--accept`: lists discarded leaks, and accepts their reports again. May run while a
/// collector runs on the same database.
struct DiscardedCommand: Equatable {
    enum Action: Equatable {
        case list(AppScope)
        case accept(LeakID)
    }

    let action: Action
    let flags: [Setting: String]

    func run() throws -> Program.ExitCode {
        let store = try Program.openStore(Program.readSettings(flags), isServer: false)
        switch action {
        case .list(let scope):
            let leaks = try store.makeReader().discardedLeaks(app: scope)
            if leaks.isEmpty { Output.line("no leak is discarded") }
            for leak in leaks {
                Output.line(
                    "\(leak.id)\t\(TerminalText.text("\(leak.app)"))\t\(leak.dropped) dropped\tdiscarded \(WallClock.day(leak.at)) by "
                        + "\(TerminalText.text(leak.by))\t\(TerminalText.text(leak.title))")
            }
        case .accept(let id):
            let entry = AuditEntry(
                .acceptAgain, of: "leak \(id)", by: .commandLine, at: WallClock.milliseconds())
            guard try store.accept(id, audit: entry) else {
                Output.error("collector: the leak \(id) is not discarded")
                return .failed
            }
            Output.line("reports of the leak \(id) are counted again")
        }
        return .done
    }
}
