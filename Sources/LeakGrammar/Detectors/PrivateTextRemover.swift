internal import LeakMessage

/// A filter that removes text that users typed or read: text between quotes, and text after the address in the description of an
/// object.
///
/// The end of such a text cannot be determined, because the text may contain quotes and brackets too. So a quotation extends to the
/// last quote of its kind, or to the end of the text if the number of quotes is odd. The attributes of a description extend to the
/// end of the text.
struct PrivateTextRemover {
    private let text: Text
    private var remainder: Text
    /// The text so far, without the removed parts.
    private var result: [UInt8] = []
    private var isInBrackets = false
    /// The number of attempts that are left before ``attemptLimit`` is reached.
    private var attemptsLeft = attemptLimit
    /// The position of the last colon. The text after it contains no description.
    private let lastColon: Int
    private let keepsQuotations: Bool

    /// The number of `<` that are read as descriptions; the text after the last of them is removed. No name has that many.
    private static let attemptLimit = 256

    /// - Parameter keepsQuotations: `true` removes only text in descriptions.
    /// - Returns: `text` with `…` for each removed text, and `; …>` after an address. A second call changes nothing.
    static func removed(from text: Text, keepsQuotations: Bool = false) -> [UInt8] {
        guard text.contains(where: { $0 == UInt8(ascii: "<") || isQuote($0) }) else { return Array(text) }
        var reader = PrivateTextRemover(text, keepsQuotations)
        reader.run()
        return reader.result
    }

    private init(_ text: Text, _ keepsQuotations: Bool) {
        self.text = text
        self.keepsQuotations = keepsQuotations
        remainder = text
        lastColon = text.lastIndex(of: UInt8(ascii: ":")) ?? text.startIndex
        result.reserveCapacity(text.count + 8)
    }

