internal import LeakMessage

/// A converter of printed dictionaries to JSON. It reads a dictionary, or a list of dictionaries, in the form that Objective-C,
/// Swift, Python or Ruby prints, with at most a few words before and after it.
///
/// Examples are `{ class = CartModel; count = 3; }`, `["class": "CartModel"]`, `{'class': 'CartModel'}` and
/// `{:class=>"CartModel"}`. Only a dictionary that names a class is converted.
struct DictionaryConverter {
    private var remainder: Text
    private var json: [UInt8] = []
    /// `true` if a key was found whose value is a class, such as `class`.
    private var hasClassKey = false

    private static let depthLimit = 32
    private static let wordsByteLimit = 256

    /// - Parameter text: a text that ``MessageNormalizer`` has normalized.
    /// - Returns: the text with the dictionary as JSON; `nil` for a text without a dictionary that names a class, for a text
    ///   that is JSON already, and if words around the dictionary may name the leaked class.
    static func json(_ text: Text) -> Text? {
        let words = text.prefix(wordsByteLimit)
        guard
            let open = words.firstIndex(where: {
                $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "(")
            })
        else { return nil }
        var reader = DictionaryConverter(remainder: text[open...])
        guard reader.readValue(depth: 0), reader.hasClassKey else { return nil }
        // If the words around the dictionary may name the leaked class, the text is not converted.
        guard
            !(ClassGuesser.names(in: text[..<open]) + ClassGuesser.names(in: reader.remainder)).contains(
                where: {
                    TypeSpelling($0).isCamelCase
                })
        else { return nil }
        let result = text[..<open] + reader.json + reader.remainder
        // A text that is JSON already needs no conversion.
        guard JSONMessage(text, demangle: { _ in nil }) == nil,
            let message = JSONMessage(result, demangle: { _ in nil }),
            message.className != nil || !message.elements.isEmpty
        else { return nil }
        return result
    }

    private init(remainder: Text) { self.remainder = remainder }

    private mutating func skipSpace() { remainder = remainder.drop { $0 <= 0x20 } }

    /// - Returns: `false` if the remaining text does not start with `mark`.
    private mutating func skip(_ mark: StaticString) -> Bool {
        guard let textAfter = remainder.dropping(mark) else { return false }
        remainder = textAfter
        return true
    }

    // MARK: Containers

    /// Reads a dictionary, a list or a text, and appends it to ``json``.
    ///
    /// - Returns: `false` for a text of another form.
    private mutating func readValue(depth: Int) -> Bool {
        skipSpace()
        guard depth < Self.depthLimit, let first = remainder.first else { return false }
        switch first {
        case UInt8(ascii: "{"): return readMembers(closing: UInt8(ascii: "}"), depth: depth)
        case UInt8(ascii: "["): return readMembers(closing: UInt8(ascii: "]"), depth: depth)
        case UInt8(ascii: "("): return readMembers(closing: UInt8(ascii: ")"), depth: depth)
        default: return readScalar()
        }
    }

    /// Reads a dictionary or a list, at its opening bracket.
    private mutating func readMembers(closing: UInt8, depth: Int) -> Bool {
        remainder = remainder.dropFirst()
        let start = json.count
        json.append(UInt8(ascii: "["))
        var (isDictionary, memberCount) = (closing == UInt8(ascii: "}"), 0)
        while true {
            skipSpace()
            guard let byte = remainder.first else { return false }
            if byte == closing {
                remainder = remainder.dropFirst()
                break
            }
            // `[:]`
            if memberCount == 0, closing == UInt8(ascii: "]"), byte == UInt8(ascii: ":") {
                isDictionary = true
                remainder = remainder.dropFirst()
                continue
            }
            if memberCount > 0 { json.append(UInt8(ascii: ",")) }
            let element = json.count
            guard readValue(depth: depth + 1) else { return false }
            skipSpace()
            let isMember = skip("=>") || skip("=") || skip(":")
            if memberCount == 0, isMember { isDictionary = true }
            // In `CartModel (class: BaseModel)`, the parentheses contain no dictionary.
            guard isMember == isDictionary, !isMember || closing != UInt8(ascii: ")") else { return false }
            if isMember {
                // Only a string can be a key.
                guard json[element] == UInt8(ascii: "\"") else { return false }
                hasClassKey = hasClassKey || JSONMessage.isKeyOfClass(json[element...].dropFirst().dropLast())
                json.append(UInt8(ascii: ":"))
                guard readValue(depth: depth + 1) else { return false }
                skipSpace()
            }
            memberCount += 1
            if !skip(","), !skip(";"), remainder.first != closing { return false }
        }
        guard isDictionary else {
            json.append(UInt8(ascii: "]"))
            return true
        }
        json[start] = UInt8(ascii: "{")
        json.append(UInt8(ascii: "}"))
        return true
    }

    // MARK: Texts

    private mutating func readScalar() -> Bool {
        for wrapper: StaticString in ["AnyHashable(", "Optional("] {
            guard skip(wrapper) else { continue }
            return readScalar() && skip(")")
        }
        guard let first = remainder.first else { return false }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") { return readQuotation(first) }
        // A symbol of Ruby.
        if first == UInt8(ascii: ":") { remainder = remainder.dropFirst() }
        var word = remainder.prefix { $0.isIdentifier || "._-+/".utf8.contains($0) }
        // The description of an object, or the arguments of a generic type.
        let textAfter = remainder[word.endIndex...]
        if textAfter.first == UInt8(ascii: "<"),
            let end = Brackets.endIndexIfClosed(ofBracketAtStartOf: textAfter.prefix(Self.wordsByteLimit))
        {
            word = remainder[..<end]
        }
        guard !word.isEmpty else { return false }
        remainder = remainder[word.endIndex...]
        let isNumber =
            word.count < 16 && word.allSatisfy { $0.isDigit }
            && (word.first != UInt8(ascii: "0") || word.count == 1)
        if isNumber { json += word } else { append(word) }
        return true
    }

    /// Reads a text in quotes of any kind, and writes it in the double quotes of JSON.
    private mutating func readQuotation(_ quote: UInt8) -> Bool {
        var text: [UInt8] = []
        var index = remainder.startIndex + 1
        while index < remainder.endIndex {
            let byte = remainder[index]
            if byte == quote {
                remainder = remainder[(index + 1)...]
                append(text[...])
                return true
            }
            // An escape sequence never ends the quotation.
            if byte == UInt8(ascii: "\\"), index + 1 < remainder.endIndex {
                index += 1
                text.append(remainder[index] == quote ? quote : UInt8(ascii: " "))
            } else {
                text.append(byte)
            }
            index += 1
        }
        return false
    }

    private mutating func append(_ text: Text) {
        var writer = JSONWriter(capacity: text.count + 2)
        writer.element(text.string)
        json += writer.bytes
    }
}
