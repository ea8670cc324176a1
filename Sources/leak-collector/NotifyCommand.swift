import LeakCollector
import LeakStore

/// `collector notify`: sends a test message to each notification channel.
struct NotifyCommand: Equatable {
    let flags: [Setting: String]

    func run() throws -> Program.ExitCode {
        let settings = try Program.readSettings(flags)
        let areAccepted = try settings.sendTestMessages(now: WallClock.milliseconds()) {
            Output.line(TerminalText.text($0))
        }
        return areAccepted ? .done : .failed
    }
}
