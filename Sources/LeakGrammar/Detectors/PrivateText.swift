internal import LeakMessage

/// The removal of text that users typed or read, wherever it may be: between quotes, and after the address in the description
/// of an object.
///
/// The end of such a text cannot be determined, since it may contain quotes and brackets too. So a quotation extends to the last
/// quote of its kind, or to the end if their number is odd, and the text of a description about its object extends to the end.
struct PrivateText {
    private let text: Text
    private var remainder: Text
    private var kept: [UInt8] = []
    private var isInBrackets = false
    /// The number of ``attempts`` that are left.
    private var attemptsLeft = attempts
    /// The position of the last colon. The text after it contains no description.
    private let lastColon: Int
    private let keepsQuotations: Bool

    /// The number of `<` that are read as descriptions; the text after the last of them is removed. No name has that many.
    private static let attempts = 256

    /// - Parameter keepsQuotations: `true` removes only text in descriptions.
    /// - Returns: `text` with `…` for each removed text, and `; …>` after an address. Another removal changes nothing.
    static func removed(from text: Text, keepsQuotations: Bool = false) -> [UInt8] {
        guard text.contains(where: { $0 == UInt8(ascii: "<") || isQuote($0) }) else { return Array(text) }
        var reader = PrivateText(text, keepsQuotations)
        reader.run()
        return reader.kept
    }

    private init(_ text: Text, _ keepsQuotations: Bool) {
        self.text = text
        self.keepsQuotations = keepsQuotations
        remainder = text
        lastColon = text.lastIndex(of: UInt8(ascii: ":")) ?? text.startIndex
        kept.reserveCapacity(text.count + 8)
    }

