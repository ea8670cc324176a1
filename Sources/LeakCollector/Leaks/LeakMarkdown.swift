internal import LeakPlatform
internal import LeakGrammar
internal import LeakMessage
internal import LeakStatistics
import LeakStore

/// A leak as Markdown, to be pasted into a ticket.
struct LeakMarkdown {
    let detail: LeakDetail
    /// Address of the leak's page.
    let address: String

    /// Maximum number of OS versions that are listed. The same number of device models is listed.
    private static let maxListedValues = 5

    var text: String {
        let row = detail.row
        var lines = ["## \(Self.codeSpan(row.identity.title))", ""]
        lines.append("- **App:** \(Self.codeSpan(row.identity.appKey.description))")
        lines.append("- **State:** \(state)")
        let reports = "\(row.reports) \(row.reports == 1 ? "report" : "reports")"
        let installs =
            row.installs == 0
            ? "" : " from \(Count(installs: row.installs)) \(row.installs == 1 ? "install" : "installs")"
        lines.append("- **Seen:** \(reports)\(installs), \(day(row.firstSeen)) to \(day(row.lastSeen))")
        lines.append("- **Versions:** \(versions)")
        if let systems = listText(of: detail.systems) { lines.append("- **OS versions:** \(systems)") }
        if let models = listText(of: detail.models) { lines.append("- **Device models:** \(models)") }
        lines += section("Path", path) + retainPath
        lines += ["", "[Open this leak](\(address))", ""]
        return lines.joined(separator: "\n")
    }

    private var leak: LeakIdentity { detail.row.identity }

    private var state: String {
        let row = detail.row
        switch row.state {
        case .known: return "known system leak"
        case .slow: return "freed late: in most reports, the object was freed after all"
        case .regressed, .resolved:
            let fix = FixStatusText(row: row)
            let numbers = fix?.numbers.map { ": " + $0.replacing("\u{A0}", with: " ") } ?? ""
            if let fix, [.fixed, .halfFixed].contains(fix.stage) {
                let place = fix.stage == .halfFixed ? ", seen again in" : " in"
                return "\(fix.stage.displayName)\(place) \(Self.codeSpan(fix.version))\(numbers)"
            }
            guard row.state == .regressed else {
                return "resolved" + (fix?.evidence.map { ", " + $0.replacing("\u{A0}", with: " ") } ?? "")
            }
            return "regressed" + (row.decisionStatus?.backIn.map { " in \(Self.codeSpan($0))" } ?? "")
                + numbers
        case .ignored: return "ignored"
        case .open: return row.isNew ? "new in \(Self.codeSpan(row.firstRelease.text))" : "open"
        }
    }

    private var versions: String {
        let (first, last) = (detail.row.firstVersion, detail.row.lastVersion)
        return first == last ? Self.codeSpan(first) : "\(Self.codeSpan(first)) to \(Self.codeSpan(last))"
    }

    private func listText(of values: [LeakDetail.ValueCount]) -> String? {
        guard !values.isEmpty else { return nil }
        let named = values.prefix(Self.maxListedValues).map { "\(Self.codeSpan($0.value)) (\($0.reports))" }
        let others = values.count > Self.maxListedValues ? ", and others" : ""
        return named.joined(separator: ", ") + others
    }

    private var path: [String] {
        if let calls = CallStack.titles(of: leak.stack) { return calls }
        return leak.stack.isEmpty ? [] : [leak.stack.joined(separator: " › ")]
    }

    /// The section with the most frequent retain path, or else with the cycle that the reports contain.
    private var retainPath: [String] {
        let title = "What keeps it in memory"
        if let variant = LeakReasons(detail).variants.first {
            let isProven = variant.provenCount > 0
            return section(isProven ? title : "\(title) (suspected)", [variant.path.description])
        }
        guard !leak.cycle.isEmpty else { return [] }
        return section(title, [CycleShape.path(leak.cycle, of: leak.className).joined(separator: " → ")])
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["", "\(title):", ""] + Self.codeBlock(lines)
    }

    private func day(_ milliseconds: Int64) -> String { CivilDate(milliseconds: milliseconds).text }

    /// Returns a code block. Its fence is longer than every run of backticks in the lines, so no line can end the block.
    static func codeBlock(_ lines: [String]) -> [String] {
        let lines = lines.map(singleLine)
        let fence = String(repeating: "`", count: max(3, (lines.map(longestBacktickRun).max() ?? 0) + 1))
        return [fence] + lines + [fence]
    }

    /// Returns a text from reports as a code span: nothing in it is markup, a link, or a mention of a person.
    /// https://spec.commonmark.org/0.31.2/#code-spans
    static func codeSpan(_ text: String) -> String {
        let text = singleLine(text.isEmpty ? "(empty)" : text)
        let fence = String(repeating: "`", count: longestBacktickRun(text) + 1)
        let isPadded = text.utf8.first == UInt8(ascii: "`") || text.utf8.last == UInt8(ascii: "`")
        let padding = isPadded ? " " : ""
        return fence + padding + text + padding + fence
    }

    // Compares scalars: a backtick followed by a combining accent is one `Character` that differs from a backtick, but
    // Markdown still recognizes the backtick. The same is true of a line end.

    /// Replaces characters that would end the line by spaces. Replaces characters that change the direction of the text
    /// around them by U+FFFD, as pages do, because a ticket must not show another name than the app has.
    private static func singleLine(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x61C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: line.append("\u{FFFD}")
            case 0x2028...0x2029: line.append(" ")
            default: line.append(scalar.properties.generalCategory == .control ? " " : scalar)
            }
        }
        return String(line)
    }

    /// Returns the length of the longest run of backticks.
    private static func longestBacktickRun(_ text: String) -> Int {
        var (run, longest) = (0, 0)
        for byte in text.utf8 {
            run = byte == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }
}
