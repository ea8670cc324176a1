internal import LeakMessage

/// A normalizer of texts: a normalized text has one kind of line ends, quotes and brackets.
enum MessageNormalizer {
    /// Limit of bytes of a text that are read: twice the limit of the wire format.
    static let byteLimit = 16 * 1024

    /// Returns the text with `\n` for every line end, spaces for tabs, straight quotes for curved, angled and doubled quotes,
    /// and quotes and brackets for their HTML entities. Byte order marks, zero-width spaces and the list of images in a
    /// backtrace of Swift are removed.
    static func plain(_ text: String) -> Text {
        var plain: [UInt8] = []
        let bytes = Text(text).cut(to: byteLimit)
        plain.reserveCapacity(bytes.count)
        var remainder = bytes
        while let byte = remainder.first {
            switch byte {
            case UInt8(ascii: "\r"):
                plain.append(UInt8(ascii: "\n"))
                remainder = remainder.dropping("\r\n") ?? remainder.dropFirst()
            case UInt8(ascii: "\n"):
                plain.append(byte)
                remainder = remainder.dropFirst()
            case 0x1B where remainder.dropFirst().first == UInt8(ascii: "["):
                // A color code for terminals: `ESC [ 3 1 m`.
                let textAfter = remainder.dropFirst(2).drop { $0.isDigit || $0 == UInt8(ascii: ";") }
                remainder =
                    textAfter.first == UInt8(ascii: "m") ? textAfter.dropFirst() : remainder.dropFirst(2)
            case 0..<0x20, 0x7F:
                plain.append(UInt8(ascii: " "))
                remainder = remainder.dropFirst()
            case 0xC2, 0xE2, 0xE3, 0xEF:
                if let after = remainder.dropping("\u{200B}") ?? remainder.dropping("\u{FEFF}") {
                    remainder = after
                } else if let quote = Quote(remainder) {
                    quote.append(to: &plain)
                    remainder = quote.remainder
                } else {
                    plain.append(byte)
                    remainder = remainder.dropFirst()
                }
            default:
                let ordinary = remainder.prefix(while: isOrdinary)
                plain.append(contentsOf: ordinary)
                remainder = remainder[ordinary.endIndex...]
            }
        }
        return SwiftBacktraceImages.textWithoutImages(withPlainQuotes(withoutEntities(plain[...]))).trimmed
    }

