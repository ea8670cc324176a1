internal import LeakMessage

/// A message that is a JSON object, or an array of objects, with a few words before or after it.
///
/// The class is a string under a key such as `class` or `activity`. All other strings may be text that users typed.
struct JSONMessage {
    /// The words before the JSON text.
    let head: Text
    /// The leaked class; `nil` if no string names a class.
    let className: String?
    /// The number of live objects of the class, from the JSON object that names the class.
    let alive: Int?
    /// `true` for one JSON text, `false` for several texts one after another.
    let isSingle: Bool
    /// The leaks of a list, or of several texts one after another, if at least one of them names a class.
    let elements: [Element]
    /// `true` if the list also has elements that state 0 instances of their class.
    let hasElementsWithoutInstances: Bool
    /// `true` if the text states 0 instances of each class.
    let hasNoInstances: Bool
    /// The text after the JSON text.
    let tail: Text
    /// The text of a log entry, under a key such as `message`.
    let logMessage: String?

    private let json: [UInt8]
    private let reader: Reader
    /// The end of the complete values of the JSON text: its length, or less if the text was cut.
    private let completeEnd: Int
    private let isCutAtEnd: Bool
    /// The strings that redaction keeps as classes.
    private let keptClasses: [Candidate]

    struct Element {
        let text: Text
        /// The class, for an element that is a string; `nil` for an object.
        let className: String?
    }

    /// The maximum number of bytes before the JSON, and the maximum after it.
    private static let wordsByteLimit = 256
    private static let nameByteLimit = 256

