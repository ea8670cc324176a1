internal import LeakStatistics

/// The result of a release check for GitHub Actions.
extension ReleaseCheckResult {
    /// Returns workflow commands: one notice, warning or error with the verdict, and an error for each leak or class that fails
    /// the version. Every line is a command, so that no name from outside can begin one.
    /// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
    ///
    /// - Parameter address: address of the collector, for links to the pages of leaks; `nil` for no links.
    public func workflowCommands(address: String?) -> String {
        let title = "Release check"
        switch verdict {
        case .passed:
            return Self.workflowCommand("notice", title: title, ([sentence] + notes).joined(separator: "\n"))
        case .cannotTell:
            return Self.workflowCommand("warning", title: title, ([sentence] + notes).joined(separator: "\n"))
        case .failed: break
        }
        var text = Self.workflowCommand("error", title: title, ([sentence] + notes).joined(separator: "\n"))
        for finding in failingFindings {
            var message = finding.evidence
            if !finding.path.isEmpty { message += "\n\(finding.path)" }
            if let address { message += "\n\(finding.pageAddress(address))" }
            let result =
                switch finding.result {
                case .worse: "Worse"
                case .new: "New"
                case .back, .better, .unchanged: "Back"
                }
            text += Self.workflowCommand(
                "error", title: TerminalText.text("\(result) in \(version): \(finding.title)"), message)
        }
        if let unlistedLeaksText {
            text += Self.workflowCommand("error", title: title, "and \(unlistedLeaksText)")
        }
        return text
    }

    private static func workflowCommand(_ name: String, title: String, _ message: String) -> String {
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
}
