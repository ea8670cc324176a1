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

    /// Why an object is still in memory; `nil` if nothing was found.
    static func explanation(_ report: LeakReport, _ explanation: RetainExplanation) -> String? {
        let name = report.className ?? "An object"
        let others = explanation.unexplainedReferences
        var text: String
        if let path = explanation.path {
            let probably = explanation.confidence == .proven ? "" : "probably "
            text = "\(name) is \(probably)kept by \(path.isCycle ? "a cycle: " : "")\(path)"
            if !explanation.furtherCycles.isEmpty {
                text += explanation.furtherCycles.map { "; and by a cycle: \($0)" }.joined()
            }
            if path.isCycle, others > 0 {
                text += "; \(count(others, "other reference")) could not be explained"
            }
        } else if others > 0 {
            text = "\(name) is kept by \(count(others, "reference")) in memory that cannot be read"
        } else {
            return nil
        }
        if let cost = explanation.cost {
            let atLeast = cost.isAtLeast ? "at least " : ""
            text +=
                "; with it \(atLeast)\(size(cost.bytes)) in \(count(cost.objects, "object")) would be freed"
        }
        return text
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// `512 bytes`, `14.2 KB`, `3.1 MB`, rounded down to tenths.
    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1_000: return count(bytes, "byte")
        case ..<1_000_000: return "\(bytes / 1_000).\(bytes / 100 % 10) KB"
        default: return "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
        }
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
