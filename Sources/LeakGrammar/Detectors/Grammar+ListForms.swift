internal import LeakMessage

// The forms of texts that contain a printed `NSArray`.

extension Grammar {
    /// Reads MLeaksFinder and JCLeaksFinder: `Memory Leak: (…)`, `Possibly Memory Leak. … stack: (…)`, and
    /// `Object Deallocated: (…)`. The last element is the leaked object; the elements before it are its owners.
    func memoryLeakList(_ text: Text) -> FormMatch? {
        let list: Text?
        var event = LeakReport.Event.leak
        if let body = text.dropping("Memory Leak") {
            list = textInList(body)
        } else if text.starts(with: "Possibly Memory Leak") || text.starts(with: "In case that ") {
            list = text.firstRange(of: "stack:").flatMap { textInList(text[$0.upperBound...]) }
        } else if let body = text.dropping("Object Deallocated") {
            list = textInList(body)
            event = .freed
        } else {
            return nil
        }
        guard let list else { return nil }
        var reading = FormMatch(.mLeaksFinder, list)
        reading.isList = true
        reading.event = event
        let names = PropertyListReader.strings(of: list).suffix(WireLimits.stackCount).map { element in
            TypeName.ifNamed(Self.withoutPropertyName(element[...]), demangle: demangle)?.wholeText
        }
        // The last name is the leaked class. Without this name, the other names are not useful.
        reading.className = names.last ?? nil
        if reading.className != nil { reading.stack = names.compactMap(\.self) }
        return reading
    }

    /// Reads FBRetainCycleDetector, used directly or through MLeaksFinder: `Retain Cycle: ("-> _field -> Class ", …)`,
    /// `Retain cycles: {( ("-> _field -> Class ", …) )}`.
    func retainCycle(_ text: Text) -> FormMatch? {
        let list: Text
        if let body = text.dropping("Retain Cycle") {
            guard let elements = textInList(body) else { return nil }
            list = elements
        } else {
            // A set of cycles. Only the first cycle is read.
            var body = (text.dropping("Retain cycles:") ?? text.dropping("Retain cycles found:") ?? text)
                .trimmed
            while body.first == UInt8(ascii: "{") || body.first == UInt8(ascii: "(") {
                body = body.dropFirst().trimmed
            }
            guard body.startIndex > text.startIndex, (body.dropping("\"") ?? body).starts(with: "-> ") else {
                return nil
            }
            list = body
        }
        var reading = FormMatch(.retainCycleDetector, list)
        reading.isList = true
        reading.event = .leak
        reading.kind = .cycle
        reading.cycle = PropertyListReader.strings(of: list).prefix(WireLimits.cycleCount).compactMap {
            element in
            let last = element[...].lastRange(of: "-> ").map { element[$0.upperBound...] } ?? element[...]
            return TypeName.ifNamed(last, demangle: demangle).map(Cycle.wholeElement)
        }
        return reading
    }

    /// Returns the text after `(`, which may follow a colon and white space; `nil` if another text follows.
    private func textInList(_ text: Text) -> Text? {
        var text = text.trimmed
        text = (text.dropping(":") ?? text).trimmed
        return text.dropping("(")
    }

    /// Returns the class in `.viewModel(Cart), `, which MLeaksFinder's `MLCheck` writes for a property; any other element
    /// unchanged.
    static func withoutPropertyName(_ element: Text) -> Text {
        var name = element.trimmed
        while name.last == UInt8(ascii: ",") { name = name.dropLast().trimmed }
        guard let inner = name.droppingLast(")"), let open = inner.firstIndex(of: UInt8(ascii: "(")),
            open > inner.startIndex, inner[open - 1].isIdentifier || inner[open - 1] == UInt8(ascii: "]")
        else { return element }
        return inner[(open + 1)...]
    }
}

/// A reader of the output of `leaks(1)`.
enum LeaksOutputReader {
    /// Returns the classes in lines such as `ROOT CYCLE: <Person 0x600002332540> [32]`. Each class keeps the next.
    static func cycle(in text: Text, demangle: (String) -> String?) -> [String] {
        var names: [String] = []
        var remainder = text
        while names.count < WireLimits.cycleCount, let mark = remainder.firstRange(of: "ROOT CYCLE: <") {
            remainder = remainder[mark.upperBound...]
            guard let address = remainder.firstLine.line.firstRange(of: " 0x"),
                let type = TypeName.ifNamed(remainder[..<address.lowerBound], demangle: demangle)
            else { continue }
            names.append(Cycle.wholeElement(type))
        }
        return names
    }
}

/// A reader of the old property-list syntax, in which collections of Foundation print themselves.
enum PropertyListReader {
    /// One string of a list, and its source text.
    struct Element {
        let source: Text
        let string: [UInt8]
    }

    static func strings(of list: Text) -> [[UInt8]] { elements(of: list).map(\.string) }

