internal import LeakMessage

/// A name before `=` or `:` whose value is a secret, personal data or text of a user, such as `password`, `x-api-key` and
/// `placeholder`.
///
/// Upper and lower case, `-`, `_` and camel case are ignored: `apiKey`, `API_KEY` and `api-key` are one key. Digits at the
/// end of a key are ignored too.
struct SensitiveKey {
    /// The way in which a word of the table matches keys.
    enum Match {
        /// The word matches keys that end with it: `token` matches `accesstoken`.
        case end
        /// The word matches keys whose last words it equals: `text` matches `searchText` and `search_text`, but not `context`.
        case words
        /// The word matches only an equal key: `name` does not match `className`.
        case whole
    }

    /// The separators between key and value after which the value is sensitive.
    enum Separator {
        case any
        /// Only `=`, because before a colon the key is an ordinary word of a message.
        case assignment
        /// Any separator, but only in the description of an alert.
        case inAlert
    }

    let word: [UInt8]
    let match: Match
    let separator: Separator
    /// `true` if the value extends to the end of its line. Other values end at `;` too, and at `>` unless they
    /// begin with `<`.
    let extendsToLineEnd: Bool

    private init(_ word: Substring, match: Match, separator: Separator, extendsToLineEnd: Bool) {
        self.word = Array(word.utf8)
        self.match = match
        self.separator = separator
        self.extendsToLineEnd = extendsToLineEnd
    }

    /// `true` for `title`, the key of the first line of an alert's description.
    var isTitle: Bool { word.elementsEqual("title".utf8) }

    /// `true` for `address`, the key of a person's address or of an object's.
    var isAddress: Bool { word.elementsEqual("address".utf8) }

    // MARK: Table

    /// All keys, in lower case and without `-` and `_`.
    private static let table: [SensitiveKey] =
        keys(
            matching: .end, before: .any,
            """
            password passwd passphrase passcode token secret apikey privatekey accesskey secretkey signingkey encryptionkey
            sessionid sessionkey credential credentials
            """)
        + keys(matching: .end, before: .any, extendsToLineEnd: true, "authorization cookie")
        + keys(
            matching: .words, before: .any,
            """
            pwd otp jwt csrf xsrf iban cvv cvc ssn creditcard cardnumber accountnumber
            email emailaddress phone phonenumber mobilenumber telephone username firstname lastname middlename fullname givenname
            surname nickname birthdate birthday dateofbirth street postalcode zipcode
            text attributedtext placeholder attributedplaceholder title attributedtitle currenttitle subtitle prompt
            accessibilitylabel accessibilityidentifier accessibilityvalue accessibilityhint
            """)
        + keys(
            matching: .whole, before: .assignment,
            """
            label value name message mail user address displayname query string content pass pin auth sid login
            """)
        + keys(matching: .whole, before: .inAlert, "message actions textfields")

    private static func keys(
        matching match: Match, before separator: Separator, extendsToLineEnd: Bool = false, _ words: String
    ) -> [SensitiveKey] {
        words.split(whereSeparator: \.isWhitespace).map {
            SensitiveKey($0, match: match, separator: separator, extendsToLineEnd: extendsToLineEnd)
        }
    }

    /// The entries of ``table`` by the last letter of their word, from `a` to `z`.
    private static let byLastLetter: [[SensitiveKey]] = (UInt8(ascii: "a")...UInt8(ascii: "z")).map {
        letter in
        table.filter { $0.word.last == letter }
    }

    /// `true` for each pair of letters with which a word of the table ends, by ``endingIndex(_:_:)``.
    private static let isEnding: [Bool] = {
        var isEnding = [Bool](repeating: false, count: 26 * 26)
        for word in table.map(\.word) {
            isEnding[endingIndex(word[word.count - 2], word[word.count - 1])] = true
        }
        return isEnding
    }()

    private static func endingIndex(_ previous: UInt8, _ last: UInt8) -> Int {
        Int((previous | 0x20) - UInt8(ascii: "a")) * 26 + Int((last | 0x20) - UInt8(ascii: "a"))
    }

    /// The longest key that is recognized, in bytes.
    static let byteLimit = 64