    /// Returns `true` for a byte that the loop in ``plain(_:)`` copies unchanged, whatever follows it.
    private static func isOrdinary(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, 0xC2, 0xE2, 0xE3, 0xEF: false
        default: true
        }
    }

    // MARK: Quotes in other spellings

    /// Returns the text with quotes and brackets in place of HTML entities such as `&quot;`, `&#39;` and `&lt;`, which may be escaped
    /// several times.
    private static func withoutEntities(_ text: Text) -> Text {
        guard text.contains(UInt8(ascii: "&")) else { return text }
        // In a text with double quotes, such as JSON, another double quote could end a string.
        let doubleQuote = text.contains(UInt8(ascii: "\"")) ? UInt8(ascii: "'") : UInt8(ascii: "\"")
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var remainder = text
        while let byte = remainder.first {
            remainder = remainder.dropFirst()
            guard byte == UInt8(ascii: "&") else {
                result.append(byte)
                continue
            }
            var name = remainder
            while let inner = name.dropping("amp;") { name = inner }
            guard let entity = entity(name), let quote = Quote(entity.character) else {
                result.append(byte)
                continue
            }
            quote.append(to: &result, doubleQuote: doubleQuote)
            remainder = entity.remainder
        }
        return result[...]
    }

    /// Returns the character of an HTML entity, by its name or number, and the text after the entity.
    ///
    /// - Parameter text: the text after the `&`.
    private static func entity(_ text: Text) -> (character: Text, remainder: Text)? {
        guard let number = text.dropping("#") else {
            let name = text.prefix { $0.isLetter }
            guard name.count <= 24, let character = entities[name.string],
                let remainder = text[name.endIndex...].dropping(";")
            else { return nil }
            return (Text(character), remainder)
        }
        let hexadecimal = number.dropping("x") ?? number.dropping("X")
        let digits = hexadecimal?.prefix(while: \.isHexadecimal) ?? number.prefix(while: \.isDigit)
        let textAfter = text[digits.endIndex...]
        // Browsers read a decimal number without a semicolon too. Hexadecimal digits could be letters of the next word.
        let remainder = textAfter.dropping(";") ?? (hexadecimal == nil ? textAfter : nil)
        guard let remainder, let value = UInt32(digits.string, radix: hexadecimal == nil ? 10 : 16),
            let scalar = Unicode.Scalar(value)
        else { return nil }
        return (Text(String(scalar)), remainder)
    }

    private static let entities = [
        "quot": "\"", "QUOT": "\"", "apos": "'", "lt": "<", "LT": "<", "gt": ">", "GT": ">", "grave": "`",
        "DiacriticalGrave": "`",
        "ldquo": "“", "rdquo": "”", "rdquor": "”", "bdquo": "„", "ldquor": "„", "lsquo": "‘", "rsquo": "’",
        "rsquor": "’",
        "sbquo": "‚", "lsquor": "‚", "laquo": "«", "raquo": "»", "lsaquo": "‹", "rsaquo": "›", "Prime": "″",
        "OpenCurlyQuote": "‘", "CloseCurlyQuote": "’", "OpenCurlyDoubleQuote": "“",
        "CloseCurlyDoubleQuote": "”",
    ]

    /// A quote or a bracket in any spelling, at the start of a text.
    private struct Quote {
        private let byte: UInt8
        /// `true` for a single quote that cannot be an apostrophe.
        private let isOpening: Bool
        let remainder: Text

        init?(_ text: Text) {
            func textAfter(anyOf quotes: [StaticString]) -> Text? {
                quotes.lazy.compactMap { text.dropping($0) }.first
            }
            if let remainder = textAfter(anyOf: doubleQuotes) {
                (byte, isOpening, self.remainder) = (UInt8(ascii: "\""), false, remainder)
            } else if let remainder = textAfter(anyOf: openingQuotes) {
                (byte, isOpening, self.remainder) = (UInt8(ascii: "'"), true, remainder)
            } else if let remainder = textAfter(anyOf: singleQuotes) {
                (byte, isOpening, self.remainder) = (UInt8(ascii: "'"), false, remainder)
            } else if let first = text.first, "\"'`<>".utf8.contains(first) {
                (byte, isOpening, remainder) = (first, false, text.dropFirst())
            } else {
                return nil
            }
        }

        /// Appends the quote or bracket in its plain spelling.
        ///
        /// - Parameter doubleQuote: the byte that replaces double quotes.
        func append(to text: inout [UInt8], doubleQuote: UInt8 = UInt8(ascii: "\"")) {
            if isOpening, text.last.map(PrivateTextRemover.isBesideApostrophe) ?? false {
                text.append(UInt8(ascii: " "))
            }
            text.append(byte == UInt8(ascii: "\"") ? doubleQuote : byte)
        }
    }

    /// Replaces doubled single quotes or doubled backticks around a text by double quotes, and the quotes of `` `text' `` by single
    /// quotes.
    private static func withPlainQuotes(_ text: Text) -> Text {
        guard text.contains("''") || text.contains(backtick) else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var remainder = text
        while let byte = remainder.first {
            guard byte == backtick || byte == UInt8(ascii: "'"),
                let quotation = Quotation(at: remainder.startIndex, in: text)
            else {
                result.append(byte)
                remainder = remainder.dropFirst()
                continue
            }
            result.append(quotation.mark)
            result.append(contentsOf: quotation.inside)
            result.append(quotation.mark)
            remainder = text[quotation.end...]
        }
        return result[...]
    }

    private static let backtick = UInt8(ascii: "`")

    /// A text between doubled quotes, or between a backtick and a single quote. The text contains no quote.
    private struct Quotation {
        let inside: Text
        let end: Int
        let mark: UInt8

        /// - Parameter start: the index of the opening quote.
        init?(at start: Int, in text: Text) {
            guard start == text.startIndex || !PrivateTextRemover.isBesideApostrophe(text[start - 1]) else {
                return nil
            }
            let isDoubled = text[start...].starts(with: "``") || text[start...].starts(with: "''")
            let body = text[(start + (isDoubled ? 2 : 1))...]
            let inside = body.prefix { !PrivateTextRemover.isQuote($0) && $0 != UInt8(ascii: "\n") }
            guard let first = inside.first, let last = inside.last, first > 0x20, last > 0x20,
                first.isIdentifier || first == UInt8(ascii: "<") || !isDoubled
            else { return nil }
            let textAfter = text[inside.endIndex...]
            if isDoubled {
                guard textAfter.starts(with: "''") || text[start] == backtick && textAfter.starts(with: "``")
                else {
                    return nil
                }
                mark = UInt8(ascii: "\"")
            } else {
                guard text[start] == backtick, textAfter.first == UInt8(ascii: "'") else { return nil }
                mark = UInt8(ascii: "'")
            }
            self.inside = inside
            end = inside.endIndex + (isDoubled ? 2 : 1)
        }
    }

    private static let doubleQuotes: [StaticString] = [
        "“", "”", "„", "‟", "«", "»", "‹", "›", "《", "》", "〈", "〉", "＂", "❝", "❞", "″", "「", "」", "『", "』",
        "〝", "〞",
    ]
    private static let openingQuotes: [StaticString] = ["‘", "‚", "‛", "❛"]
    private static let singleQuotes: [StaticString] = ["’", "＇", "❜"]

    /// A message, and the text around it that loggers, the Swift runtime and test runners add.
    struct FramedMessage {
        /// The whole text.
        let text: Text
        /// The text before the message.
        var head: Text
        var message: Text
        /// The number of closing quotes after the message.
        var closingQuoteCount = 0
    }

    /// Separates the message from the text around it.
    static func framed(_ text: Text) -> FramedMessage {
        var framed = FramedMessage(text: text, head: text.prefix(0), message: text)
        // A log line may contain the text of a trap, which may contain the text of a failed assertion.
        for _ in 0..<4 {
            let previousStart = framed.message.startIndex
            framed.message = (withoutLogLinePrefix(framed.message) ?? framed.message).trimmed
            if let reason = exceptionReason(framed.message) {
                framed.message = reason.trimmed
                framed.closingQuoteCount += 1
            }
            framed.message = (withoutTrapHead(framed.message) ?? framed.message).trimmed
            if framed.message.startIndex == previousStart { break }
        }
        framed.message = withoutTrapTail(framed.message)
        framed.message = withoutLineBeforeCycle(framed.message)
        framed.head = text[..<framed.message.startIndex]
        return framed
    }

    /// Removes the prefix of a log line: `2017-11-14 11:58:37.373501+0800 app[3933:3009455] `, as `NSLog` and the unified log print
    /// it, or a tag of MLeaksFinder. Returns `nil` for a text without such a prefix.
    static func withoutLogLinePrefix(_ text: Text) -> Text? {
        for tag: StaticString in ["MLeaksFinder: ", "[MLeaksFinder] "] {
            if let message = text.dropping(tag) { return message }
        }
        guard text.count > timeShape.count else { return nil }
        for (byte, expected) in zip(text, timeShape) {
            guard expected == UInt8(ascii: "d") ? byte.isDigit : byte == expected else { return nil }
        }
        let line = text.firstLine.line.prefix(256)
        var remainder = line.dropFirst(timeShape.count)
        while let open = remainder.firstIndex(of: UInt8(ascii: "[")) {
            let front = line[(line.startIndex + timeShape.count)..<open]
            remainder = remainder[(open + 1)...]
            // A number in brackets after other words is not that of a process: in `0 0x1f [ra] [0] Shop load()`, an image has it.
            let isBesideWord = front.last.map { $0 > 0x20 } ?? true
            guard isBesideWord || front.trimmed.count(where: { $0 <= 0x20 }) < 2 else { continue }
            guard let close = remainder.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let numbers = remainder[..<close]
            if !numbers.isEmpty, numbers.allSatisfy({ $0.isHexadecimal || $0 == UInt8(ascii: ":") }) {
                let after = text[(close + 1)...]
                return after.dropping(":") ?? after
            }
        }
        return nil
    }

    /// The form of a time, in which `d` is any digit.
    private static let timeShape = Array("dddd-dd-dd dd:dd:dd".utf8)

    /// Removes `App/File.swift:7: Fatal error: ` and similar texts, and the text that XCTest prints before a failure:
    /// `…error: -[Suite test] : ` on Apple's systems, `…error: Suite.test : ` elsewhere. Returns `nil` for any other text.
    private static func withoutTrapHead(_ text: Text) -> Text? {
        let line = text.firstLine.line
        let marks: [StaticString] = [
            "Fatal error: ", "Assertion failed: ", "Precondition failed: ", "Assertion failure: ",
        ]
        for mark in marks {
            guard let range = line.firstRange(of: mark) else { continue }
            if isSourcePosition(text[..<range.lowerBound]) { return text[range.upperBound...] }
        }
        guard let range = line.firstRange(of: "error: "), isSourcePosition(text[..<range.lowerBound]) else {
            return nil
        }
        let test = line[range.upperBound...]
        guard let end = test.firstRange(of: " : ") else { return nil }
        let name = test[..<end.lowerBound]
        let isName =
            name.starts(with: "-[") && name.last == UInt8(ascii: "]")
            || name.contains(UInt8(ascii: "."))
                && name.allSatisfy { $0.isIdentifier || $0 == UInt8(ascii: ".") }
        return isName ? text[end.upperBound...] : nil
    }

    /// Returns the reason in the report of an uncaught exception; `nil` for any other text.
    private static func exceptionReason(_ text: Text) -> Text? {
        // A failed assertion prints another line before this heading.
        guard let head = text.firstRange(of: "*** Terminating app due to"),
            head.lowerBound == text.startIndex || text[head.lowerBound - 1] == UInt8(ascii: "\n"),
            !text[..<head.lowerBound].contains(where: {
                $0 == UInt8(ascii: "<") || PrivateTextRemover.isQuote($0)
            }),
            let range = text[head.upperBound...].firstRange(of: "reason: '")
        else {
            return nil
        }
        let reason = text[range.upperBound...]
        return reason[..<(reason.lastIndex(of: UInt8(ascii: "'")) ?? reason.endIndex)]
    }

    /// Returns `true` for an empty text, and for a text without quotes and `<` that ends with a digit and `: `, such as
    /// `path:line: ` or the name of a thread. Such a text contains no part of a message.
    private static func isSourcePosition(_ text: Text) -> Bool {
        guard !text.isEmpty else { return true }
        guard let place = text.droppingLast(": ") else { return false }
        if place.contains(where: {
            $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: "\"")
        }) {
            return false
        }
        return place.last?.isDigit ?? false
    }

    /// Removes a line such as `Memory Leak` before a retain cycle.
    private static func withoutLineBeforeCycle(_ text: Text) -> Text {
        let (line, remainder) = text.firstLine
        let marks: [StaticString] = [
            "Retain Cycle: (", "Retain Cycle:(", "Retain cycles:", "Retain cycles found:",
        ]
        guard line.count <= 64, marks.contains(where: { remainder.trimmed.starts(with: $0) }),
            !line.contains(where: { $0 == UInt8(ascii: "<") || PrivateTextRemover.isQuote($0) })
        else { return text }
        return remainder.trimmed
    }

    /// Removes `: file /path/File.swift, line 33` from the end, which older runtimes print after the message.
    private static func withoutTrapTail(_ text: Text) -> Text {
        var text = text
        while let range = text.lastRange(of: ": file "),
            let line = text[range.upperBound...].lastRange(of: ", line "),
            line.upperBound < text.endIndex, text[line.upperBound...].allSatisfy(\.isDigit)
        {
            text = text[..<range.lowerBound].trimmed
        }
        return text
    }
}
