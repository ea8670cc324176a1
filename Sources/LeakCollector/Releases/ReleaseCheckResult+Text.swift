/// A check's result as text for a terminal or a build's log.
extension ReleaseCheckResult {
    /// One sentence: the new and regressed leaks of the version, and the version it was compared with.
    public var sentence: String {
        let brings =
            passes
            ? "has no new or regressed leaks"
            : "has "
                + [Self.words(newCount, "new"), Self.words(regressedCount, "regressed")].compactMap { $0 }
                .joined(separator: " and ")
        let compared =
            baseline.map { ", compared with \($0) and earlier versions" }
            ?? "; there is no earlier version to compare with"
        let aside =
            setAside == 0
            ? ""
            : " (not counted: \(Self.number(setAside, "leak")) that \(setAside == 1 ? "is" : "are") known, ignored or resolved)"
        return TerminalText.text("\(app) \(version) \(brings)\(compared)\(aside)")
    }

    /// Returns the sentence, followed by a table of the leaks. Lines are as long as their names.
    ///
    /// - Parameter address: address of the collector, for links to the pages of leaks; `nil` for no links.
    public func text(address: String?) -> String {
        guard !passes else { return sentence + "\n" }
        let heads = ["", "REPORTS", "INSTALLS", "CLASS", "PATH"] + (address == nil ? [] : ["PAGE"])
        let rows = listed.map { word, leak in
            [word, "\(leak.reports)", "\(leak.installs)", TerminalText.text(leak.title), Self.path(leak)]
                + (address.map { [Self.page(leak, $0)] } ?? [])
        }
        let more = unlisted.map {
            "and \($0)\(address.map { "; all leaks of the version: \(versionPage($0))" } ?? "")\n"
        }
        return sentence + "\n\n" + TextTable(heads: heads, rightAligned: [1, 2], rows: rows).text
            + (more ?? "")
    }

    /// The listed leaks, new ones first, each with the word `new` or `regressed`.
    var listed: [(word: String, leak: Leak)] {
        new.map { ("new", $0) } + regressed.map { ("regressed", $0) }
    }

    /// Number of leaks that count but are not listed: `12 more new leaks`.
    var unlisted: String? {
        let words = [
            Self.words(newCount - new.count, "more new"),
            Self.words(regressedCount - regressed.count, "more regressed"),
        ].compactMap { $0 }
        return words.isEmpty ? nil : words.joined(separator: " and ")
    }

    func versionPage(_ address: String) -> String {
        "\(address)/?app=\(Percent.encode(app))&version=\(Percent.encode(version))"
    }

    static func path(_ leak: Leak) -> String { TerminalText.text(leak.path.joined(separator: " › ")) }

    static func page(_ leak: Leak, _ address: String) -> String {
        "\(address)/leaks/\(Percent.encode(leak.id))"
    }

    static func number(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    private static func words(_ count: Int, _ adjective: String) -> String? {
        count > 0 ? number(count, "\(adjective) leak") : nil
    }
}

/// Table with columns separated by two spaces.
private struct TextTable {
    let heads: [String]
    let rightAligned: Set<Int>
    let rows: [[String]]

    /// Maximum width of a column. A longer name moves the rest of its own line, not of all lines.
    private static let widest = 48

    var text: String {
        let all = [heads] + rows
        let widths = heads.indices.map { column in
            min(all.map { $0[column].count }.max() ?? 0, Self.widest)
        }
        return all.map { cells in
            var line = ""
            for (column, cell) in cells.enumerated() {
                let padding = String(repeating: " ", count: max(widths[column] - cell.count, 0))
                line +=
                    (column == 0 ? "" : "  ")
                    + (rightAligned.contains(column) ? padding + cell : cell + padding)
            }
            while line.hasSuffix(" ") { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}

/// Cleaning of text from outside for one line of a terminal: characters that would control a terminal or change the
/// direction of text become U+FFFD.
enum TerminalText {
    static func text(_ text: String) -> String {
        var visible = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
                visible.append("\u{FFFD}")
            default: visible.append(scalar)
            }
        }
        return String(visible)
    }
}
