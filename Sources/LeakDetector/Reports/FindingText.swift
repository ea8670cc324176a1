internal import LeakMessage

/// The texts of findings, for developers.
enum FindingText {
    /// Returns one line about a leak: class, time since the object should have been freed, reason, path and source
    /// location.
    static func line(_ report: LeakReport) -> String {
        let name = report.className ?? "An object"
        let after = report.waitedMilliseconds.map { " \(seconds($0)) after it should have been freed" } ?? ""
        let reason = report.reason.map { " (\($0))" } ?? ""
        let path = report.stack.count > 1 ? ": " + report.stack.joined(separator: " → ") : ""
        return "\(name) is still in memory\(after)\(reason)\(path)\(sourceLocation(of: report))"
    }

    /// Returns the source location of the call that expected the object, as `, expected at Cart.swift:12`; empty if there is none.
    static func sourceLocation(of report: LeakReport) -> String {
        var (file, line) = ("", 0)
        for key in report.keys {
            if key.name == "file", case .string(let text) = key.value { file = text }
            if key.name == "line", case .number(let number) = key.value { line = Int(number) }
        }
        return file.isEmpty ? "" : ", expected at \(file):\(line)"
    }

    /// Returns the reason why an object is still in memory, and the explainer's advice on the next line if there is any; `nil` if
    /// nothing was found.
    static func explanation(
        _ report: LeakReport, _ explanation: RetainExplanation, advice: String?
    ) -> String? {
        guard let summary = explanation.summary else { return nil }
        return "\(report.className ?? "An object") is \(summary)\(advice.map { "\n\($0)" } ?? "")"
    }

    /// Returns one line about the end of an object: it was freed, or is in use again.
    static func endLine(about report: LeakReport, isInUse: Bool) -> String {
        let name = report.className ?? "An object"
        let lived = seconds(report.livedMilliseconds ?? 0)
        return isInUse ? "\(name) is in use again after \(lived)" : "\(name) was freed after \(lived)"
    }

    /// Formats a time as `2.3 s`, rounded down to tenths.
    static func seconds(_ milliseconds: Int) -> String {
        "\(milliseconds / 1000).\(milliseconds / 100 % 10) s"
    }
}