    static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`")
    }

    private mutating func run() {
        while let byte = remainder.first {
            switch byte {
            case UInt8(ascii: "<"): bracket()
            case UInt8(ascii: ">"):
                if previous != UInt8(ascii: "-") { isInBrackets = false }
                keep(1)
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
                if isOpening { quotation(byte) } else { keep(1) }
            case UInt8(ascii: "0"): zero()
            default: keep(remainder.prefix { !Self.isMark($0) }.count)
            }
        }
    }

    /// Returns `true` for a byte that may begin or end a removed text.
    private static func isMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "0") || isQuote(byte)
    }

    /// The byte before the next one.
    private var previous: UInt8? {
        remainder.startIndex > text.startIndex ? text[remainder.startIndex - 1] : nil
    }

    private mutating func keep(_ count: Int) {
        kept.append(contentsOf: remainder.prefix(count))
        remainder = remainder.dropFirst(count)
    }

    private mutating func keep(upTo end: Int) { keep(end - remainder.startIndex) }

    /// Writes `mark` in place of the rest of the text.
    private mutating func end(_ mark: StaticString) {
        unsafe kept.append(
            contentsOf: UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount))
        remainder = remainder[remainder.endIndex...]
    }

    /// Returns the description at the start of `text`; `nil` if no attempts are left.
    private mutating func description(at text: Text) -> Description? {
        guard text.first == UInt8(ascii: "<"), text.startIndex < lastColon, attemptsLeft > 0 else {
            return nil
        }
        attemptsLeft -= 1
        return Description(text)
    }

    private mutating func bracket() {
        guard attemptsLeft > 0 else { return end("…") }
        guard let description = description(at: remainder) else {
            isInBrackets = true
            return keep(1)
        }
        keep(
            upTo: (description.attributes.isEmpty ? description.remainder : description.attributes).startIndex
        )
        isInBrackets = false
        if !description.attributes.isEmpty { end("; …>") }
    }

    /// An address in brackets that are no description otherwise: `<Cart of 'Jane': 0x1f; text = …>`.
    private mutating func zero() {
        guard isInBrackets, !(previous?.isIdentifier ?? false), remainder.starts(with: "0x") else {
            return keep(1)
        }
        let digits = remainder.dropFirst(2).prefix { $0.isHexadecimal }
        keep(upTo: digits.endIndex)
        if let next = remainder.first, next != UInt8(ascii: ">") { end("; …>") }
    }

    /// Returns `true` if the next byte is a quote and not an apostrophe.
    private var isOpening: Bool {
        if keepsQuotations || isInCode(at: remainder.startIndex) || isOfLambda(at: remainder.startIndex) {
            return false
        }
        if remainder.first == UInt8(ascii: "\"") || !(previous.map(Self.isBesideApostrophe) ?? false) {
            return true
        }
        guard remainder.first == UInt8(ascii: "`") else { return false }
        // A quote with a second one in the same line is no apostrophe.
        let inside = remainder.dropFirst().prefix { $0 != UInt8(ascii: "`") && $0 != UInt8(ascii: "\n") }
        return text[inside.endIndex...].first == UInt8(ascii: "`")
    }

    /// Returns `true` if a backtick separates image and function, or begins the escaped name of a function.
    private func isInCode(at index: Int) -> Bool {
        guard remainder[index] == UInt8(ascii: "`"), index > text.startIndex else { return false }
        let textAfter = text[(index + 1)...]
        if text[index - 1] == UInt8(ascii: ".") {
            let name = textAfter.prefix(Self.escapedNameBytes).prefix { $0 != UInt8(ascii: "`") }
            return text[name.endIndex...].dropFirst().first == UInt8(ascii: "(")
                && (name.allSatisfy(\.isIdentifier) || isInFrame(index))
        }
        // Masked text is masked again, so that a second pass changes nothing.
        return isInFrame(index) && !textAfter.starts(with: "…`")
            && (textAfter.starts(with: "-[") || textAfter.starts(with: "+[")
                || textAfter.first?.isIdentifier ?? false
                || text[index - 1] == UInt8(ascii: "?"))
    }

    /// Returns `true` if a quote is one of `::'lambda0'(`, as demanglers of C++ name a lambda.
    private func isOfLambda(at index: Int) -> Bool {
        guard text[index] == UInt8(ascii: "'") else { return false }
        let isOpening = text[..<index].ends(with: "::")
        let start =
            isOpening ? index : text[..<index].suffix(Self.lambdaBytes).lastIndex(of: UInt8(ascii: "'"))
        guard let start, text[..<start].ends(with: "::"), let name = text[(start + 1)...].dropping("lambda")
        else {
            return false
        }
        let textAfter = name.drop { $0.isDigit }
        return textAfter.starts(with: "'(") && (isOpening || textAfter.startIndex == index)
    }

    private static let lambdaBytes = 12

    /// `true` if the line up to an index begins as a debugger's frame.
    private func isInFrame(_ index: Int) -> Bool {
        let before = text[..<index].suffix(Self.frameBytes)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
        let line = before[start...].trimmed
        return line.starts(with: "frame #") || line.starts(with: "* frame #")
    }

    private static let frameBytes = 256
    private static let escapedNameBytes = 128

    private mutating func quotation(_ quote: UInt8) {
        if let name = GuessedClass.quoted(at: remainder.startIndex, in: text) {
            return keep(upTo: name.endIndex + 1)
        }
        keep(1)
        // The description of an object may be quoted by itself.
        if let description = description(at: remainder), Self.isName(description.name) {
            if !description.attributes.isEmpty {
                keep(upTo: description.attributes.startIndex)
                end("; …>")
                kept.append(quote)
                return
            }
            if description.remainder.first == quote {
                return keep(upTo: description.remainder.startIndex + 1)
            }
        }
        kept.append(contentsOf: Array("…".utf8))
        if keyOfClass(behind: quote) { return }
        guard let closing = closing(of: quote) else {
            remainder = remainder[remainder.endIndex...]
            return
        }
        let entry = SensitiveKey.find(inQuotes: remainder[..<closing])
        kept.append(quote)
        remainder = remainder[(closing + 1)...]
        if entry != nil { valueOfQuotedKey() }
    }

    /// Keeps ` class="Cart"` after a quotation, with `…` for what is quoted after it: in `msg="leak" class="Cart" user="Jane"` the
    /// quotation of `msg` goes up to the last quote otherwise.
    private mutating func keyOfClass(behind quote: UInt8) -> Bool {
        guard !isInBrackets else { return false }
        for end in remainder.indices.prefix(Self.keyBytes) where remainder[end] == quote {
            let textAfter = remainder[(end + 1)...]
            guard textAfter.first.map({ " ,;".utf8.contains($0) }) ?? false else { continue }
            let key = textAfter.drop { " ,;".utf8.contains($0) }.prefix { $0.isIdentifier }
            let mark = text[key.endIndex...]
            guard
                let opening = [1, 2].map({ key.endIndex + $0 }).first(where: {
                    text.indices.contains($0) && text[$0] == quote
                }),
                mark.first == UInt8(ascii: "=") || mark.first == UInt8(ascii: ":"),
                JSONMessage.isKeyOfObject(key),
                let name = GuessedClass.quoted(at: opening, in: text)
            else { continue }
            let closing = closing(of: quote)
            keep(quotation: remainder[end...name.endIndex])
            let last = closing ?? remainder.endIndex
            if last > name.endIndex {
                kept.append(contentsOf: Array("…".utf8))
                if closing != nil { kept.append(quote) }
            }
            remainder =
                last < remainder.endIndex
                ? remainder[(max(last, name.endIndex) + 1)...] : remainder[remainder.endIndex...]
            return true
        }
        return false
    }

    private mutating func keep(quotation: Text) { kept.append(contentsOf: quotation) }

    private static let keyBytes = 512

    /// `"text": Jane` and `["text"] = Jane`: the value without quotes of a ``SensitiveKey`` that stood in quotes, up to the end of
    /// the line.
    private mutating func valueOfQuotedKey() {
        let textAfter = SensitiveKey.withoutBlanks(remainder.dropping("]") ?? remainder)
        guard let separator = SensitiveKey.separator(at: textAfter),
            let value = SensitiveKey.value(
                textAfter.dropFirst(separator.length), isAssignment: separator.isAssignment),
            value.first != UInt8(ascii: "`"), !SensitiveKey.isStructure(value)
        else { return }
        keep(upTo: value.startIndex)
        kept.append(contentsOf: Array("…".utf8))
        remainder = remainder[SensitiveKey.end(of: value, at: ";")...]
    }

    /// Returns `true` if `text` is the name of a type, and so are its arguments: ``TypeName`` accepts any text in their brackets,
    /// where a user may have typed a sentence.
    private static func isName(_ text: Text) -> Bool {
        let marks = Array(".,:<>()[]?&-".utf8)
        let isWordForWord = text.indices.allSatisfy { index in
            if text[index] == UInt8(ascii: " ") {
                return isBlankOfName(before: text[..<index], text[(index + 1)...])
            }
            return text[index].isIdentifier || marks.contains(text[index])
        }
        return isWordForWord && TypeName.ifNamed(text, demangle: { _ in nil }) != nil
    }

    /// Blanks stand after the commas of a name, and in `(unknown context at $1)`, `(extension in M)` and `(A in _1F)`.
    private static func isBlankOfName(before: Text, _ after: Text) -> Bool {
        let words: [StaticString] = [
            ",", "(unknown", "(unknown context", "(unknown context at", "(extension", "(extension in",
        ]
        return words.contains { before.ends(with: $0) } || after.starts(with: "in _")
            || before.ends(with: " in") && after.first == UInt8(ascii: "_")
    }

    /// Returns the end of a quotation: the last quote of its kind, or the last quote of another kind if quotes of both kinds are
    /// mixed. `nil` if the quote is not one of a pair, as in a text that was cut, or if all of it is about an object.
    private func closing(of quote: UInt8) -> Int? {
        guard !isInBrackets else { return nil }
        let quotes = remainder.indices.filter { remainder[$0] == quote && !isApostrophe(at: $0) }
        guard !quotes.count.isMultiple(of: 2), let last = quotes.last else { return nil }
        let others = "'\"`".utf8.filter { other in
            other != quote
                && remainder[..<last].indices.contains { remainder[$0] == other && !isApostrophe(at: $0) }
        }
        if others.isEmpty {
            // The class of an object whose name was quoted, without other quoted text.
            return quotes.count == 3 && isOfClass(quotes[1], behind: quotes[0]) ? quotes[0] : last
        }
        return others.compactMap { remainder.lastIndex(of: $0) }.reduce(last, max)
    }

    /// Returns `true` if the quotation after another one names the class of the object in that one: `'Jane' of class 'Cart'`.
    private func isOfClass(_ quote: Int, behind closing: Int) -> Bool {
        let between = remainder[(closing + 1)..<quote].trimmed
        return Self.wordsOfClasses.contains { between.equals($0) }
            && GuessedClass.quoted(at: quote, in: text) != nil
    }

    private static let wordsOfClasses: [StaticString] = [
        "of class", "of type", "of the class", "is of class", "is of type", "is an instance of",
        "instance of",
        "class", "class:", ", class", ", class:", "with class", "of class:", "of type:",
    ]

    /// A letter of Latin script in front of an apostrophe is one of ASCII: other scripts quote without a space.
    static func isBesideApostrophe(_ byte: UInt8) -> Bool { byte.isIdentifier && byte < 0x80 }

    private func isApostrophe(at index: Int) -> Bool {
        if remainder[index] == UInt8(ascii: "`") { return isInCode(at: index) }
        guard remainder[index] == UInt8(ascii: "'"), index > remainder.startIndex,
            index + 1 < remainder.endIndex
        else {
            return false
        }
        if isOfLambda(at: index) { return true }
        return Self.isBesideApostrophe(remainder[index - 1]) && remainder[index + 1].isIdentifier
            && !remainder[..<index].ends(with: "…")
    }
}
