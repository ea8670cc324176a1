internal import LeakMessage

/// Findings in words, for people at a desk.
enum FindingText {
    static func line(_ report: LeakReport) -> String {
        let name = report.className ?? "An object"
        let after = report.waitedMilliseconds.map { " \(seconds($0)) after it should have gone" } ?? ""
        let reason = report.reason.map { " (\($0))" } ?? ""
        let path = report.stack.count > 1 ? ": " + report.stack.joined(separator: " → ") : ""
        return "\(name) is still in memory\(after)\(reason)\(path)\(place(report))"
    }

    /// Where it was said that the object should go.
    static func place(_ report: LeakReport) -> String {
        var (file, line) = ("", 0)
        for key in report.keys {
            if key.name == "file", case .string(let text) = key.value { file = text }
            if key.name == "line", case .number(let number) = key.value { line = Int(number) }
        }
        return file.isEmpty ? "" : ", expected at \(file):\(line)"
    }

    /// Why an object is still in memory, and what to write instead; `nil` if nothing was found.
    static func explanation(_ report: LeakReport, _ explanation: RetainExplanation) -> String? {
        guard let summary = explanation.summary else { return nil }
        let advice = explanation.advice.map { "\n\($0)" } ?? ""
        return "\(report.className ?? "An object") is \(summary)\(advice)"
    }

    static func end(_ report: LeakReport, isInUse: Bool) -> String {
        let name = report.className ?? "An object"
        let lived = seconds(report.livedMilliseconds ?? 0)
        return isInUse ? "\(name) is in use again after \(lived)" : "\(name) was freed after \(lived)"
    }

    /// `2.3 s`, rounded down to tenths.
    static func seconds(_ milliseconds: Int) -> String {
        "\(milliseconds / 1000).\(milliseconds / 100 % 10) s"
    }
}
