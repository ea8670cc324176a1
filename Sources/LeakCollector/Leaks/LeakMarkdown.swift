internal import LeakPlatform
internal import LeakMessage
import LeakStore

/// A leak as Markdown, to be pasted into a ticket.
struct LeakMarkdown {
    let detail: LeakDetail
    /// Of the leak's page.
    let address: String

    /// Systems and models that are named.
    private static let valuesShown = 5

    var text: String {
        let row = detail.row
        var lines = ["## \(Self.escaped(row.identity.title))", ""]
        lines.append("- **App:** \(Self.escaped(row.identity.app))")
        lines.append("- **State:** \(state)")
        let reports = "\(row.reports) \(row.reports == 1 ? "report" : "reports")"
        let installs =
            row.installs == 0 ? "" : " from \(row.installs) \(row.installs == 1 ? "install" : "installs")"
        lines.append("- **Seen:** \(reports)\(installs), \(day(row.firstSeen)) to \(day(row.lastSeen))")
        lines.append("- **Versions:** \(versions)")
        if let systems = list(detail.systems) { lines.append("- **Systems:** \(systems)") }
        if let models = list(detail.models) { lines.append("- **Models:** \(models)") }
        lines += section("Path", path) + section(keeperTitle, keeper)
        lines += ["", "[Open this leak](\(address))", ""]
        return lines.joined(separator: "\n")
    }

    private var leak: LeakIdentity { detail.row.identity }

    private var state: String {
        let row = detail.row
        switch row.state {
        case .known: return "known system leak"
        case .slow: return "slow release: freed later in most reports"
        case .regressed: return "regressed" + (row.standing?.backIn.map { " in \(Self.escaped($0))" } ?? "")
        case .resolved: return "resolved"
        case .ignored: return "ignored"
        case .open: return row.isNew ? "new in \(Self.escaped(row.firstVersion))" : "open"
        }
    }

    private var versions: String {
        let (first, last) = (detail.row.firstVersion, detail.row.lastVersion)
        return first == last ? Self.escaped(first) : "\(Self.escaped(first)) to \(Self.escaped(last))"
    }

    private func list(_ values: [LeakDetail.ValueCount]) -> String? {
        guard !values.isEmpty else { return nil }
        let named = values.prefix(Self.valuesShown).map { "\(Self.escaped($0.value)) (\($0.reports))" }
        let others = values.count > Self.valuesShown ? ", and others" : ""
        return named.joined(separator: ", ") + others
    }

    private var path: [String] {
        if let calls = CallStack.titles(of: leak.stack) { return calls }
        return leak.stack.isEmpty ? [] : [leak.stack.joined(separator: " › ")]
    }

    /// The most frequent path of references, or the cycle that reports named.
    private var keeper: [String] {
        if let variant = LeakReasons(detail).variants.first { return [variant.path.description] }
        return leak.cycle.isEmpty
            ? [] : [CycleShape.path(leak.cycle, of: leak.className).joined(separator: " → ")]
    }

    private var keeperTitle: String {
        guard let variant = LeakReasons(detail).variants.first else { return "What keeps it" }
        return variant.provenCount > 0 ? "What keeps it" : "What keeps it (suspected)"
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["", "\(title):", ""] + Self.block(lines)
    }

    private func day(_ milliseconds: Int64) -> String { CivilDate(milliseconds: milliseconds).text }

    /// A code block: in it nothing has a meaning but a line of as many backticks as begin it.
    static func block(_ lines: [String]) -> [String] {
        let lines = lines.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
        var longest = 0
        for line in lines {
            var run = 0
            for character in line {
                run = character == "`" ? run + 1 : 0
                longest = max(longest, run)
            }
        }
        let fence = String(repeating: "`", count: max(3, longest + 1))
        return [fence] + lines + [fence]
    }

    /// A text of reports as it is, whatever Markdown would make of it. In any flavour a backslash takes the meaning from
    /// punctuation: https://spec.commonmark.org/0.31.2/#backslash-escapes
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if character.isNewline {
                escaped.append(" ")
            } else {
                if character.isASCII, "\\`*_{}[]<>()#+-!|~&@:".contains(character) { escaped.append("\\") }
                escaped.append(character)
            }
        }
        return escaped
    }
}
