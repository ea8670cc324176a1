internal import LeakMessage

/// Functions that turn a message into a template, which is the same for all sightings of a leak: parts that differ between sightings
/// become `#`, and text that users may have typed becomes `…`.
enum MessageTemplate {
    /// Limit of a template in bytes.
    static let byteLimit = 512

    /// Masks a text by version 1 of the grouping rules, with `…` for each quotation.
    static func masked(_ text: Text) -> Text {
        var masked: [UInt8] = []
        var remainder = text.trimmed
        while let byte = remainder.first, masked.count < byteLimit {
            if byte <= 0x20 {
                appendSpace(&masked, &remainder)
            } else if let after = textAfterQuotation(remainder) {
                masked.append(byte)
                masked.append(contentsOf: Array("…".utf8))
                masked.append(byte)
                remainder = after
            } else {
                appendWord(&masked, &remainder, keepsNames: false)
            }
        }
        return masked[...].cut(to: byteLimit).trimmed
    }

    /// Masks a text by version 2 of the grouping rules. It keeps digits in names of types, and the quotations that
    /// ``MessageRedactor`` kept. A template beyond ``byteLimit`` is cut and ends with its hash.
    static func template(of text: Text) -> Text {
        var masked: [UInt8] = []
        var remainder = text.trimmed
        while let byte = remainder.first {
            if byte <= 0x20 {
                appendSpace(&masked, &remainder)
            } else if let name = homeFolderName(remainder) {
                masked.append(contentsOf: remainder[..<name.startIndex])
                masked.append(contentsOf: Array("…".utf8))
                remainder = remainder[name.endIndex...]
            } else if isFraction(remainder, after: masked) {
                remainder = remainder.dropFirst().drop { $0.isDigit }
            } else if let word = TimeWord.first(in: remainder, after: masked[...]) {
                if word.isDayHalf {
                    while masked.last == UInt8(ascii: " ") { masked.removeLast() }
                } else {
                    masked.append(UInt8(ascii: "#"))
                }
                remainder = remainder[word.end...]
            } else {
                appendWord(&masked, &remainder, keepsNames: true)
            }
        }
        let template = masked[...].trimmed
        guard template.count > byteLimit else { return template }
        let hash = Array(" #\(FNV1a(template.string).hexadecimal)".utf8)
        return template.cut(to: byteLimit - hash.count) + hash
    }

    /// Returns the name of the home folder in `/Users/jane/Library`, `/home/jane` and `C:\Users\jane`.
    private static func homeFolderName(_ text: Text) -> Text? {
        guard text.first == UInt8(ascii: "/") || text.first == UInt8(ascii: "\\"),
            let path = text.dropping("/Users/") ?? text.dropping("/home/") ?? text.dropping("\\Users\\")
                ?? text.dropping("\\users\\")
        else { return nil }
        let name = path.prefix { $0.isIdentifier || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        return name.isEmpty ? nil : name
    }

    /// Returns `true` for `.5` after a masked number, so that `1.5 MB` and `15 MB` have the same template. An address is not a
    /// fraction.
    private static func isFraction(_ text: Text, after masked: [UInt8]) -> Bool {
        guard masked.last == UInt8(ascii: "#"), let digits = text.dropping(".") else { return false }
        return digits.first?.isDigit ?? false && digits.dropping("0x")?.first?.isHexadecimal != true
    }

    private static func appendSpace(_ masked: inout [UInt8], _ remainder: inout Text) {
        if masked.last != UInt8(ascii: " ") { masked.append(UInt8(ascii: " ")) }
        remainder = remainder.drop { $0 <= 0x20 }
    }

    /// Appends the next word in masked form, or the next byte if it is not part of a word.
    private static func appendWord(_ masked: inout [UInt8], _ remainder: inout Text, keepsNames: Bool) {
        guard let byte = remainder.first else { return }
        guard byte.isIdentifier else {
            masked.append(byte)
            remainder = remainder.dropFirst()
            return
        }
        let word = word(remainder)
        masked.append(contentsOf: keepsNames && isNameWithDigits(word) ? word : mask(word))
        remainder = remainder[word.endIndex...]
    }

    /// Returns `true` for a name of a type with up to three digits in a row, such as `Page1Controller`, but not for `request42`.
    private static func isNameWithDigits(_ word: Text) -> Bool {
        let spelling = TypeSpelling(word)
        guard spelling.isType, spelling.isCamelCase else { return false }
        return !word.split(whereSeparator: { !$0.isDigit }).contains { $0.count > digitLimitInName }
    }

    private static let digitLimitInName = 3

    /// Returns the text after a quotation at the start of `text`. The quotation ends at the last quote of the same kind, because
    /// the quoted text may contain quotes too.
    static func textAfterQuotation(_ text: Text) -> Text? {
        guard let quote = text.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
            return nil
        }
        guard let end = text.lastIndex(of: quote), end > text.startIndex else { return nil }
        return text[(end + 1)...]
    }

