internal import LeakMessage

extension PersonalDataMasker {
    /// Masks the unquoted value of a sensitive key, up to the next attribute or the end of the line: `text = Jane; …`.
    mutating func maskValue() {
        // A name of C++ such as `Token::refresh()`.
        guard !remainder.starts(with: "::") else { return keep(2) }
        guard let separator = SensitiveKey.separator(at: remainder) else { return keep(1) }
        let key = key(isAssignment: separator.isAssignment)
        keep(separator.length)
        guard let key else { return }
        if key.entry.isTitle { isAfterAlertTitle = true }
        guard key.entry.separator != .inAlert || isAfterAlertTitle || isOfAlert else { return }
        guard let value = SensitiveKey.value(remainder, isAssignment: separator.isAssignment) else {
            return maskTextAfterQuotedValue(extendsToLineEnd: key.entry.extendsToLineEnd)
        }
        if key.entry.isAddress, value.prefix(Self.maxBytesBeforeAddress).contains("0x") { return }
        if !separator.isAssignment,
            beginsWithFunctionLabels(remainder)
                || key.isType && Self.isAboutObject(value, isInBrackets: key.isInBrackets)
        {
            return
        }
        keep(value.startIndex - index)
        if key.isQuoted, let scalar = Self.scalarOfJSON(value) {
            if value.first?.isLetter == false {
                masked.append(UInt8(ascii: "0"))
                index = scalar
            }
            return
        }
        if key.isQuoted, SensitiveKey.isStructure(value) { return }
        // The `>` of `<740f4707 bebcf74f>` is part of the value.
        let marks = value.first == UInt8(ascii: "<") ? ";" : ";>"
        hide(upTo: SensitiveKey.end(of: value, at: key.entry.extendsToLineEnd ? "" : marks))
    }

    /// Masks the remaining value after a quotation that was masked already. Such text exists if a user typed a quote.
    private mutating func maskTextAfterQuotedValue(extendsToLineEnd: Bool) {
        let value = SensitiveKey.withoutBlanks(remainder)
        guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let inside = value.dropFirst().dropping("…"), inside.first == quote
        else { return }
        let textAfter = inside.dropFirst()
        guard let next = textAfter.first, next > 0x20, !";,.:)>]}\"'\\".utf8.contains(next) else { return }
        keep(textAfter.startIndex - index)
        hide(upTo: SensitiveKey.end(of: textAfter, at: extendsToLineEnd ? "" : ";>"))
    }

    /// A sensitive key at the end of ``masked``.
    private struct Key {
        let entry: SensitiveKey
        /// `true` for a key in quotes, as in JSON.
        var isQuoted = false
        /// `true` for a key that is spelled like the name of a type: `AccessToken`, and `Token` in `Shop.Token`.
        var isType = false
        /// `true` if `<` is before the key, or before the module of the key.
        var isInBrackets = false
    }

    /// Returns the key before a separator; `nil` if the key is not sensitive.
    private func key(isAssignment: Bool) -> Key? {
        var end = masked.endIndex
        while end > 0, let length = SensitiveKey.spaceLength(atEndOf: masked[..<end]) { end -= length }
        if isAssignment, end > 0, masked[end - 1] == UInt8(ascii: "\n") {
            end -= 1
            while end > 0, let length = SensitiveKey.spaceLength(atEndOf: masked[..<end]) { end -= length }
        }
        if end > 0, masked[end - 1] == UInt8(ascii: "]") { end -= 1 }
        if let lastQuotedKey, lastQuotedKey.endInMasked == end { return Key(entry: lastQuotedKey.key) }
        var isQuoted = false
        if end > 0, PrivateTextRemover.isQuote(masked[end - 1]) {
            end -= 1
            isQuoted = true
            if end > 0, masked[end - 1] == UInt8(ascii: "\\") { end -= 1 }
        }
        guard end > 0, let last = masked[..<end].last, SensitiveKey.isByteOfKey(last) || last >= 0x80 else {
            return nil
        }
        let (name, start) = Self.keyName(atEndOf: masked[..<end])
        guard let entry = SensitiveKey.find(name, isAssignment: isAssignment) else { return nil }
        var key = Key(entry: entry, isQuoted: isQuoted)
        let front = masked[..<start]
        let module =
            front.last == UInt8(ascii: ".")
            ? front.dropLast().reversed().prefix(64).prefix { $0.isIdentifier } : nil
        let before = module.map { front[..<(front.endIndex - 1 - $0.count)] } ?? front
        key.isInBrackets = before.last == UInt8(ascii: "<")
        key.isType =
            name.first?.isUppercase ?? false
            && (module?.last?.isUppercase ?? false || key.isInBrackets || TypeSpelling(name).isCamelCase)
        return key
    }