    static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`")
    }

    private mutating func run() {
        while let byte = remainder.first {
            switch byte {
            case UInt8(ascii: "<"): readBracket()
            case UInt8(ascii: ">"):
                if previous != UInt8(ascii: "-") { isInBrackets = false }
                keep(1)
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
                if isOpening { readQuotation(byte) } else { keep(1) }
            case UInt8(ascii: "0"): readAddress()
            default: keep(remainder.prefix { !Self.isSpecial($0) }.count)
            }
        }
    }

    /// Returns `true` for a byte that ``run()`` has to look at: it may begin or end a text to remove.
    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "0") || isQuote(byte)
    }

    /// The byte before the next byte.
    private var previous: UInt8? {
        remainder.startIndex > text.startIndex ? text[remainder.startIndex - 1] : nil
    }

    /// Copies the next bytes to the result.
    private mutating func keep(_ count: Int) {
        result.append(contentsOf: remainder.prefix(count))
        remainder = remainder.dropFirst(count)
    }

    private mutating func keep(upTo end: Int) { keep(end - remainder.startIndex) }

    /// Writes `mark` in place of the remaining text.
    private mutating func replaceRemainder(by mark: StaticString) {
        unsafe result.append(
            contentsOf: UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount))
        remainder = remainder[remainder.endIndex...]
    }

    /// Returns the description at the start of `text`; `nil` if there is none, or if no attempts are left.
    private mutating func description(at text: Text) -> PrintedObject? {
        guard text.first == UInt8(ascii: "<"), text.startIndex < lastColon, attemptsLeft > 0 else {
            return nil
        }
        attemptsLeft -= 1
        return PrintedObject(text)
    }

    private mutating func readBracket() {
        guard attemptsLeft > 0 else { return replaceRemainder(by: "…") }
        if let end = endOfMemoryContents {
            result.append(contentsOf: Array("…".utf8))
            remainder = remainder[end...]
            return
        }
        guard let description = description(at: remainder) else {
            isInBrackets = true
            return keep(1)
        }
        keep(
            upTo: (description.attributes.isEmpty ? description.remainder : description.attributes).startIndex
        )
        isInBrackets = false
        if !description.attributes.isEmpty { replaceRemainder(by: "; …>") }
    }

    /// The end of the line if the rest of it is what Visual C++'s debug heap prints of a block: ` Data: <Jane    > 4A 61 6E 65`.
    private var endOfMemoryContents: Int? {
        guard text[..<remainder.startIndex].ends(with: " Data: ") else { return nil }
        let line = remainder.prefix { $0 != UInt8(ascii: "\n") }
        guard let close = line.lastIndex(of: UInt8(ascii: ">")) else { return nil }
        let bytes = line[(close + 1)...].split(separator: UInt8(ascii: " "))
        let areBytes = !bytes.isEmpty && bytes.allSatisfy { $0.count == 2 && $0.allSatisfy(\.isHexadecimal) }
        return areBytes ? line.endIndex : nil
    }

    /// Removes the text after an address in brackets that ``PrintedObject`` does not recognize:
    /// `<Cart of 'Jane': 0x1f; text = …>`.
    private mutating func readAddress() {
        guard isInBrackets, !(previous?.isIdentifier ?? false), remainder.starts(with: "0x") else {
            return keep(1)
        }
        let digits = remainder.dropFirst(2).prefix { $0.isHexadecimal }
        keep(upTo: digits.endIndex)
        if let next = remainder.first, next != UInt8(ascii: ">") { replaceRemainder(by: "; …>") }
    }

    /// Returns `true` if the next byte, which is a quote, begins a quotation to remove.
    private var isOpening: Bool {
        if keepsQuotations || isInCode(at: remainder.startIndex) || isOfLambda(at: remainder.startIndex) {
            return false
        }
        if remainder.first == UInt8(ascii: "\"") || !(previous.map(Self.isBesideApostrophe) ?? false) {
            return true
        }
        guard remainder.first == UInt8(ascii: "`") else { return false }
        // A backtick with a second backtick in the same line is a quote, not an apostrophe.
        let inside = remainder.dropFirst().prefix { $0 != UInt8(ascii: "`") && $0 != UInt8(ascii: "\n") }
        return text[inside.endIndex...].first == UInt8(ascii: "`")
    }

    /// Returns `true` if a backtick belongs to a call frame: it separates image and function, or begins the escaped name of a
    /// function.
    private func isInCode(at index: Int) -> Bool {
        guard remainder[index] == UInt8(ascii: "`"), index > text.startIndex else { return false }
        let textAfter = text[(index + 1)...]
        if text[index - 1] == UInt8(ascii: ".") {
            let name = textAfter.prefix(Self.maxEscapedNameBytes).prefix { $0 != UInt8(ascii: "`") }
            return text[name.endIndex...].dropFirst().first == UInt8(ascii: "(")
                && (name.allSatisfy(\.isIdentifier) || isInFrame(index))
        }
        // Masked text counts as a quotation, so that a second pass masks it again and changes nothing.
        return isInFrame(index) && !textAfter.starts(with: "…`")
            && (textAfter.starts(with: "-[") || textAfter.starts(with: "+[")
                || textAfter.first?.isIdentifier ?? false
                || text[index - 1] == UInt8(ascii: "?"))
    }

    /// Returns `true` if a quote belongs to a lambda such as `::'lambda0'(`, in the form of C++ demanglers.
    private func isOfLambda(at index: Int) -> Bool {
        guard text[index] == UInt8(ascii: "'") else { return false }
        let isOpening = text[..<index].ends(with: "::")
        let start =
            isOpening ? index : text[..<index].suffix(Self.maxLambdaBytes).lastIndex(of: UInt8(ascii: "'"))
        guard let start, text[..<start].ends(with: "::"), let name = text[(start + 1)...].dropping("lambda")
        else {
            return false
        }
        let textAfter = name.drop { $0.isDigit }
        return textAfter.starts(with: "'(") && (isOpening || textAfter.startIndex == index)
    }

    /// The longest `'lambda0`, without the closing quote, in bytes.
    private static let maxLambdaBytes = 12

    /// Returns `true` if the line that contains an index begins as a debugger's frame.
    private func isInFrame(_ index: Int) -> Bool {
        let before = text[..<index].suffix(Self.maxFrameBytes)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
        let line = before[start...].trimmed
        return line.starts(with: "frame #") || line.starts(with: "* frame #")
    }

    private static let maxFrameBytes = 256
    private static let maxEscapedNameBytes = 128

    private mutating func readQuotation(_ quote: UInt8) {
        if let name = ClassGuesser.quotedClass(at: remainder.startIndex, in: text) {
            return keep(upTo: name.endIndex + 1)
        }
        keep(1)
        // The quotation may consist of only the description of an object, which is kept.
        if let description = description(at: remainder), Self.isName(description.name) {
            if !description.attributes.isEmpty {
                keep(upTo: description.attributes.startIndex)
                replaceRemainder(by: "; …>")
                result.append(quote)
                return
            }
            if description.remainder.first == quote {
                return keep(upTo: description.remainder.startIndex + 1)
            }
        }
        result.append(contentsOf: Array("…".utf8))
        if keepKeyOfClass(after: quote) { return }
        guard let closing = closing(of: quote) else {
            remainder = remainder[remainder.endIndex...]
            return
        }
        let entry = SensitiveKey.find(inQuotes: remainder[..<closing])
        result.append(quote)
        remainder = remainder[(closing + 1)...]
        if entry != nil { hideValueOfQuotedKey() }
    }

    /// Keeps ` class="Cart"` after a quotation, and writes `…` for quoted text after this key. Without this rule, the quotation of
    /// `msg` in `msg="leak" class="Cart" user="Jane"` would extend to the last quote.
    private mutating func keepKeyOfClass(after quote: UInt8) -> Bool {
        guard !isInBrackets else { return false }
        for end in remainder.indices.prefix(Self.maxKeyBytes) where remainder[end] == quote {
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
                let name = ClassGuesser.quotedClass(at: opening, in: text)
            else { continue }
            let closing = closing(of: quote)
            keep(quotation: remainder[end...name.endIndex])
            let last = closing ?? remainder.endIndex
            if last > name.endIndex {
                result.append(contentsOf: Array("…".utf8))
                if closing != nil { result.append(quote) }
            }
            remainder =
                last < remainder.endIndex
                ? remainder[(max(last, name.endIndex) + 1)...] : remainder[remainder.endIndex...]
            return true
        }
        return false
    }

    private mutating func keep(quotation: Text) { result.append(contentsOf: quotation) }

    private static let maxKeyBytes = 512

    /// Removes the value without quotes of a quoted ``SensitiveKey``, up to a semicolon or the end of the line: `"text": Jane` and
    /// `["text"] = Jane`.
    private mutating func hideValueOfQuotedKey() {
        let textAfter = SensitiveKey.withoutBlanks(remainder.dropping("]") ?? remainder)
        guard let separator = SensitiveKey.separator(at: textAfter),
            let value = SensitiveKey.value(
                textAfter.dropFirst(separator.length), isAssignment: separator.isAssignment),
            value.first != UInt8(ascii: "`"), !SensitiveKey.isStructure(value)
        else { return }
        keep(upTo: value.startIndex)
        result.append(contentsOf: Array("…".utf8))
        remainder = remainder[SensitiveKey.end(of: value, at: ";")...]
    }

    /// Returns `true` if `text` is the name of a type, and its generic arguments are names of types too. ``TypeName`` accepts any text
    /// between the brackets of arguments, where a user may have typed a sentence.
    private static func isName(_ text: Text) -> Bool {
        let marks = Array(".,:<>()[]?&-".utf8)
        let hasOnlyNames = text.indices.allSatisfy { index in
            if text[index] == UInt8(ascii: " ") {
                return isBlankOfName(before: text[..<index], text[(index + 1)...])
            }
            return text[index].isIdentifier || marks.contains(text[index])
        }
        return hasOnlyNames && TypeName.ifNamed(text, demangle: { _ in nil }) != nil
    }

    /// Returns `true` for a space that is part of a name: after a comma, and in
    /// `(unknown context at $1)`, `(extension in M)` and `(A in _1F)`.
    private static func isBlankOfName(before: Text, _ after: Text) -> Bool {
        let words: [StaticString] = [
            ",", "(unknown", "(unknown context", "(unknown context at", "(extension", "(extension in",
        ]
        return words.contains { before.ends(with: $0) } || after.starts(with: "in _")
            || before.ends(with: " in") && after.first == UInt8(ascii: "_")
    }

    /// Returns the end of a quotation: the last quote of its kind; the next quote, if two quotations are the name and the class
    /// of an object; or the last quote of another kind, if quotes of several kinds are mixed. `nil` if the quote has no
    /// partner, as in a text that was cut, or if the quotation is inside the brackets of an object.
    private func closing(of quote: UInt8) -> Int? {
        guard !isInBrackets else { return nil }
        let quotes = remainder.indices.filter { remainder[$0] == quote && !isApostrophe(at: $0) }
        guard !quotes.count.isMultiple(of: 2), let last = quotes.last else { return nil }
        let others = "'\"`".utf8.filter { other in
            other != quote
                && remainder[..<last].indices.contains { remainder[$0] == other && !isApostrophe(at: $0) }
        }
        if others.isEmpty {
            // Two quotations: the name of an object, and then its class.
            return quotes.count == 3 && namesClass(quotes[1], after: quotes[0]) ? quotes[0] : last
        }
        return others.compactMap { remainder.lastIndex(of: $0) }.reduce(last, max)
    }

    /// Returns `true` if a second quotation names the class of the object in the first: `'Jane' of class 'Cart'`.
    private func namesClass(_ quote: Int, after closing: Int) -> Bool {
        let between = remainder[(closing + 1)..<quote].trimmed
        return Self.wordsOfClasses.contains { between.equals($0) }
            && ClassGuesser.quotedClass(at: quote, in: text) != nil
    }

    private static let wordsOfClasses: [StaticString] = [
        "of class", "of type", "of the class", "is of class", "is of type", "is an instance of",
        "instance of",
        "class", "class:", ", class", ", class:", "with class", "of class:", "of type:",
    ]

    /// Returns `true` for a byte of an ASCII word: a quote after it may be an apostrophe. Other scripts quote without a space,
    /// so a quote after them may begin a quotation.
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
