import LeakCollector

/// The text of `collector --help`: every command in a line or two, all settings and the exit codes.
enum Usage {
    /// Maximum characters of a line that is wrapped here.
    static let width = 100

    static var text: String {
        """
        Collects memory-leak reports from your apps and groups them by class and retain path.

        usage:
          collector [COMMAND] [options] [settings]

        commands (collector COMMAND --help describes one, with examples):
        \(commands)
          collector --version
              print the version

        examples:
          collector serve --port 8080 --data ./data
          collector key create --name shop --app com.acme.shop
          collector check --app com.acme.shop --version 5.2.0

        settings, each by flag or by environment variable (the flag wins):
        \(settings)
        secrets are read from the environment only:
        \(secrets)
        Each of these variables names a file that holds the value instead:
        \(files)

        exit codes:
          0    done; serve: stopped by SIGTERM or SIGINT
          1    failed, standard error says why; check: the release leaks more
          2    wrong command line or setting
          3    the port or the database is in use; check: too few checks to tell
          4    inconsistent totals (verify, and backup, which keeps its copy); check: no answer
          143  serve: a second signal stopped it at once (128 + signal; 130 after SIGINT)
        serve waits at most 5 seconds for open requests. It ignores SIGHUP.

        """
    }

    private static var commands: String {
        HelpTopic.allCases.map { topic in
            topic.usage.map { "  \($0)\n" }.joined() + wrapped(topic.summary, indent: 6)
        }.joined(separator: "\n")
    }

    private static var settings: String {
        table(
            Setting.allCases.compactMap { setting in
                setting.flag.map { ("\($0) \(setting.variable)", setting) }
            })
    }

    private static var secrets: String {
        table(Setting.allCases.filter { $0.flag == nil }.map { ($0.variable, $0) })
    }

    private static var files: String {
        wrapped(Setting.allCases.compactMap(\.fileVariable).joined(separator: ", "), indent: 2)
    }

    private static func table(_ rows: [(String, Setting)]) -> String {
        rows.map { name, setting in
            "  \(name)\n\(wrapped(setting.meaning, indent: 6))\n      default: \(setting.defaultDescription)\n"
        }.joined()
    }

    /// Breaks a text between words into indented lines.
    static func wrapped(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(margin + word)
            }
        }
        return lines.joined(separator: "\n")
    }
}