    /// The JSON may be cut at its end. The input may contain several JSON values.
    ///
    /// - Returns: `nil` for a text without a JSON object or array, or with more than a few words around the JSON.
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
            // A text that was cut is read up to the cut.
            guard failure?.rule == .unexpectedEnd, !reader.values.isEmpty else { return nil }
        }
        tail = textAfter
        guard Self.isPlain(head), Self.isPlain(tail) else { return nil }
        let candidates = reader.values.compactMap { value in
            Candidate(value, demangle: demangle)
        }
        var remainder = candidates[...]
        let classesOfElements = reader.elements.map { element in
            remainder = remainder.drop { $0.slice.range.lowerBound < element.lowerBound }
            let candidatesInside = remainder.prefix { $0.slice.range.lowerBound < element.upperBound }
            remainder = remainder[candidatesInside.endIndex...]
            return candidatesInside.min { $0.order < $1.order }
        }
        let areWithoutInstances = reader.elements.map { element in
            reader.hasZeroCount && JSONMessage(json[element], demangle: demangle)?.hasNoInstances ?? false
        }
        var namedElements = zip(classesOfElements, areWithoutInstances).compactMap { $1 ? nil : $0 }
        // If a class is named outside of the list, the elements of the list are properties of that object, and not leaks.
        let isCut = failure != nil
        let endOfElements = reader.elements.last?.upperBound ?? 0
        let hasClassOutside = candidates.contains { candidate in
            let position = candidate.slice.range.lowerBound
            // The last element of a truncated list is incomplete, so it does not count.
            guard candidate.order.rank <= 1, !isCut || position < endOfElements else { return false }
            return reader.elements.allSatisfy { !$0.contains(position) }
        }
        let isPath = Self.announcesPath(head)
        if hasClassOutside || isPath { namedElements = [] }
        // The leaked object is the last of its path.
        let best = isPath ? candidates.last : namedElements.first ?? candidates.min { $0.order < $1.order }
        className = best?.className
        hasElementsWithoutInstances = areWithoutInstances.contains(true)
        hasNoInstances =
            reader.elements.isEmpty ? reader.count == 0 : areWithoutInstances.allSatisfy(\.self)
        // The number in the outermost object may not be the number of instances of a class at a deeper level.
        alive = best?.order.depth == 1 ? reader.count.map { min(max($0, 0), WireLimits.aliveCount) } : nil
        let parts = zip(zip(reader.elements, classesOfElements), areWithoutInstances).filter { !$1 }.map(\.0)
            .map { range, name in
                let isString = json[range.lowerBound] == UInt8(ascii: "\"")
                return Element(text: json[range], className: isString ? name?.className : nil)
            }
        elements =
            namedElements.isEmpty
            ? [] : parts.filter { $0.text.first != UInt8(ascii: "\"") || $0.className != nil }
        let messages = reader.values.compactMap { value in
            Self.messageKeys.firstIndex(of: value.key.lowercased()).map {
                (rank: $0, depth: value.depth, text: value.text)
            }
        }
        logMessage = messages.min { ($0.rank, $0.depth) < ($1.rank, $1.depth) }?.text
        isSingle = reader.textCount <= 1
        let isCutList = !namedElements.isEmpty && failure != nil
        let cutEnd = isCutList ? reader.elements.last?.upperBound : reader.values.last?.end
        completeEnd = failure == nil ? json.count : cutEnd ?? 0
        keptClasses =
            namedElements.isEmpty ? [best].compactMap(\.self) : classesOfElements.compactMap(\.self)
        isCutAtEnd = failure != nil
        (self.json, self.reader) = (json, reader)
    }

    /// The JSON text with `…` for every string except classes and call frames, and for every key that is not an identifier.
    var redacted: [UInt8] {
        let frames = reader.callStacks(in: json, until: completeEnd).flatMap(\.slices)
        // The result ends like a text that was cut, so that a second redaction reads it as such a text, too.
        let end = isCutAtEnd ? [UInt8(ascii: ",")] : []
        return Self.redacted(json[..<completeEnd], reader, keptClasses: keptClasses, frames: frames) + end
    }

    /// The call stack of the leak: a stack with frames of the app is preferred, then the outermost stack, then the first.
    var callStack: JSONFrameStrings? {
        reader.callStacks(in: json, until: completeEnd).min {
            ($0.isSystem ? 1 : 0, $0.depth) < ($1.isSystem ? 1 : 0, $1.depth)
        }
    }

    /// The whole text with one `…` for each call stack.
    var withoutCallStacks: Text {
        let stacks = reader.callStacks(in: json, until: completeEnd).map(\.whole)
        return (head + Self.replaced(stacks, in: json[...]) { _ in nil } + tail)[...]
    }

    /// Returns `true` if the words before the JSON state that the list has the owners of one object.
    private static func announcesPath(_ head: Text) -> Bool {
        let words = head.string.lowercased()
        return ["stack", "path", "chain", "retained by", "cycle"].contains { words.contains($0) }
    }

    /// Returns the start of the JSON: of the first object, of an array that begins with this object, or of an array that begins
    /// with a string and comes before any object; `nil` if there is none within the first ``wordsByteLimit`` bytes.
    private static func start(of text: Text) -> Int? {
        let words = text.prefix(wordsByteLimit)
        let brace = words.firstIndex(of: UInt8(ascii: "{"))
        // The JSON may begin with a list of strings, even if an object follows the list: the bracket is then before the first
        // brace.
        if let bracket = words.firstIndex(of: UInt8(ascii: "[")), bracket < brace ?? text.endIndex,
            text[(bracket + 1)...].firstVisible == UInt8(ascii: "\""), !isSubscript(text[bracket...])
        {
            return bracket
        }
        return brace.map { text[..<$0].trimmed.droppingLast("[")?.endIndex ?? $0 }
    }

    /// Returns `true` for `["text"] = …`, by which Swift and Objective-C set an entry of a dictionary.
    private static func isSubscript(_ text: Text) -> Bool {
        guard let close = text.prefix(nameByteLimit).firstIndex(of: UInt8(ascii: "]")) else { return false }
        return SensitiveKey.separator(at: SensitiveKey.withoutBlanks(text[(close + 1)...]))?.isAssignment
            ?? false
    }

    /// Reads one JSON text, or several one after another, with or without commas between them.
    ///
    /// If there are several texts, each object counts as an element, and so does each element of an array.
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
                    try reader.readValue(&scanner, key: "", depth: 0)
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
        words.count <= wordsByteLimit && PrivateTextRemover.removed(from: words)[...] == words
    }

    private static func redacted(
        _ json: ArraySlice<UInt8>, _ reader: Reader, keptClasses: [Candidate], frames: [JSONSlice]
    ) -> [UInt8] {
        let names = Dictionary(
            keptClasses.map { ($0.slice, Array($0.className.utf8)) }, uniquingKeysWith: { first, _ in first })
        var strings = reader.keys + reader.values.map(\.slice)
        // Strings outside of the complete values are left out.
        strings.removeAll { $0.range.upperBound >= json.endIndex }
        let plainKeys = reader.keys.filter {
            $0.range.upperBound < json.endIndex && isIdentifier(json[$0.range])
        }
        let unchanged = Set(plainKeys + frames)
        strings.removeAll { unchanged.contains($0) }
        strings.sort { $0.range.lowerBound < $1.range.lowerBound }
        return replaced(strings, in: json) { names[$0] }
    }

    /// Replaces strings of a JSON text.
    ///
    /// - Parameters:
    ///   - strings: the strings to replace, in the order of the text.
    ///   - replacement: returns the new text of a string; `nil` for `…`.
    private static func replaced(
        _ strings: [JSONSlice], in json: ArraySlice<UInt8>, by replacement: (JSONSlice) -> [UInt8]?
    ) -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for string in strings where !string.range.isEmpty {
            result.append(contentsOf: json[end..<string.range.lowerBound])
            result.append(contentsOf: replacement(string) ?? Array("…".utf8))
            end = string.range.upperBound
        }
        result.append(contentsOf: json[end...])
        return result
    }

    fileprivate static func isIdentifier(_ key: ArraySlice<UInt8>) -> Bool {
        key.count <= 64 && key.allSatisfy { $0 < 0x80 && ($0.isIdentifier || $0 == UInt8(ascii: "-")) }
    }

    /// A reader that collects the strings of a JSON text.
    private struct Reader {
        struct Value {
            let key: String
            let depth: Int
            let text: String
            let slice: JSONSlice

            /// The index after the closing quote.
            var end: Int { slice.range.upperBound + 1 }
        }

        /// Limit of elements that are read.
        static let elementLimit = 256
        /// The key under which a string of an array is read, because such a string has no key.
        private static let keyForArrayStrings = "leak"
        /// Keys of lists of leaks, in lower case.
        private static let listKeys: Set<String> = [
            "", "gcpaths", "leaks", "objects", "activities", "leakedclasses",
        ]

        var keys: [JSONSlice] = []
        /// The byte ranges of the elements (JSON objects or strings) of the outermost list of leaks, at most ``elementLimit``.
        var elements: [Range<Int>] = []
        var values: [Value] = []
        var textCount = 0
        /// The number of instances that the outermost object states.
        var count: Int?
        /// `true` if an object at any depth states 0 instances.
        var hasZeroCount = false
        /// Keys of numbers of instances, in lower case.
        private static let countKeys: Set<String> = [
            "count", "alive", "instances", "instancecount", "instance_count", "alivecount", "alive_count",
        ]

        /// Returns the call stacks among the strings, in the order of the text.
        ///
        /// - Parameter end: the end of the complete values of the text.
        func callStacks(in json: [UInt8], until end: Int) -> [JSONFrameStrings] {
            var stacks: [JSONFrameStrings] = []
            var remainder = values[...]
            while let first = remainder.first {
                var (last, count) = (first, 1)
                // Two strings of one array have only a comma between them.
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
                guard JSONFrameStrings.isCallStackKey(first.key), JSONMessage.isIdentifier(Text(first.key))
                else {
                    continue
                }
                let strings = run.filter { $0.end <= end }.map { ($0.text, $0.slice) }
                if let stack = JSONFrameStrings(strings, depth: first.depth) { stacks.append(stack) }
            }
            return stacks
        }

        mutating func readValue(_ scanner: inout JSONScanner, key: String, depth: Int) throws(JSONError) {
            switch try scanner.kind() {
            case .object:
                guard try scanner.enterObject() else { return }
                repeat {
                    let name = try scanner.name()
                    keys.append(name)
                    try readValue(&scanner, key: scanner.text(of: name), depth: depth + 1)
                } while try scanner.hasAnotherElement(in: .object)
            case .array:
                guard try scanner.enterArray() else { return }
                let isList = depth <= 1 && elements.isEmpty && Self.listKeys.contains(key.lowercased())
                repeat {
                    let kind = try scanner.kind()
                    let isElement =
                        isList && (kind == .object || kind == .string) && elements.count < Self.elementLimit
                    let start = scanner.offset
                    let isString = isElement && kind == .string
                    try readValue(&scanner, key: isString ? Self.keyForArrayStrings : key, depth: depth + 1)
                    if isElement { elements.append(start..<scanner.offset) }
                } while try scanner.hasAnotherElement(in: .array)
            case .string:
                let slice = try scanner.string()
                values.append(
                    Value(key: key, depth: depth, text: scanner.text(of: slice), slice: slice))
            case .number where Self.countKeys.contains(key.lowercased()):
                let number = try scanner.number().integer
                hasZeroCount = hasZeroCount || number == 0
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
        let order: (rank: Int, depth: Int, position: Int)

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
            let position = value.slice.range.lowerBound
            order = (rank, isPath ? 0 : value.depth, isPath ? -position : position)
        }

        /// Returns the name in a text that is a name or the description of an object.
        private static func name(_ text: Text) -> Text? {
            let name = text.trimmed
            if let description = PrintedObject(name) { return Self.name(description.name) }
            let isName = name.indices.allSatisfy { index in
                name[index].isIdentifier || ".<>,".utf8.contains(name[index])
                    || name[index] == UInt8(ascii: " ") && name[..<index].last == UInt8(ascii: ",")
            }
            return isName ? name : nil
        }

        /// Returns `true` if a name looks enough like that of a class. The less specific the key is, the stricter is the check.
        private static func isClass(_ name: Text, rank: Int) -> Bool {
            let spelling = TypeSpelling(name)
            guard spelling.isType else { return false }
            // `com.acme.Cart`, and not `Jane.Doe`.
            let isInPackage = spelling.isDotted && name.first.map { $0.isLetter && !$0.isUppercase } ?? false
            return switch rank {
            case 0: true
            case 1: spelling.isCamelCase || spelling.isDotted
            default: isInPackage && name.count { $0 == UInt8(ascii: ".") } > 1 || spelling.hasUsualEnding
            }
        }
    }

    /// Keys of the text of a log entry, the most informative first.
    private static let messageKeys = [
        "message", "msg", "eventmessage", "textpayload", "text", "body", "log", "reason", "description",
        "value", "error",
    ]

    /// Returns `true` for a key whose value is certainly a class, such as `className`.
    static func isKeyOfClass(_ key: Text) -> Bool {
        keysByRank[0].contains(key.string.lowercased().filter { $0.isLetter })
    }

    /// Returns `true` for a key whose value is a class, or an object that is described by its class, such as `viewController`.
    static func isKeyOfObject(_ key: Text) -> Bool {
        let key = key.string.lowercased().filter { $0.isLetter }
        return keysByRank[0].contains(key) || keysByRank[1].contains(key)
    }

    /// Keys of classes, in lower case and without other characters than letters. The most specific keys come first.
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
    /// The first byte that is not white space.
    fileprivate var firstVisible: UInt8? { first { $0 > 0x20 } }
}
