/// A mistake in the text of rules: its place, and what to write instead.
struct RuleError: Error, Hashable, CustomStringConvertible {
    /// The number of the line, from 1.
    var line: Int
    /// The number of the character in the line, from 1.
    var column: Int
    var problem: String

    var description: String { "line \(line), column \(column): \(problem)" }
}

extension FingerprintRules {
    /// Maximum bytes of the text of an app. All rules of all apps are in memory.
    static let maxBytes = 16 * 1024
    /// Maximum number of rules of an app. A new report is compared with all of them.
    static let maxRules = 100
    /// Maximum number of patterns in one rule.
    static let maxMatchers = 8
    /// Maximum bytes of a group. It is the title of a leak.
    static let maxGroupBytes = 200

    /// Returns a text as it is stored: with line feeds alone at the ends of lines, and without empty lines at its end. A browser
    /// sends a carriage return before each line feed.
    static func normalized(_ text: String) -> String {
        var text = text.replacing("\r\n", with: "\n")
        while let last = text.unicodeScalars.last, last == "\n" || last == " " {
            text.unicodeScalars.removeLast()
        }
        return text
    }

    /// Parses the text of an app's rules.
    ///
    /// - Throws: ``RuleError`` for the first mistake.
    init(text: String) throws(RuleError) {
        guard text.utf8.count <= Self.maxBytes else {
            throw RuleError(
                line: 1, column: 1,
                problem: "the rules have \(text.utf8.count) bytes, the limit is \(Self.maxBytes); remove some"
            )
        }
        var rules: [Rule] = []
        var line = 0
        for part in Self.normalized(text).unicodeScalars.split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            line += 1
            var parser = RuleParser(Array(part), line: line)
            guard let rule = try parser.rule() else { continue }
            guard rules.count < Self.maxRules else {
                throw RuleError(
                    line: line, column: 1,
                    problem: "an app has at most \(Self.maxRules) rules; combine some with * or {class}")
            }
            rules.append(rule)
        }
        self.init(rules: rules)
    }

    /// Returns a pattern or a group as a rule writes it: in double quotes if it contains a space, a quotation mark or a backslash.
    static func quoted(_ value: String) -> String {
        let needsQuotes =
            value.isEmpty
            || value.unicodeScalars.contains { $0 == " " || $0 == "\t" || $0 == "\"" || $0 == "\\" }
        guard needsQuotes else { return value }
        return "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

/// A parser of one line.
private struct RuleParser {
    private let characters: [Unicode.Scalar]
    private let line: Int
    private var index = 0

    init(_ characters: [Unicode.Scalar], line: Int) {
        self.characters = characters
        self.line = line
    }

    private static let example = "class:Cart* -> Cart"
    private static let matcherNames =
        FingerprintRules.Part.allCases.map { "\($0.rawValue):" }.sorted().joined(separator: ", ")

    private func error(at index: Int, _ problem: String) -> RuleError {
        RuleError(line: line, column: index + 1, problem: problem)
    }

    private var isAtArrow: Bool { characters[index...].starts(with: ["-", ">"]) }

    private mutating func skipBlanks() {
        while index < characters.count, characters[index] == " " || characters[index] == "\t" { index += 1 }
    }

    /// Returns the rule of the line; `nil` for an empty line and for a comment.
    mutating func rule() throws(RuleError) -> FingerprintRules.Rule? {
        if let control = characters.firstIndex(where: {
            $0.value < 0x20 && $0 != "\t" || (0x7F...0x9F).contains($0.value)
        }) {
            throw error(at: control, "this is a control character; remove it")
        }
        skipBlanks()
        guard index < characters.count, characters[index] != "#" else { return nil }
        var matchers: [FingerprintRules.Matcher] = []
        while index < characters.count, !isAtArrow {
            guard matchers.count < FingerprintRules.maxMatchers else {
                throw error(
                    at: index, "a rule has at most \(FingerprintRules.maxMatchers) patterns; remove some")
            }
            matchers.append(try matcher())
            skipBlanks()
        }
        guard index < characters.count else {
            throw error(at: index, "the group is missing; write -> and the group, as in \(Self.example)")
        }
        guard !matchers.isEmpty else {
            throw error(
                at: index, "the rule compares nothing; write a pattern before ->, as in \(Self.example)")
        }
        index += 2
        skipBlanks()
        let group = try group()
        let (others, stack) = (matchers.filter { $0.part != .stack }, matchers.filter { $0.part == .stack })
        return FingerprintRules.Rule(line: line, matchers: others + stack, group: group)
    }

    /// Parses a pattern with the part that it is compared with: `class:Cart*`.
    private mutating func matcher() throws(RuleError) -> FingerprintRules.Matcher {
        let start = index
        while index < characters.count, ![":", " ", "\t", "\""].contains(characters[index]) { index += 1 }
        let name = String(String.UnicodeScalarView(characters[start..<index]))
        guard index < characters.count, characters[index] == ":",
            let part = FingerprintRules.Part(rawValue: name)
        else {
            throw error(
                at: start,
                "“\(name)” is not known; write one of \(Self.matcherNames) and a pattern, or -> and the group"
            )
        }
        index += 1
        let patternStart = index
        let text = try value()
        do throws(Glob.Invalid) {
            return FingerprintRules.Matcher(part: part, glob: try Glob(text))
        } catch {
            let problem =
                switch error {
                case .empty: "the pattern is missing; write it directly after \(name):, as in \(name):Cart*"
                case .tooLong(let bytes):
                    "the pattern has \(bytes) bytes, the limit is \(Glob.maxBytes); shorten it with *"
                case .pieceTooLong(let count):
                    "the pattern has \(count) characters between two *, the limit is \(Glob.maxPieceCount); shorten them with *"
                }
            throw self.error(at: patternStart, problem)
        }
    }

    private mutating func group() throws(RuleError) -> String {
        let start = index
        let group = try value()
        guard !group.isEmpty, group.contains(where: { !$0.isWhitespace }) else {
            throw error(at: start, "the group is missing after ->, as in \(Self.example)")
        }
        skipBlanks()
        guard index == characters.count else {
            throw error(
                at: index, "only one group may follow ->; put a group with spaces in double quotes")
        }
        guard group.utf8.count <= FingerprintRules.maxGroupBytes else {
            throw error(
                at: start,
                "the group has \(group.utf8.count) bytes, the limit is \(FingerprintRules.maxGroupBytes); shorten it"
            )
        }
        if group.replacing(FingerprintRules.classPlaceholder, with: "").contains(where: { "{}".contains($0) })
        {
            throw error(
                at: start,
                "{ and } are only for \(FingerprintRules.classPlaceholder), which stands for the class; remove the others"
            )
        }
        guard group.ranges(of: FingerprintRules.classPlaceholder).count <= 2 else {
            throw error(
                at: start,
                "\(FingerprintRules.classPlaceholder) may stand at most twice in a group; remove the others"
            )
        }
        return group
    }

    /// Parses a text up to the next space, or a text in double quotes, in which `\"` and `\\` stand for a quotation mark and a
    /// backslash.
    private mutating func value() throws(RuleError) -> String {
        let start = index
        var text = String.UnicodeScalarView()
        guard index < characters.count, characters[index] == "\"" else {
            while index < characters.count, characters[index] != " ", characters[index] != "\t" {
                guard characters[index] != "\"" else {
                    throw error(
                        at: index,
                        "a quotation mark belongs before the whole text; write it there, or \\\" inside quotes"
                    )
                }
                text.append(characters[index])
                index += 1
            }
            return String(text)
        }
        index += 1
        while index < characters.count {
            let character = characters[index]
            index += 1
            switch character {
            case "\"":
                guard index == characters.count || characters[index] == " " || characters[index] == "\t"
                else {
                    throw error(at: index, "write a space after the closing quotation mark")
                }
                return String(text)
            case "\\":
                guard index < characters.count, ["\"", "\\"].contains(characters[index]) else {
                    throw error(
                        at: index - 1, "only \" or \\ may follow \\; write \\\\ for a backslash")
                }
                text.append(characters[index])
                index += 1
            default: text.append(character)
            }
        }
        throw error(at: start, "the closing quotation mark is missing; write it after the text")
    }
}
