internal import LeakMessage

/// A message that is a JSON object, or an array of them, between a few words.
///
/// The class is a string under a key such as `class` or `activity`. All other strings may be text that users typed.
struct JSONMessage {
    /// The words in front of the JSON text.
    let head: Text
    let className: String?
    /// The number of live objects of the class, from the JSON object that names the class.
    let alive: Int?
    /// `false` for several JSON texts, one after another.
    let isSingle: Bool
    /// The leaks of a list, of which at least one names a class, or of several texts one after another.
    let elements: [Element]
    /// `true` if the list also had elements that count 0 instances of their class.
    let hasElementsOfNone: Bool
    /// `true` if the text counts 0 instances of each class.
    let isOfNone: Bool
    /// The words after the JSON text.
    let tail: Text
    /// The text of a log entry, under a key such as `message`.
    let logMessage: String?

    private let json: [UInt8]
    private let reader: Reader
    /// The end of the kept part of the JSON text.
    private let whole: Int
    private let isCutAtEnd: Bool
    private let kept: [Candidate]

    struct Element {
        let text: Text
        /// The class, for an element that is a string; `nil` for an object.
        let className: String?
    }

    private static let wordsByteLimit = 256
    private static let nameByteLimit = 256

    /// - Returns: `nil` for a text that is no JSON object or array between a few words, whole or cut at its end, nor several of them.
    init?(_ text: Text, demangle: (String) -> String?) {
        guard let open = Self.start(of: text) else { return nil }
        head = text[..<open]
        let last = text[open...].lastIndex { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "]") } ?? open
        var json = Array(text[open...last])
        var textAfter = text[(last + 1)...]
        var reader = Reader()
        var failure = Self.read(json, by: &reader)
        if failure != nil || !Self.isPlain(textAfter) {
            (json, textAfter, reader) = (Array(text[open...]), text[text.endIndex...], Reader())
            failure = Self.read(json, by: &reader)
            // A text that was cut counts up to the cut.
            guard failure?.rule == .unexpectedEnd, !reader.values.isEmpty else { return nil }
        }
        tail = textAfter
        guard Self.isPlain(head), Self.isPlain(tail) else { return nil }
        let candidates = reader.values.compactMap { value in
            Candidate(value, demangle: demangle)
        }
        var remainder = candidates[...]
        let ofElements = reader.elements.map { element in
            remainder = remainder.drop { $0.slice.range.lowerBound < element.lowerBound }
            let own = remainder.prefix { $0.slice.range.lowerBound < element.upperBound }
            remainder = remainder[own.endIndex...]
            return own.min { $0.order < $1.order }
        }
        let isNone = reader.elements.map { element in
            reader.hasNone && JSONMessage(json[element], demangle: demangle)?.isOfNone ?? false
        }
        var named = zip(ofElements, isNone).compactMap { $1 ? nil : $0 }
        // A list of the properties of a leaked object.
        let isCut = failure != nil
        let endOfElements = reader.elements.last?.upperBound ?? 0
        let isOwned = candidates.contains { candidate in
            let place = candidate.slice.range.lowerBound
            // The last element of a cut list is incomplete, so it is not among the complete ones.
            guard candidate.order.rank <= 1, !isCut || place < endOfElements else { return false }
            return reader.elements.allSatisfy { !$0.contains(place) }
        }
        let isPath = Self.tellsOfPath(head)
        if isOwned || isPath { named = [] }
        // The leaked object is the last of its path.
        let best = isPath ? candidates.last : named.first ?? candidates.min { $0.order < $1.order }
        className = best?.className
        // Deeper down a number may count something else.
        hasElementsOfNone = isNone.contains(true)
        isOfNone = reader.elements.isEmpty ? reader.count == 0 : isNone.allSatisfy(\.self)
        alive = best?.order.depth == 1 ? reader.count.map { min(max($0, 0), WireLimits.alive) } : nil
        let parts = zip(zip(reader.elements, ofElements), isNone).filter { !$1 }.map(\.0).map { range, name in
            let isString = json[range.lowerBound] == UInt8(ascii: "\"")
            return Element(text: json[range], className: isString ? name?.className : nil)
        }
        elements =
            named.isEmpty ? [] : parts.filter { $0.text.first != UInt8(ascii: "\"") || $0.className != nil }
        let messages = reader.values.compactMap { value in
            Self.messageKeys.firstIndex(of: value.key.lowercased()).map {
                (rank: $0, depth: value.depth, text: value.text)
            }
        }
        logMessage = messages.min { ($0.rank, $0.depth) < ($1.rank, $1.depth) }?.text
        isSingle = reader.textCount <= 1
        let isCutList = !named.isEmpty && failure != nil
        let cutEnd = isCutList ? reader.elements.last?.upperBound : reader.values.last?.end
        whole = failure == nil ? json.count : cutEnd ?? 0
        kept = named.isEmpty ? [best].compactMap(\.self) : ofElements.compactMap(\.self)
        isCutAtEnd = failure != nil
        (self.json, self.reader) = (json, reader)
    }

    /// The JSON text, with `…` for every string but classes and call frames, and for every key that is no identifier.
    var redacted: [UInt8] {
        let frames = reader.callStacks(in: json, until: whole).flatMap(\.slices)
        // Ends like a cut text, so that it is read as one again.
        let end = isCutAtEnd ? [UInt8(ascii: ",")] : []
        return Self.redacted(json[..<whole], reader, kept: kept, frames: frames) + end
    }

    /// The call stack of the leak in the text: one with frames of the app, then the outermost, then the first.
    var callStack: JSONFrameStrings? {
        reader.callStacks(in: json, until: whole).min {
            ($0.isSystem ? 1 : 0, $0.depth) < ($1.isSystem ? 1 : 0, $1.depth)
        }
    }

    /// The whole text with one `…` for each call stack.
    var withoutCallStacks: Text {
        let stacks = reader.callStacks(in: json, until: whole).map(\.whole)
        return (head + Self.replaced(stacks, in: json[...]) { _ in nil } + tail)[...]
    }

    /// Returns `true` when the words in front say that the list has the owners of one object.
    private static func tellsOfPath(_ head: Text) -> Bool {
        let words = head.string.lowercased()
        return ["stack", "path", "chain", "retained by", "cycle"].contains { words.contains($0) }
    }

    /// Returns the start of the first object or array, after a few words.
    private static func start(of text: Text) -> Int? {
        let words = text.prefix(wordsByteLimit)
        let brace = words.firstIndex(of: UInt8(ascii: "{"))
        // A list of strings, which other texts may follow.
        if let bracket = words.firstIndex(of: UInt8(ascii: "[")), bracket < brace ?? text.endIndex,
            text[(bracket + 1)...].firstVisible == UInt8(ascii: "\""), !isSubscript(text[bracket...])
        {
            return bracket
        }
        return brace.map { text[..<$0].trimmed.droppingLast("[")?.endIndex ?? $0 }
    }

    /// `["text"] = …`, as Swift and Objective-C write an entry of a dictionary.
    private static func isSubscript(_ text: Text) -> Bool {
        guard let close = text.prefix(nameByteLimit).firstIndex(of: UInt8(ascii: "]")) else { return false }
        return SensitiveKey.separator(at: SensitiveKey.withoutBlanks(text[(close + 1)...]))?.isAssignment
            ?? false
    }

    /// Reads one JSON text, or several one after another, with or without commas between them.
    ///
    /// The elements of several texts are their objects, and the elements of their arrays.
    ///
    /// - Returns: the error that ended reading early.
    private static func read(_ json: [UInt8], by reader: inout Reader) -> JSONError? {
        var elements: [Range<Int>] = []
        var elementsOfFirst: [Range<Int>] = []
        var textCount = 0
        var failure: JSONError?
        var start = 0
        while failure == nil {
            do throws(JSONError) {
                start = try JSONScanner.scan(json, in: start..<json.count) { scanner throws(JSONError) in
                    let kind = try scanner.kind()
                    let start = scanner.offset
                    reader.elements = []
                    try reader.value(&scanner, key: "", depth: 0)
                    if textCount == 0 { elementsOfFirst = reader.elements }
                    textCount += 1
                    let isList = kind == .array || !reader.elements.isEmpty
                    elements += isList ? reader.elements : [start..<scanner.offset]
                    return scanner.offset
                }
            } catch {
                failure = error
                break
            }
            let remainder = json[start...].drop { $0 <= 0x20 }
            let next =
                remainder.first == UInt8(ascii: ",") ? remainder.dropFirst().drop { $0 <= 0x20 } : remainder
            guard next.first == UInt8(ascii: "{") || next.first == UInt8(ascii: "[") else {
                if !remainder.isEmpty { failure = JSONError(.trailingText, at: remainder.startIndex) }
                break
            }
            start = next.startIndex
        }
        reader.textCount = textCount
        // The last of several texts may be cut.
        let elementsOfCut = failure == nil ? [] : reader.elements.filter { $0.lowerBound >= start }
        switch textCount {
        case 0: break
        case 1 where elementsOfCut.isEmpty: reader.elements = elementsOfFirst
        default: reader.elements = Array((elements + elementsOfCut).prefix(Reader.elementLimit))
        }
        return failure
    }

    /// Returns `true` for words without anything that a user may have typed.
    private static func isPlain(_ words: Text) -> Bool {
        words.count <= wordsByteLimit && PrivateText.removed(from: words)[...] == words
    }

    private static func redacted(
        _ json: ArraySlice<UInt8>, _ reader: Reader, kept: [Candidate], frames: [JSONSlice]
    ) -> [UInt8] {
        let names = Dictionary(
            kept.map { ($0.slice, Array($0.className.utf8)) }, uniquingKeysWith: { one, _ in one })
        var strings = reader.keys + reader.values.map(\.slice)
        // Strings after the cut are left out.
        strings.removeAll { $0.range.upperBound >= json.endIndex }
        let plainKeys = reader.keys.filter {
            $0.range.upperBound < json.endIndex && isIdentifier(json[$0.range])
        }
        let stay = Set(plainKeys + frames)
        strings.removeAll { stay.contains($0) }
        strings.sort { $0.range.lowerBound < $1.range.lowerBound }
        return replaced(strings, in: json) { names[$0] }
    }

    /// - Parameters:
    ///   - strings: the strings in the order of the text.
    ///   - words: the replacement of a string; `nil` for `…`.
    private static func replaced(
        _ strings: [JSONSlice], in json: ArraySlice<UInt8>, by words: (JSONSlice) -> [UInt8]?
    ) -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for string in strings where !string.range.isEmpty {
            result.append(contentsOf: json[end..<string.range.lowerBound])
            result.append(contentsOf: words(string) ?? Array("…".utf8))
            end = string.range.upperBound
        }
        result.append(contentsOf: json[end...])
        return result
    }

    fileprivate static func isIdentifier(_ key: ArraySlice<UInt8>) -> Bool {
        key.count <= 64 && key.allSatisfy { $0 < 0x80 && ($0.isIdentifier || $0 == UInt8(ascii: "-")) }
    }

    /// The strings of a JSON text.
    private struct Reader {
        struct Value {
            let key: String
            let depth: Int
            let text: String
            let slice: JSONSlice

            /// The index after its closing quote.
            var end: Int { slice.range.upperBound + 1 }
        }

        /// Limit of elements that are read.
        static let elementLimit = 256
        /// Stands for the missing key of a list's strings.
        private static let keyOfStrings = "leak"
        /// Keys of lists of leaks.
        private static let lists: Set<String> = [
            "", "gcpaths", "leaks", "objects", "activities", "leakedclasses",
        ]

        var keys: [JSONSlice] = []
        /// The positions of the objects in the outermost list of leaks.
        var elements: [Range<Int>] = []
        var values: [Value] = []
        var textCount = 0
        /// The number of instances that the outermost object states.
        var count: Int?
        /// `true` if an object at any depth states 0 instances.
        var hasNone = false
        private static let counts: Set<String> = [
            "count", "alive", "instances", "instancecount", "instance_count", "alivecount", "alive_count",
        ]

        /// The call stacks among the strings, in the order in which they stand in the text.
        ///
        /// - Parameter end: the end of the kept part of the text.
        func callStacks(in json: [UInt8], until end: Int) -> [JSONFrameStrings] {
            var stacks: [JSONFrameStrings] = []
            var remainder = values[...]
            while let first = remainder.first {
                var (last, count) = (first, 1)
                // Nothing but a comma stands between two strings of an array.
                for value in remainder.dropFirst() {
                    let between = json[last.slice.range.upperBound..<value.slice.range.lowerBound]
                    guard
                        between.allSatisfy({
                            $0 <= 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"")
                        })
                    else { break }
                    (last, count) = (value, count + 1)
                }
                let run = remainder.prefix(count)
                remainder = remainder.dropFirst(count)
                guard JSONFrameStrings.isKey(first.key), JSONMessage.isIdentifier(Text(first.key)) else {
                    continue
                }
                let strings = run.filter { $0.end <= end }.map { ($0.text, $0.slice) }
                if let stack = JSONFrameStrings(strings, depth: first.depth) { stacks.append(stack) }
            }
            return stacks
        }

        mutating func value(_ scanner: inout JSONScanner, key: String, depth: Int) throws(JSONError) {
            switch try scanner.kind() {
            case .object:
                guard try scanner.enterObject() else { return }
                repeat {
                    let name = try scanner.name()
                    keys.append(name)
                    try value(&scanner, key: scanner.text(of: name), depth: depth + 1)
                } while try scanner.another(in: .object)
            case .array:
                guard try scanner.enterArray() else { return }
                let isList = depth <= 1 && elements.isEmpty && Self.lists.contains(key.lowercased())
                repeat {
                    let kind = try scanner.kind()
                    let isElement =
                        isList && (kind == .object || kind == .string) && elements.count < Self.elementLimit
                    let start = scanner.offset
                    let isString = isElement && kind == .string
                    try value(&scanner, key: isString ? Self.keyOfStrings : key, depth: depth + 1)
                    if isElement { elements.append(start..<scanner.offset) }
                } while try scanner.another(in: .array)
            case .string:
                let slice = try scanner.string()
                values.append(
                    Value(key: key, depth: depth, text: scanner.text(of: slice), slice: slice))
            case .number where Self.counts.contains(key.lowercased()):
                let number = try scanner.number().integer
                hasNone = hasNone || number == 0
                if depth == 1 { count = count ?? number }
            default: try scanner.skip()
            }
        }
    }

    /// A string that may be the class.
    private struct Candidate {
        let className: String
        let slice: JSONSlice
        /// The candidate with the lowest order is the class: by key, then by depth, then by position. In a path of references the
        /// last candidate is the leaked object.
        let order: (rank: Int, depth: Int, place: Int)

        init?(_ value: Reader.Value, demangle: (String) -> String?) {
            let key = value.key.lowercased().filter { $0.isLetter }
            guard value.text.utf8.count <= nameByteLimit,
                let rank = keysByRank.firstIndex(where: { $0.contains(key) }),
                let raw = Self.name(Text(value.text)), let type = TypeName.ifNamed(raw, demangle: demangle),
                type.isUndemangled || Self.isClass(Text(type.text), rank: rank)
            else { return nil }
            className = type.wholeText
            slice = value.slice
            let isPath = rank == keysByRank.count - 1
            let place = value.slice.range.lowerBound
            order = (rank, isPath ? 0 : value.depth, isPath ? -place : place)
        }

        /// Returns the name in a text that is a name or the description of an object.
        private static func name(_ text: Text) -> Text? {
            let name = text.trimmed
            if let description = Description(name) { return Self.name(description.name) }
            let isName = name.indices.allSatisfy { index in
                name[index].isIdentifier || ".<>,".utf8.contains(name[index])
                    || name[index] == UInt8(ascii: " ") && name[..<index].last == UInt8(ascii: ",")
            }
            return isName ? name : nil
        }

        /// The less specific a key is, the more a name has to look like that of a class.
        private static func isClass(_ name: Text, rank: Int) -> Bool {
            let spelling = TypeSpelling(name)
            guard spelling.isType else { return false }
            // `com.acme.Cart`, and not `Jane.Doe`.
            let isInPackage = spelling.isDotted && name.first.map { $0.isLetter && !$0.isUppercase } ?? false
            return switch rank {
            case 0: true
            case 1: spelling.hasHump || spelling.isDotted
            default: isInPackage && name.count { $0 == UInt8(ascii: ".") } > 1 || spelling.hasEnding
            }
        }
    }

    /// Keys of the text of a log entry, the most informative first.
    private static let messageKeys = [
        "message", "msg", "eventmessage", "textpayload", "text", "body", "log", "reason", "description",
        "value", "error",
    ]

    /// Returns `true` if a key says for certain that its value is a class.
    static func isKeyOfClass(_ key: Text) -> Bool {
        keysByRank[0].contains(key.string.lowercased().filter { $0.isLetter })
    }

    /// Returns `true` if a key says that its value is a class, or an object by its class.
    static func isKeyOfObject(_ key: Text) -> Bool {
        let key = key.string.lowercased().filter { $0.isLetter }
        return keysByRank[0].contains(key) || keysByRank[1].contains(key)
    }

    private static let keysByRank: [Set<String>] = [
        [
            "class", "classname", "leakedclass", "leakclass", "leakingclass", "objectclass", "clazz", "klass",
            "leakedclassname",
            "vcclass",
        ],
        [
            "activity", "fragment", "viewcontroller", "controller", "viewmodel", "objecttype", "leakedtype",
            "vc", "typename",
            "leakedclasses",
        ],
        [
            "screen", "component", "leak", "leaked", "leakedobject", "leakingobject", "object", "instance",
            "type", "name",
        ],
        ["reference"],
    ]
}

extension ArraySlice<UInt8> {
    /// The first byte that is no white space.
    fileprivate var firstVisible: UInt8? { first { $0 > 0x20 } }
}
