import LeakCollector
import LeakPlatform
import LeakStore

/// `collector rules`: prints the grouping rules of an app, says what new rules would change, and saves them. May run while a
/// collector runs on the same database.
struct RulesCommand: Equatable {
    enum Action: Equatable {
        case show
        /// - Parameter file: `-` for standard input.
        case check(file: String)
        case set(file: String)
    }

    let action: Action
    let app: AppKey
    let flags: [Setting: String]

    func run() throws -> Program.ExitCode {
        let store = try Program.openStore(Program.readSettings(flags), isServer: false)
        switch action {
        case .show:
            guard let rules = try store.makeReader().rules(of: app.name, limit: 1).first else {
                Output.error("collector: \(TerminalText.text(app.name)) has no rules")
                return .done
            }
            Output.line(rules.text)
        case .check(let file):
            let preview = try RulesPreview(
                of: text(of: file), app: app, in: store, now: WallClock.milliseconds())
            for line in Self.lines(of: preview) { Output.line(line) }
        case .set(let file):
            let origin = ChangeOrigin.commandLine
            let outcome = try store.saveRules(
                AppRules.checked(text(of: file)), of: app.name, basedOn: nil, by: origin,
                now: WallClock.milliseconds())
            switch outcome {
            case .saved(let rules): Output.line("saved as version \(rules.version)")
            case .unchanged(let rules):
                Output.line("version \(rules.version) has the same text; nothing was changed")
            case .outdated, .unknownApp:
                Output.error("collector: there is no app \(TerminalText.text(app.name))")
                return .failed
            }
        }
        return .done
    }

    private func text(of file: String) throws -> String {
        var reader = try LineReader(file)
        var text = ""
        // A file that is much too long need not be read to its end.
        while text.utf8.count <= Import.maxLineBytes, let line = try reader.next() {
            text += String(decoding: line, as: UTF8.self) + "\n"
        }
        return text
    }

    /// Returns a line about all leaks, and for each group the leaks whose later reports would get it.
    private static func lines(of preview: RulesPreview) -> [String] {
        var lines = [
            "\(countText(preview.comparedLeaks, of: "leak")) of \(preview.allLeaks) compared; \(preview.unchangedLeaks) would keep their groups for later reports"
        ]
        for group in preview.groups {
            let place = group.line.map { "line \($0)" } ?? "no rule"
            lines.append(
                "\(TerminalText.text(group.title))\(group.reports == nil ? " (new)" : "") (\(place)):")
            for leak in group.leaks {
                let share =
                    leak.samples == 0
                    ? "" : ", \(leak.movedSamples) of \(countText(leak.samples, of: "sample"))"
                lines.append(
                    "  \(leak.row.identity.id)\t\(TerminalText.text(leak.row.identity.title))\t"
                        + "\(countText(leak.recentReports.week, of: "report")) in 7 days, \(leak.recentReports.month) in 30, "
                        + "\(countText(leak.row.installs, of: "install"))\(share)")
            }
        }
        return lines
    }
}
