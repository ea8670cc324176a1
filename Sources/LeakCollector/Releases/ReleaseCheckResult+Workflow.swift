/// A check's result for GitHub Actions.
extension ReleaseCheckResult {
    /// Returns workflow commands: an error for each leak, or one notice that the version passes. Every line is a
    /// command, so that no name from outside can begin one.
    /// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
    ///
    /// - Parameter address: address of the collector, for links to the pages of leaks; `nil` for no links.
    public func workflowCommands(address: String?) -> String {
        guard !passes else { return Self.command("notice", title: "Leak check", sentence) }
        var text = Self.command("error", title: "Leak check", sentence)
        for (word, leak) in listed {
            var message =
                "\(Self.number(leak.reports, "report")) of \(Self.number(leak.installs, "install"))"
            if !leak.path.isEmpty { message += ", \(Self.path(leak))" }
            if let address { message += "\n\(Self.page(leak, address))" }
            let title = "\(word == "new" ? "New" : "Regressed") leak in \(version): \(leak.title)"
            text += Self.command("error", title: TerminalText.text(title), message)
        }
        if let unlisted { text += Self.command("error", title: "Leak check", "and \(unlisted)") }
        return text
    }

    private static func command(_ name: String, title: String, _ message: String) -> String {
        "::\(name) title=\(escaped(title, isProperty: true))::\(escaped(message, isProperty: false))\n"
    }

    /// Returns a text escaped as the runner unescapes it:
    /// https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
    private static func escaped(_ text: String, isProperty: Bool) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": escaped += "%25".unicodeScalars
            case "\r": escaped += "%0D".unicodeScalars
            case "\n": escaped += "%0A".unicodeScalars
            case ":" where isProperty: escaped += "%3A".unicodeScalars
            case "," where isProperty: escaped += "%2C".unicodeScalars
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// Maximum bytes of a step summary. GitHub shows no summary that is larger than a mebibyte.
    private static let summaryBytes = 1_000_000

    /// Returns the result as Markdown, for the file that `GITHUB_STEP_SUMMARY` names.
    public func stepSummary(address: String?) -> String {
        var text = "### Leak check: \(passes ? "passed" : "failed")\n\n\(Self.markdown(sentence))\n\n"
        guard !passes else { return text }
        text += "| | Class | Path | Reports | Installs |\n|---|---|---|--:|--:|\n"
        var left = listed.count
        for (word, leak) in listed {
            let title = Self.markdown(TerminalText.text(leak.title))
            let name = address.map { "[\(title)](\(Self.page(leak, $0)))" } ?? title
            let row =
                "| \(word) | \(name) | \(Self.markdown(Self.path(leak))) | \(leak.reports) | \(leak.installs) |\n"
            guard text.utf8.count + row.utf8.count < Self.summaryBytes else { break }
            text += row
            left -= 1
        }
        if left > 0 { text += "\nand \(Self.number(left, "more leak")) in the log\n" }
        if let unlisted { text += "\nand \(unlisted)\n" }
        return text + "\n"
    }

    /// Returns a text in which a backslash before each ASCII punctuation character keeps it from being markup:
    /// https://spec.commonmark.org/0.31.2/#backslash-escapes
    private static func markdown(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: escaped.append("\\")
            default: break
            }
            escaped.append(scalar)
        }
        return String(escaped)
    }
}
