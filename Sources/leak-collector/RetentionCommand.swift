import LeakCollector
import LeakStore

/// `collector retention`: prints what is deleted at which age, and what the next run deletes of each app. Changes nothing, and
/// may run while a collector runs on the same database.
struct RetentionCommand: Equatable {
    let flags: [Setting: String]

    func run() throws -> Program.ExitCode {
        let settings = try Program.readSettings(flags)
        for sentence in settings.retention.sentences { Output.line(sentence) }
        let reader = try Program.openStore(settings, isServer: false).makeReader()
        let apps = try reader.retentionCounts(by: settings.retention, now: WallClock.milliseconds())
        if apps.isEmpty { Output.line("there is nothing to delete") }
        for counts in apps {
            let texts = counts.descriptions.joined(separator: ", ").replacing("\u{A0}", with: " ")
            Output.line("\(TerminalText.text("\(counts.app)"))\t\(texts)")
        }
        return .done
    }
}
