internal import LeakStatistics

/// The result of a release check as Markdown, for a comment on a pull request or the summary of a step.
extension ReleaseCheckResult {
    /// Maximum bytes of the Markdown. GitHub shows no step summary larger than a mebibyte, and no comment above 65,536
    /// characters.
    private static let maxMarkdownBytes = 60_000

    /// Returns the result as Markdown.
    ///
    /// - Parameter address: address of the collector, for links to the pages of leaks; `nil` for no links.
    public func markdown(address: String?) -> String {
        let verdictText =
            switch verdict {
            case .passed: "passed"
            case .failed: "failed"
            case .cannotTell: "cannot tell yet"
            }
        var text = "### Release check: \(verdictText)\n\n\(Self.markdown(sentence))\n"
        for note in notes { text += "\n\(Self.markdown(note))\n" }
        let findings = findings
        guard !findings.isEmpty else { return text }
        text += "\n| | Leak | Rate | Before | Reports | Installs |\n|---|---|--:|--:|--:|--:|\n"
        var unlistedCount = findings.count
        for finding in findings {
            let title = Self.markdown(finding.title)
            let name = address.map { "[\(title)](\(finding.pageAddress($0)))" } ?? title
            let path = finding.path.isEmpty ? "" : "<br>\(Self.markdown(finding.path))"
            let rates = [finding.version, finding.baseline].map { counts in
                Self.rate(counts).map { "\($0.share) of \(Count(counts.checks))" } ?? ""
            }
            let row =
                "| \(finding.result.rawValue) | \(name)\(path) | \(rates[0]) | \(rates[1]) | \(Count(finding.reports)) "
                + "| \(finding.installs.map { "\(Count(installs: $0))" } ?? "") |\n"
            guard text.utf8.count + row.utf8.count < Self.maxMarkdownBytes else { break }
            text += row
            unlistedCount -= 1
        }
        if unlistedCount > 0 { text += "\nand \(Self.countText(unlistedCount, of: "more leak"))\n" }
        if let unlistedLeaksText { text += "\nand \(unlistedLeaksText)\n" }
        return text
    }

    /// Returns a text in which a backslash before each ASCII punctuation character keeps it from being markup:
    /// https://spec.commonmark.org/0.31.2/#backslash-escapes
    ///
    /// GitHub and GitLab look for `@name` in the finished text, and would notify that person. An empty comment separates
    /// the `@` from the name.
    private static func markdown(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: escaped.append("\\")
            default: break
            }
            escaped.append(scalar)
            if scalar == "@" { escaped += "<!-- -->".unicodeScalars }
        }
        return String(escaped)
    }
}