    /// Returns the UUID or the identifier at the start of a text.
    private static func word(_ text: Text) -> Text {
        if text.count >= 36, UUIDText.isUUID(text.prefix(36)) { return text.prefix(36) }
        return text.prefix { $0.isIdentifier }
    }

    /// Returns `#` for a UUID, an address or a hexadecimal number, and any other word with `#` for each number in it.
    private static func mask(_ word: Text) -> Text {
        let hash = Array("#".utf8)[...]
        if word.contains(UInt8(ascii: "-")) { return hash }
        let digits = (word.dropping("0x") ?? word.dropping("$") ?? word)
        let isHexadecimal = !digits.isEmpty && digits.allSatisfy(\.isHexadecimal)
        if isHexadecimal, digits.startIndex > word.startIndex { return hash }
        if isHexadecimal, digits.count >= 6, digits.contains(where: \.isDigit) { return hash }
        var masked: [UInt8] = []
        var isNumber = false
        for byte in word {
            if byte.isDigit {
                if !isNumber { masked.append(UInt8(ascii: "#")) }
            } else {
                masked.append(byte)
            }
            isNumber = byte.isDigit
        }
        return masked[...]
    }
}

/// A word of a date or time: the name of a day, month or time zone, or `AM` or `PM` after an hour.
private struct TimeWord {
    let end: Int
    /// `true` for `AM` or `PM` after a space. Templates leave it out, because a 24-hour clock does not print it.
    let isDayHalf: Bool

    /// - Parameter masked: the masked text before `text`.
    /// - Returns: `nil` if `text` begins with another word, or inside of a word.
    static func first(in text: Text, after masked: Text) -> TimeWord? {
        guard let first = text.first, first.isLetter || first.isDigit, masked.last?.isIdentifier != true
        else {
            return nil
        }
        let word = text.prefix { $0.isIdentifier }
        if first.isDigit {
            // `3PM`
            let isHour = word.count <= 4 && dayHalves.contains(word.drop { $0.isDigit }.string)
            return isHour ? TimeWord(end: word.endIndex, isDayHalf: false) : nil
        }
        guard word.count <= longestNameBytes else { return nil }
        let name = String(decoding: word, as: UTF8.self)
        if dayHalves.contains(name) {
            let hour = masked.reversed().drop { $0 == UInt8(ascii: " ") }.first
            return hour == UInt8(ascii: "#") ? TimeWord(end: word.endIndex, isDayHalf: true) : nil
        }
        let isAfterNumber = masked.reversed().drop { " ,.-/".utf8.contains($0) }.first == UInt8(ascii: "#")
        var isDate = dayNames.contains(name) || isAfterNumber && timeZones.contains(name)
        if ambiguousNames.contains(name) {
            let textAfter = text[word.endIndex...].drop { " ,.-/".utf8.contains($0) }
            // `Tue Nov 24`
            let isBeforeName = ambiguousNames.contains(
                textAfter.prefix(longestNameBytes + 1).prefix { $0.isIdentifier }.string)
            isDate = isAfterNumber || isBeforeName || textAfter.first?.isDigit ?? false
        }
        return isDate ? TimeWord(end: word.endIndex, isDayHalf: false) : nil
    }

    private static let longestNameBytes = 9
    private static let dayHalves: Set<String> = ["AM", "PM", "am", "pm"]
    private static let dayNames: Set<String> = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    private static let timeZones: Set<String> = [
        "UTC", "GMT", "CET", "CEST", "EET", "EEST", "BST", "MSK", "EST", "EDT", "CST", "CDT", "MST", "MDT",
        "PST", "PDT",
        "IST", "JST", "AEST", "AEDT",
    ]
    /// Words that are part of a date only next to a number or another of these words, because some have other meanings.
    private static let ambiguousNames: Set<String> = [
        "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul",
        "Aug", "Sep", "Oct",
        "Nov", "Dec", "January", "February", "March", "April", "June", "July", "August", "September",
        "October",
        "November", "December",
    ]
}