    /// Reads the strings of a list, from the text after its `(` to its `)`, or to the end of a text that was cut.
    ///
    /// Words without quotes are strings too. `\U4e2d` is one UTF-16 unit, `\342` one byte in octal.
    static func elements(of list: Text) -> [Element] {
        var elements: [Element] = []
        var remainder = list
        while true {
            remainder = remainder.trimmed
            guard let first = remainder.first else { break }
            if first == UInt8(ascii: ")") { break }
            if first == UInt8(ascii: ",") {
                remainder = remainder.dropFirst()
                continue
            }
            let (string, after) =
                first == UInt8(ascii: "\"") ? quotedString(remainder.dropFirst()) : unquotedString(remainder)
            elements.append(Element(source: remainder[..<after.startIndex], string: string))
            remainder = after
        }
        return elements
    }

    /// Reads a string without quotes, up to the next line end, or the next comma or closing parenthesis outside of brackets.
    private static func unquotedString(_ text: Text) -> (string: [UInt8], remainder: Text) {
        var depth = 0
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "("), UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"): depth = max(0, depth - 1)
            case UInt8(ascii: ")"):
                if depth == 0 { return (Array(text[..<index].trimmed), text[index...]) }
                depth -= 1
            case UInt8(ascii: ","): if depth == 0 { return (Array(text[..<index].trimmed), text[index...]) }
            case UInt8(ascii: "\n"): return (Array(text[..<index].trimmed), text[index...])
            default: continue
            }
        }
        return (Array(text.trimmed), text[text.endIndex...])
    }

    private static func quotedString(_ text: Text) -> (string: [UInt8], remainder: Text) {
        var units: [UInt16] = []
        var string: [UInt8] = []
        func flush() {
            guard !units.isEmpty else { return }
            string.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
            units.removeAll()
        }
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < text.endIndex else {
                flush()
                if byte == UInt8(ascii: "\"") { return (string, text[index...]) }
                string.append(byte)
                continue
            }
            let escape = text[index]
            index += 1
            switch escape {
            case UInt8(ascii: "U"), UInt8(ascii: "u"):
                let digits = text[index...].prefix(4).prefix { $0.isHexadecimal }
                units.append(digits.reduce(0) { $0 << 4 | UInt16($1.hexadecimalValue ?? 0) })
                index = digits.endIndex
                continue
            case UInt8(ascii: "n"): flush(); string.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "t"), UInt8(ascii: "r"): flush(); string.append(UInt8(ascii: " "))
            case UInt8(ascii: "0")...UInt8(ascii: "7"):
                flush()
                let digits = text[(index - 1)...].prefix(3).prefix {
                    (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0)
                }
                string.append(UInt8(truncatingIfNeeded: digits.reduce(0) { $0 << 3 | Int($1 & 7) }))
                index = digits.endIndex
            default: flush(); string.append(escape)
            }
        }
        flush()
        return (string, text[text.endIndex...])
    }
}

/// Functions for the classes of a retain cycle.
package enum Cycle {
    /// Returns the lexicographically smallest rotation of a cycle, so that two sightings of the same cycle are equal.
    package static func smallestRotation(_ cycle: [String]) -> [String] {
        let start = startOfSmallestRotation(cycle)
        return Array(cycle[start...] + cycle[..<start])
    }

    /// Returns the first index at which the smallest rotation starts; 0 for an empty cycle.
    package static func startOfSmallestRotation(_ cycle: [String]) -> Int {
        guard cycle.count > 1 else { return 0 }
        // A cycle has at most a few dozen elements, so comparing all rotations is fast enough.
        let elements = cycle.map { Array($0.utf8) }
        let count = elements.count
        var best = 0
        for start in 1..<count {
            for step in 0..<count {
                let one = elements[(start + step) % count]
                let other = elements[(best + step) % count]
                if one == other { continue }
                if one.lexicographicallyPrecedes(other) { best = start }
                break
            }
        }
        return best
    }

    /// Returns the public name of a private collection class; for any other type, its name with all generic arguments.
    static func wholeElement(_ type: TypeName) -> String {
        let element = publicName(type.text)
        return element == type.text ? type.wholeText : element
    }

    /// Returns the public name of a private collection class, and any other name unchanged. The private class of a collection depends on
    /// the number of its elements.
    package static func publicName(_ name: String) -> String {
        let text = Text(name)
        let isPrivate =
            text.starts(with: "__NS") || text.starts(with: "_Swift") || text.starts(with: "__Swift")
            || text.starts(with: "_Contiguous") || text.starts(with: "Swift._")
            || text.starts(with: "Swift.__")
        guard isPrivate else { return name }
        if text.contains("Array") { return "NSArray" }
        if text.contains("Dictionary") { return "NSDictionary" }
        if text.contains("Set") { return "NSSet" }
        return name
    }
}