    /// Returns the key at the end of a text, with ASCII letters in place of full-width letters.
    private static func keyName(atEndOf text: Text) -> (name: Text, start: Int) {
        var reversed: [UInt8] = []
        var start = text.endIndex
        while start > text.startIndex, reversed.count <= SensitiveKey.byteLimit {
            let byte = text[start - 1]
            if SensitiveKey.isByteOfKey(byte) {
                reversed.append(byte)
                start -= 1
            } else if let letter = asciiLetter(atEndOf: text[..<start]) {
                reversed.append(letter)
                start -= 3
            } else {
                break
            }
        }
        return (Array(reversed.reversed())[...], start)
    }

    /// Returns the ASCII letter for a full-width letter, `ａ` to `ｚ` and `Ａ` to `Ｚ`, at the end of a text.
    private static func asciiLetter(atEndOf text: Text) -> UInt8? {
        let bytes = text.suffix(3)
        guard bytes.count == 3, bytes.first == 0xEF else { return nil }
        let (middle, last) = (bytes[bytes.startIndex + 1], bytes[bytes.startIndex + 2])
        return switch (middle, last) {
        case (0xBC, 0xA1...0xBA): last - 0xA1 + UInt8(ascii: "A")
        case (0xBD, 0x81...0x9A): last - 0x81 + UInt8(ascii: "a")
        default: nil
        }
    }

    /// Returns `true` if the labels of a function follow, such as `title:)` and `user:]`.
    private mutating func beginsWithFunctionLabels(_ remainder: Text) -> Bool {
        // The result is the same after each label of one list.
        if let labels, remainder.startIndex <= labels.end { return labels.areOfFunction }
        var remainder = remainder
        var isComplete = true
        while isComplete, let byte = remainder.first, byte.isIdentifier {
            remainder = remainder.drop { $0.isIdentifier }
            isComplete = remainder.first == UInt8(ascii: ":")
            if isComplete { remainder = remainder.dropFirst() }
        }
        let areOfFunction = isComplete && remainder.first.map { ")]".utf8.contains($0) } ?? false
        labels = (remainder.startIndex, areOfFunction)
        return areOfFunction
    }

    /// Returns `true` for a text about an object after the name of its type: an address, a count, or a word such as `leaked`.
    private static func isAboutObject(_ value: Text, isInBrackets: Bool) -> Bool {
        let digits = value.dropping("0x") ?? value
        let isNumber = digits.startIndex > value.startIndex || isInBrackets
        let number = digits.prefix { isNumber ? $0.isHexadecimal : $0.isDigit }
        if !number.isEmpty, number.count <= (isNumber ? 16 : maxCountDigits),
            !(digits[number.endIndex...].first?.isIdentifier ?? false)
        {
            return true
        }
        return ClassGuesser.statesLeak(value)
    }

    /// Bytes within which the address of an object has to begin: `(string)0x1f`.
    private static let maxBytesBeforeAddress = 12
    /// Limit of digits in a number of objects.
    private static let maxCountDigits = 4

    /// Returns the end of a number, `true`, `false` or `null` of JSON; `nil` for any other value.
    static func scalarOfJSON(_ value: Text) -> Int? {
        let scalar = value.prefix(32).prefix { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
        let isScalar =
            scalar.equals("true") || scalar.equals("false") || scalar.equals("null")
            || scalar.first.map { $0.isDigit || $0 == UInt8(ascii: "-") } ?? false
                && scalar.allSatisfy { $0.isDigit || "+-.eE".utf8.contains($0) }
        let textAfter = value[scalar.endIndex...].drop { $0 <= 0x20 }.first
        return isScalar && textAfter.map { ",}]".utf8.contains($0) } ?? true ? scalar.endIndex : nil
    }

    /// `true` if the text is about an alert.
    private var isOfAlert: Bool {
        mutating get {
            if let mentionsAlert { return mentionsAlert }
            let isAboutAlert = text.contains("AlertController") || text.contains("ALERTCONTROLLER")
            mentionsAlert = isAboutAlert
            return isAboutAlert
        }
    }
}