    /// Finds the entry of the table for a key.
    ///
    /// - Parameters:
    ///   - text: a text that ends with the key, which consists of ASCII letters, digits, `_`, `-` and `$`.
    ///   - isAssignment: `true` if `=` follows the key.
    static func find(_ text: some BidirectionalCollection<UInt8>, isAssignment: Bool) -> SensitiveKey? {
        guard let end = text.lastIndex(where: \.isLetter), text[end...].allSatisfy(isByteOfKey) else {
            return nil
        }
        let key = text[...end]
        let last = text[end]
        // Most keys end with two letters that no word of the table ends with.
        guard let previous = key.dropLast().last(where: { !isWordSeparator($0) }), previous.isLetter,
            isEnding[endingIndex(previous, last)]
        else { return nil }
        return byLastLetter[Int((last | 0x20) - UInt8(ascii: "a"))].first { entry in
            (isAssignment || entry.separator != .assignment) && entry.matches(key)
        }
    }

    /// Finds the entry for a quoted key; `nil` for a text that is not a sensitive key.
    static func find(inQuotes text: Text) -> SensitiveKey? {
        // `\"text\"`
        let key = text.last == UInt8(ascii: "\\") ? text.dropLast() : text
        let name = key.lastIndex(of: UInt8(ascii: ".")).map { key[($0 + 1)...] } ?? key
        guard key.count <= byteLimit, name.allSatisfy(isByteOfKey) else { return nil }
        return find(name, isAssignment: false)
    }

    static func isByteOfKey(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || isWordSeparator(byte) }

    /// Returns `false` if a text does not end with a sensitive key. Spaces, quotes and digits after the key are ignored.
    static func mayBeAtEnd(of text: some BidirectionalCollection<UInt8>) -> Bool {
        guard let last = text.lastIndex(where: { $0.isLetter || $0 >= 0x80 }), text[last] < 0x80 else {
            return false
        }
        let before = text[...last]
        var start = last
        var count = 1
        while start > text.startIndex, count <= byteLimit, isByteOfKey(text[text.index(before: start)]) {
            start = text.index(before: start)
            count += 1
        }
        return find(before[start...], isAssignment: true) != nil
    }

    private func matches(_ key: some BidirectionalCollection<UInt8>) -> Bool {
        var remainder = key[...]
        for letter in word.reversed() {
            while let last = remainder.last, Self.isWordSeparator(last) { remainder.removeLast() }
            guard let last = remainder.popLast(), last | 0x20 == letter else { return false }
        }
        return switch match {
        case .end: true
        case .words: Self.isStartOfWord(remainder.endIndex, in: key)
        case .whole: remainder.allSatisfy(Self.isWordSeparator)
        }
    }

