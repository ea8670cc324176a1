internal import LeakMessage

/// A splitter of texts about several leaks, such as texts of LeakCanary, `leaks(1)` and leak_tracker, and lists of objects.
package enum MessageSplitter {
    /// Limit of the leaks of one text. The callers of ``parts(of:demangle:)`` apply it.
    package static let limit = 32

    /// The part of a text about one leak.
    package struct Part: Hashable, Sendable {
        package let text: String
        /// The class, if splitting found it. If `nil`, the class is read from the text of the part.
        package let className: String?
        /// `true` if the class is a guess: a word that looks like a class. `false` if a known form names the class.
        package let isGuessed: Bool
        /// The number of live objects of the class, if a list states it.
        package let alive: Int?

        init(_ text: Text, className: Text? = nil, isGuessed: Bool = false, alive: Int? = nil) {
            self.alive = alive
            self.text = text.string
            self.className = className?.string
            self.isGuessed = isGuessed
        }
    }

    /// Returns the leaks of a text in their order if there are several; otherwise an empty array. A class with 0 instances is
    /// not a leak. If a JSON list has such a class, its other classes are returned even if there is only one.
    ///
    /// - Parameter demangle: demangles the name of one type; `nil` if the text is not a mangled name.
    package static func parts(of text: String, demangle: @escaping (String) -> String? = { _ in nil })
        -> [Part]
    {
        // Most texts have one line.
        guard mayHaveSeveral(text) else { return [] }
        let plain = DetectorMessage.unwrappedLogEntry(MessageNormalizer.plain(text))
        if let report = SanitizerReport(plain, FrameReader(demangle: demangle)) {
            let head = MessageRedactor.kept(of: report.head).text
            return report.leaks.map { leak in
                let front = head.isEmpty ? [] : head + [UInt8(ascii: "\n")]
                return Part((front + leak.text)[...], alive: leak.objectCount)
            }
        }
        if let report = LeaksStackReport(plain, FrameReader(demangle: demangle)) {
            return report.leaks.map { leak in
                Part(leak.text[...], className: leak.className, alive: leak.objectCount)
            }
        }
        let framed = MessageNormalizer.framed(plain).message
        let sets = cycles(in: framed)
        if sets.count > 1 { return sets.map { Part($0) } }
        if let json = JSONMessage(framed, demangle: demangle) {
            guard json.elements.count > 1 || json.hasElementsWithoutInstances else { return [] }
            return json.elements.map { element in
                Part(element.text, className: element.className.map { Text($0) }, isGuessed: true)
            }
        }
        // Text that users typed may look like several leaks, so it is removed first.
        let redacted = MessageRedactor.kept(of: Backtrace(plain)?.head ?? plain)
        let kept = redacted.message
        // The first line was trimmed, so its indentation is read from the original text.
        let indent = redacted.head.isEmpty ? text.utf8.prefix { $0 == UInt8(ascii: " ") }.count : 0
        for parts in [traces(in: kept), nodes(in: kept, indent: indent)] where parts.count > 1 {
            return parts.map { Part($0) }
        }
        let objects = trackedObjects(in: kept)
        guard objects.isEmpty else { return objects.count > 1 ? objects : [] }
        let parts = lines(in: kept)
        if parts.count > 1 { return parts }
        // Names that a known detector lists are owners, and not leaks.
        guard Grammar(demangle: demangle).read(kept).detector == nil else { return [] }
        for parts in [list(in: kept), enumeration(in: kept)] where !parts.isEmpty { return parts }
        return statements(in: kept)
    }

    /// Bytes that separate leaks. A text about several leaks contains one of them, or ` and `.
    private static let separators = Array("\n\r[{,;&".utf8)
    private static let andSeparator = Array(" and ".utf8)

    /// Returns `true` if a text may contain several leaks.
    private static func mayHaveSeveral(_ text: String) -> Bool {
        text.utf8.contains { separators.contains($0) } || Text(text).contains(" and ")
    }

    /// Splits a sentence such as `CartModel, HomeModel and ListModel leaked`.
    private static func enumeration(in text: Text) -> [Part] {
        guard !text.contains(UInt8(ascii: "\n")), text.count <= lineByteLimit else { return [] }
        var names: [Text] = []
        for name in ClassGuesser.names(in: text) where TypeSpelling(name).isCamelCase {
            if let last = names.last {
                let between = text[last.endIndex..<name.startIndex]
                let separators: [StaticString] = [", ", " and ", ", and ", " & "]
                guard separators.contains(where: { between.equals($0) }) else {
                    names = [name]
                    continue
                }
            }
            names.append(name)
            let words = SurroundingWords(of: name, in: text)
            if names.count > 1, words.statesRetained, !words.isDenied {
                return names.map { Part(text, className: $0, isGuessed: true) }
            }
        }
        return []
    }

    /// Splits statements such as `CartModel leaked; HomeModel was not released`.
    private static func statements(in text: Text) -> [Part] {
        guard !text.contains(UInt8(ascii: "\n")), text.count <= lineByteLimit else { return [] }
        let parts = Brackets.split(text, at: ";").map(\.trimmed).filter { !$0.isEmpty }.map {
            statement -> Part? in
            let names = ClassGuesser.names(in: statement).filter { TypeSpelling($0).isCamelCase }
            guard names.count == 1 else { return nil }
            let words = SurroundingWords(of: names[0], in: statement)
            return words.statesRetained && !words.isDenied
                ? Part(statement, className: names[0], isGuessed: true) : nil
        }
        let leaks = parts.compactMap(\.self)
        return leaks.count == parts.count && Set(leaks.map(\.className)).count > 1 ? leaks : []
    }

    /// Returns the lists in a set of cycles: `Retain cycles: {( ("-> A ", …), ("-> B ", …) )}`.
    static func cycles(in text: Text) -> [Text] {
        let body = (text.dropping("Retain cycles:") ?? text.dropping("Retain cycles found:") ?? text).trimmed
        guard let set = body.dropping("{(") else { return [] }
        var parts: [Text] = []
        var (start, isQuoted) = (set.startIndex, false)
        for index in set.indices {
            switch set[index] {
            case UInt8(ascii: "\"") where index == set.startIndex || set[index - 1] != UInt8(ascii: "\\"):
                isQuoted.toggle()
            case UInt8(ascii: "(") where !isQuoted: start = index
            case UInt8(ascii: ")") where !isQuoted:
                if set[start] == UInt8(ascii: "(") {
                    parts.append(Array("Retain Cycle: ".utf8) + set[start...index])
                }
                start = index
            default: continue
            }
        }
        return parts
    }

    /// Returns the traces in a text of LeakCanary.
    private static func traces(in text: Text) -> [Text] {
        let starts = indices(of: "┬──", in: text)
        guard starts.isEmpty else { return split(text, at: starts) }
        // Traces without their first lines are split after the line of the leaked object.
        let ends = indices(of: "╰→", in: text).dropLast().map { text[$0...].firstLine.remainder.startIndex }
        return ends.isEmpty ? [] : split(text, at: [text.startIndex] + ends)
    }

    private static func indices(of mark: StaticString, in text: Text) -> [Int] {
        var indices: [Int] = []
        var remainder = text
        while let range = remainder.firstRange(of: mark) {
            indices.append(range.lowerBound)
            remainder = remainder[range.upperBound...]
        }
        return indices
    }

    /// Returns the outermost `ROOT CYCLE` and `ROOT LEAK` nodes in a text of `leaks(1)`.
    private static func nodes(in text: Text, indent: Int) -> [Text] {
        let lines = text.lines.filter { $0.contains("ROOT CYCLE: <") || $0.contains("ROOT LEAK: <") }
        let indents = lines.map { line in
            line.prefix { $0 == UInt8(ascii: " ") }.count
                + (line.startIndex == text.startIndex ? indent : 0)
        }
        let smallestIndent = indents.min() ?? 0
        return split(text, at: zip(lines, indents).filter { $1 == smallestIndent }.map { $0.0.startIndex })
    }

    private static func split(_ text: Text, at starts: [Int]) -> [Text] {
        zip(starts, starts.dropFirst() + [text.endIndex]).map { text[$0..<$1].trimmed }
    }

    /// Returns the objects in a text of Flutter's leak_tracker, which prints each name on a separate line below `objects:`.
    private static func trackedObjects(in text: Text) -> [Part] {
        guard text.contains("leak_tracker") else { return [] }
        var parts: [Part] = []
        var (heading, indent) = (Text(""), 0)
        var isInObjects = false
        for line in text.lines {
            let words = line.trimmed
            let blanks = line.prefix { $0 == UInt8(ascii: " ") }.count
            if words.equals("objects:") {
                (isInObjects, indent) = (true, blanks)
            } else if isInObjects, blanks > indent {
                if blanks == indent + 2, let name = words.droppingLast(":") {
                    parts.append(Part(heading + Array(": ".utf8) + name, className: name))
                }
            } else if let name = words.droppingLast(":") {
                (heading, isInObjects) = (name, false)
            }
        }
        return parts
    }

    /// Returns the lines that say the same about different classes.
    private static func lines(in text: Text) -> [Part] {
        // The lines of one trace are about one leak.
        guard !text.contains("┬──"), !text.contains("╰→"), !text.contains("ROOT CYCLE: <") else { return [] }
        let lines = text.lines.prefix(lineLimit).map(\.trimmed).filter { $0.count <= lineByteLimit }
        let named = lines.compactMap { line in
            ClassGuesser.leakedName(in: line).map { (line: line, name: $0) }
        }
        guard Set(named.map(\.name)).count > 1 else { return [] }
        let fronts = named.map { front(of: $0.name, in: $0.line) }
        if let front = fronts.first(where: { front in fronts.count { $0 == front } > 1 }),
            front.count >= minFrontByteCount
        {
            // A line with another text before the name would be lost, so the text is not split.
            guard fronts.allSatisfy({ $0 == front }) else { return [] }
            // A name that is too short to be recognized by itself is accepted if the same text is before it.
            return lines.compactMap { line in
                let name = ClassGuesser.names(in: line).first { self.front(of: $0, in: line) == front }
                return name.map { Part(line, className: $0, isGuessed: true) }
            }
        }
        let backs = named.map {
            MessageTemplate.template(of: $0.line[$0.name.endIndex...]).prefix(maxBackByteCount)
        }
        guard let back = backs.first, !back.isEmpty, backs.allSatisfy({ $0 == back }) else { return [] }
        return named.map { Part($0.line, className: $0.name, isGuessed: true) }
    }

    /// Returns the names after a heading about a leak: `Leaked: A, B`, or one in each line after a bullet, in a table or alone.
    private static func list(in text: Text) -> [Part] {
        guard let colon = text.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\n") })
        else {
            return []
        }
        let heading = text[..<colon].trimmed
        guard heading.count <= headingByteLimit, announcesLeaks(heading) else { return [] }
        var remainder = text[(colon + 1)...].trimmed
        // A printed array of Objective-C lists owners.
        guard remainder.first != UInt8(ascii: "(") else { return [] }
        if let array = remainder.dropping("[")?.droppingLast("]") { remainder = array.trimmed }
        let isList = remainder.contains(UInt8(ascii: "\n"))
        let items =
            isList
            ? Array(remainder.lines.prefix(lineLimit))
            : Brackets.split(remainder.droppingLast(".") ?? remainder, at: ",;").flatMap {
                pieces(of: $0, separatedBy: andSeparator)
            }
        let words = items.lazy.map(\.trimmed).filter { !$0.isEmpty && !isTableHeaderOrSeparator($0) }.map {
            Item($0)
        }
        // A sentence is not a list, and a word that is not a name may be a variable.
        guard words.allSatisfy({ $0.kind != .other && (!isList || $0.hasListMark || $0.kind == .type) })
        else {
            return []
        }
        // A single word such as `Order` may be the name of a person. Such words count as classes only if at least as many other items are
        // certainly classes.
        let typeCount = words.count { $0.kind == .type }
        let wordCount = words.count { $0.kind == .typeOrWord }
        let lowestKind: Item.Kind = typeCount >= wordCount ? .typeOrWord : .type
        let classes = words.filter { $0.kind >= lowestKind }
        guard Set(classes.map(\.name)).count > 1, classes.count * 2 > words.count else { return [] }
        return classes.filter { $0.alive != 0 }.map { item in
            Part(
                heading + Array(": ".utf8) + item.name, className: item.name, isGuessed: true,
                alive: item.alive)
        }
    }

    /// Splits a text at each occurrence of a separator.
    private static func pieces(of text: Text, separatedBy separator: [UInt8]) -> [Text] {
        guard let range = text.firstRange(of: separator[...]) else { return [text] }
        return [text[..<range.lowerBound]] + pieces(of: text[range.upperBound...], separatedBy: separator)
    }

    private static let headingByteLimit = 128

    /// Returns `true` for `Leaked objects`, but neither for `Leaked CartModel, retained by` nor for `Retain cycle leaked`: such
    /// headings are followed by owners, or by objects that an object keeps.
    private static func announcesLeaks(_ heading: Text) -> Bool {
        let words = heading.split(whereSeparator: { !$0.isIdentifier })
        guard !words.contains(where: { TypeSpelling($0).isCamelCase }) else { return false }
        let lowercased = words.map { String(decoding: $0, as: UTF8.self).lowercased() }
        let relations: Set<String> = [
            "by", "stack", "trace", "path", "chain", "cycle", "cycles", "child", "children", "reference",
            "references", "owner", "owners",
            "captured", "captures", "retaining", "holder", "holders", "parent", "parents",
        ]
        guard !lowercased.contains(where: { relations.contains($0) }),
            !["no", "0"].contains(lowercased.first)
        else { return false }
        let phrase = lowercased.joined(separator: " ")
        return ["leak", "retained", "still alive", "still in memory", "not released", "not deallocated"]
            .contains { phrase.contains($0) }
    }

    /// Returns `true` for the header row or a separator line of a table.
    private static func isTableHeaderOrSeparator(_ row: Text) -> Bool {
        guard row.first == UInt8(ascii: "|") else { return row.allSatisfy { "-=+| ".utf8.contains($0) } }
        let cells = row.split(separator: UInt8(ascii: "|")).map(\.trimmed)
        let heads = ["class", "name", "type", "object"]
        return cells.allSatisfy { $0.allSatisfy { "-: ".utf8.contains($0) } }
            || heads.contains(cells.first?.string.lowercased() ?? "")
    }

    /// An item of a list: `- CartModel (2)`, `1. CartModel`, `| CartModel | 2 |`, `CartModel: 2` or `Store<Item>`.
    private struct Item {
        /// The kind of the name, from the least to the most certainly a class.
        enum Kind: Int, Comparable {
            case other, word, typeOrWord, type

            static func < (one: Kind, other: Kind) -> Bool { one.rawValue < other.rawValue }
        }

        /// The name with its generic arguments.
        let name: Text
        let kind: Kind
        /// `true` if the item begins with a bullet or a number, or is in a table.
        let hasListMark: Bool
        /// The number of live objects, if the item states one.
        let alive: Int?

        init(_ text: Text) {
            var item = text.drop {
                "-*•–|·".utf8.contains($0) || $0 == 0x20 || $0 >= 0x80 && !$0.isIdentifier
            }
            let number = item.prefix { $0.isDigit }
            if !number.isEmpty,
                let remainder = item[number.endIndex...].dropping(".")
                    ?? item[number.endIndex...].dropping(")")
            {
                item = remainder.trimmed
            }
            hasListMark = item.startIndex > text.startIndex
            let isInBrackets = item.first == UInt8(ascii: "<") && item.last == UInt8(ascii: ">")
            if isInBrackets { item = item.dropFirst().dropLast() }
            let path = item.prefix { $0.isIdentifier || $0 == UInt8(ascii: ".") }
            let arguments = Self.arguments(item[path.endIndex...])
            name = item[..<arguments.endIndex]
            let remainder = Self.withoutAddress(item[arguments.endIndex...].trimmed)
            let isAlone = remainder.allSatisfy { $0.isDigit || " ()x×:|-,".utf8.contains($0) }
            let numbers = remainder.split(whereSeparator: { !$0.isDigit })
            alive =
                numbers.count == 1
                ? Int(numbers[0].prefix(9).string).map { min($0, WireLimits.aliveCount) } : nil
            let spelling = TypeSpelling(path)
            // A colon without a number begins a list of something else.
            if name.isEmpty || !isAlone || remainder.equals(":") {
                kind = .other
            } else if !spelling.isType {
                kind = .word
            } else {
                kind = spelling.isCamelCase || !arguments.isEmpty ? .type : .typeOrWord
            }
        }

        /// Returns the text after the address in `: 0x1f` and `(0x1f)`; the whole text if there is no address.
        private static func withoutAddress(_ text: Text) -> Text {
            guard
                let digits = text.drop(while: { " :(".utf8.contains($0) }).dropping("0x")?.prefix(
                    while: \.isHexadecimal),
                !digits.isEmpty
            else { return text }
            return text[digits.endIndex...]
        }

        /// Returns the generic arguments at the start of `text`; empty if there are none.
        private static func arguments(_ text: Text) -> Text {
            let none = text[..<text.startIndex]
            guard text.first == UInt8(ascii: "<"),
                let end = Brackets.endIndexIfClosed(ofBracketAtStartOf: text)
            else { return none }
            let arguments = text[..<end]
            let words = Generics.words(of: arguments)
            let isOfTypes =
                !words.isEmpty
                && words.allSatisfy { TypeSpelling($0).unqualifiedName.first?.isUppercase ?? false }
            return arguments.last == UInt8(ascii: ">") && isOfTypes ? arguments : none
        }
    }

    private static func front(of name: Text, in line: Text) -> Text {
        MessageTemplate.template(of: line[..<name.startIndex]).suffix(maxFrontByteCount)
    }

    private static let lineLimit = 256
    private static let lineByteLimit = 1024
    /// The number of bytes before a name that are compared between lines.
    private static let maxFrontByteCount = 8
    /// The lowest number of equal bytes before the names of two lines that shows that the lines say the same.
    private static let minFrontByteCount = 6
    /// The number of bytes after a name that are compared between lines.
    private static let maxBackByteCount = 12
}
