internal import LeakMessage
internal import LeakStatistics
internal import LeakStore

/// The result of a release check as a Code Quality report of GitLab, which the widget of a merge request shows.
/// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
extension ReleaseCheckResult {
    /// Returns the report as JSON.
    ///
    /// - Parameter address: address of the collector, for links to the pages of leaks; `nil` for no links.
    public func codeQuality(address: String?) -> String {
        var writer = JSONWriter()
        writer.array { writer in
            for finding in failingFindings {
                var text = "\(finding.title) is \(finding.result.rawValue): \(finding.evidence)"
                if let address { text += ". \(finding.pageAddress(address))" }
                writer.object {
                    $0.writeIssue(
                        text, name: "leak-\(finding.result.rawValue)", fingerprint: finding.id,
                        severity: "major",
                        path: finding.className ?? finding.title)
                }
            }
            if verdict == .cannotTell {
                writer.object {
                    $0.writeIssue(
                        sentence, name: "leak-check",
                        fingerprint: "cannot-tell-\(AppKey(app, environment: environment))-\(version)",
                        severity: "info",
                        path: app)
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
}

extension JSONWriter {
    /// - Parameter path: the file that the format requires. Leaks have no file, so this is the class.
    fileprivate mutating func writeIssue(
        _ description: String, name: String, fingerprint: String, severity: String, path: String
    ) {
        field("description", description)
        field("check_name", name)
        field("fingerprint", fingerprint)
        field("severity", severity)
        object("location") { writer in
            writer.field("path", TerminalText.text(path))
            writer.object("lines") { $0.field("begin", 1) }
        }
    }
}