    private static func isWordSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "$")
    }

    private static func isStartOfWord<Key: BidirectionalCollection<UInt8>>(_ index: Key.Index, in key: Key)
        -> Bool
    {
        guard let previous = key[..<index].last, previous.isLetter else { return true }
        guard key[index].isUppercase else { return false }
        let next = key[index...].dropFirst().first
        return !previous.isUppercase || next.map { $0.isLetter && !$0.isUppercase } ?? false
    }

    // MARK: Parts of a text

    /// Returns the separator at the start of a text: `=`, `:`, one of their full-width or small forms, or `∶`. The length is in
    /// bytes, and `isAssignment` is `true` for the forms of `=`; `nil` for any other text.
    static func separator(at text: Text) -> (length: Int, isAssignment: Bool)? {
        switch text.first {
        case UInt8(ascii: "="): (1, true)
        case UInt8(ascii: ":"): (1, false)
        case 0xEF where text.starts(with: "＝") || text.starts(with: "﹦"): (3, true)
        case 0xEF where text.starts(with: "：") || text.starts(with: "﹕"): (3, false)
        case 0xE2 where text.starts(with: "∶"): (3, false)
        default: nil
        }
    }

    /// Returns the value after a separator; `nil` if there is no value, if the text states `nil` or `(null)`, or if a quotation
    /// or a description follows, which other rules mask.
    ///
    /// - Parameters:
    ///   - text: the text that begins after the separator.
    ///   - isAssignment: `true` if the separator is `=`; the value may then be several lines below. After a colon, the value is
    ///     on the same line or the next.
    /// - Returns: the text from the start of the value on.
    static func value(_ text: Text, isAssignment: Bool) -> Text? {
        var value = text
        // Skips `==` and `=>`. In `<UITextField text=> leaked`, the `>` ends an attribute.
        if isAssignment, let textAfter = value.dropping("=") ?? arrowHead(of: value) { value = textAfter }
        value = withoutBlanks(value)
        if isAssignment {
            while let first = value.first, first <= 0x20 { value = withoutBlanks(value.dropFirst()) }
        } else if let line = value.dropping("\r\n") ?? value.dropping("\n") {
            value = withoutBlanks(line)
        }
        // A quotation or a description is masked by other rules.
        guard let first = value.first, !"'\"\r\n;>)".utf8.contains(first), !isNil(value),
            first != UInt8(ascii: "<") || PrintedObject(value) == nil
        else { return nil }
        return value
    }

    /// Returns `true` for an object or an array of JSON, but not for `[hunter2]`. Strings in JSON are masked as quotations.
    static func isStructure(_ value: Text) -> Bool {
        guard let first = value.first, "{[".utf8.contains(first) else { return false }
        let inside = value.dropFirst().drop { $0 <= 0x20 }
        guard let next = inside.first else { return true }
        return "\"'`{}[]".utf8.contains(next) || PrintedObject(inside) != nil
            || PersonalDataMasker.scalarOfJSON(inside) != nil
    }

    /// Returns the text after a `>`, if a space, a line end, a word or an opening bracket follows; `nil` for any other text.
    private static func arrowHead(of text: Text) -> Text? {
        guard let textAfter = text.dropping(">"), let next = textAfter.first else { return nil }
        let isFollowed =
            next.isIdentifier || "\n<[({".utf8.contains(next) || spaceLength(at: textAfter) != nil
        return isFollowed ? textAfter : nil
    }

    /// Returns `true` if the value is `nil` or `(null)`.
    private static func isNil(_ value: Text) -> Bool {
        guard let remainder = value.dropping("nil") ?? value.dropping("(null)") else { return false }
        return withoutBlanks(remainder).first.map { ";,)>]}\r\n".utf8.contains($0) } ?? true
    }

    /// Returns the end of a value without quotes: the next mark or line end.
    ///
    /// - Parameter marks: the bytes that end the value, besides a line end.
    static func end(of value: Text, at marks: String) -> Int {
        value.indices.first { index in
            let byte = value[index]
            // The semicolon of `&quot;` is part of the value.
            return byte == UInt8(ascii: "\n")
                || marks.utf8.contains(byte)
                    && !(byte == UInt8(ascii: ";") && isEntity(endingAt: index, in: value))
        } ?? value.endIndex
    }

    private static func isEntity(endingAt end: Int, in text: Text) -> Bool {
        let name = text[..<end].suffix(24).reversed().prefix {
            $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "#")
        }
        return !name.isEmpty && text[..<(end - name.count)].last == UInt8(ascii: "&")
    }

    static func withoutBlanks(_ text: Text) -> Text {
        var text = text
        while let length = spaceLength(at: text) { text = text.dropFirst(length) }
        return text
    }

    /// Returns the length of a space at the start of a text in bytes; `nil` for other characters and for line ends.
    private static func spaceLength(at text: Text) -> Int? {
        switch text.first {
        case UInt8(ascii: " "), UInt8(ascii: "\t"): 1
        case 0xC2, 0xE2, 0xE3, 0xEF: blanks.first(where: { text.starts(with: $0) }).map(\.utf8CodeUnitCount)
        default: nil
        }
    }

    /// Returns the length of a space at the end of a text in bytes; `nil` for other characters and for line ends.
    static func spaceLength(atEndOf text: some BidirectionalCollection<UInt8>) -> Int? {
        guard let last = text.last else { return nil }
        if last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { return 1 }
        guard last & 0xC0 == 0x80 else { return nil }
        let end = Array(text.suffix(3))[...]
        return blanks.first(where: { end.ends(with: $0) }).map(\.utf8CodeUnitCount)
    }

    /// Spaces beyond ASCII, and invisible characters.
    private static let blanks: [StaticString] = [
        "\u{A0}", "\u{AD}", "\u{2002}", "\u{2003}", "\u{2004}", "\u{2005}", "\u{2006}", "\u{2007}",
        "\u{2008}", "\u{2009}",
        "\u{200A}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{202F}", "\u{205F}",
        "\u{2060}", "\u{3000}",
        "\u{FEFF}",
    ]
}
