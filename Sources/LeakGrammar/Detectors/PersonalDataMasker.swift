internal import LeakMessage

/// A filter that masks the parts of a text that may name a person: e-mail addresses, queries and credentials of URLs, home folders, long
/// numbers, text in typographic quotes, bearer tokens, and the values of each ``SensitiveKey``, such as `text = Jane`.
///
/// The filter runs on the device, after ``MessageRedactor``. Digits become `0`, so that the masked text has the same
/// ``MessageTemplate`` as the original; anything else becomes `…`. The filter reads each byte a bounded number of times. A
/// second run changes nothing.
struct PersonalDataMasker {
    let text: Text
    var index: Int
    var masked: [UInt8] = []
    private var isInURL = false
    /// `true` after the title of an alert, up to a blank line.
    var isAfterAlertTitle = false
    /// The last sensitive key that was in quotes, and the end of its quotation in ``masked``.
    var lastQuotedKey: (key: SensitiveKey, endInMasked: Int)?
    /// `true` if the text is about an alert; `nil` until that has been checked.
    var mentionsAlert: Bool?
    /// The end of the argument labels that were read last, such as `title:user:)`, and `true` if they are those of a function, which
    /// end with a bracket. They are kept so that a list is not read again for each of its labels.
    var labels: (end: Int, areOfFunction: Bool)?
    /// The index of the last closing quote of each kind; `nil` before that quote has been searched for.
    private var lastClosingQuotes: [Int?] = Array(repeating: nil, count: PersonalDataMasker.quotes.count)

    /// The shortest number that is masked, in digits: a telephone number without its area code.
    static let minDigitCount = 7
    /// The longest name of a user's home folder that is recognized.
    private static let maxHomeNameBytes = 64
    /// Twice the longest local part of an e-mail address, RFC 5321 §4.5.3.1.1.
    private static let maxLocalPartBytes = 128
    private static let ellipsis = Array("…".utf8)

    private struct Quotes {
        let opening: [UInt8]
        let closing: [[UInt8]]

        init(_ opening: String, _ closing: String...) {
            self.opening = Array(opening.utf8)
            self.closing = closing.map { Array($0.utf8) }
        }
    }

    private static let quotes = [
        Quotes("“", "”"), Quotes("„", "“", "”"), Quotes("«", "»"), Quotes("「", "」"), Quotes("‘", "’"),
        Quotes("‚", "‘", "’"), Quotes("‹", "›"), Quotes("『", "』"),
    ]

    static func masked(_ text: Text) -> Text {
        guard
            text.contains(where: { isTrigger($0) }) || text.indices.contains(where: { isBearer(text[$0...]) })
        else { return text }
        var reader = PersonalDataMasker(text)
        reader.run()
        return reader.masked[...]
    }

    /// Returns `false` for the name of a type or a path in which ``masked(_:)`` certainly changes nothing but digits.
    static func mayChange(name: String) -> Bool {
        let found = unsafe name.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.indices.contains { index in
                switch unsafe bytes[index] {
                case UInt8(ascii: "="), UInt8(ascii: "@"), 0xC2, 0xE2, 0xE3, 0xEF: true
                case UInt8(ascii: "B"), UInt8(ascii: "b"): unsafe isBearer(bytes[index...])
                case UInt8(ascii: "/"), UInt8(ascii: "\\"):
                    homePrefixes.contains { unsafe bytes[index...].starts(with: $0) }
                case UInt8(ascii: "%"): unsafe bytes[index...].starts(with: "%40".utf8)
                case UInt8(ascii: "?"): unsafe bytes[index...].dropFirst().first?.isIdentifier ?? false
                case UInt8(ascii: ":"):
                    unsafe bytes[index...].dropFirst().first == UInt8(ascii: "/")
                        || SensitiveKey.mayBeAtEnd(of: bytes[..<index])
                default: false
                }
            }
        }
        return found ?? true
    }

    /// Returns `true` for `Bearer`, in upper or lower case, with a space or a tab after it.
    private static func isBearer(_ text: some RandomAccessCollection<UInt8>) -> Bool {
        guard text.count > bearer.count, let first = text.first, first | 0x20 == bearer[0] else {
            return false
        }
        let textAfter = text.dropFirst(bearer.count).first
        return zip(text, bearer).allSatisfy { $0 | 0x20 == $1 }
            && (textAfter == UInt8(ascii: " ") || textAfter == UInt8(ascii: "\t"))
    }

    private static let bearer = Array("bearer".utf8)
    private static let homePrefixes = ["/Users/", "/home/", "\\Users\\", "\\users\\"].map { Array($0.utf8) }

    private init(_ text: Text) {
        self.text = text
        index = text.startIndex
        masked.reserveCapacity(text.count)
    }

    /// Returns `true` for bytes that show that a text may have a part to mask. Each such part contains such a byte, except a bearer
    /// token, which ``isBearer(_:)`` finds.
    private static func isTrigger(_ byte: UInt8) -> Bool {
        byte.isDigit || byte >= 0x80 || "@%/?=:\\".utf8.contains(byte)
    }

    var remainder: Text { text[index...] }
    private var previous: UInt8? { index > text.startIndex ? text[index - 1] : nil }

    /// Copies the next bytes unchanged.
    mutating func keep(_ count: Int) {
        masked.append(contentsOf: text[index..<min(index + count, text.endIndex)])
        index = min(index + count, text.endIndex)
    }

    /// Writes `…` in place of the bytes up to `end`.
    mutating func hide(upTo end: Int) {
        guard end > index else { return }
        if masked.suffix(Self.ellipsis.count) != Self.ellipsis[...] { masked += Self.ellipsis }
        index = end
    }

    private mutating func run() {
        while index < text.endIndex {
            if !isInURL {
                let plain = remainder.prefix { !Self.isSpecial[Int($0)] }
                masked.append(contentsOf: plain)
                index = plain.endIndex
                guard index < text.endIndex else { return }
            }
            let byte = text[index]
            if isInURL, Self.endsURL(byte) { isInURL = false }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): maskNumber()
            case UInt8(ascii: "@"): maskEmail(atSignLength: 1)
            case UInt8(ascii: "%") where remainder.starts(with: "%40"): maskEmail(atSignLength: 3)
            case UInt8(ascii: ":") where remainder.starts(with: "://"): maskCredentials()
            case UInt8(ascii: "?"): maskQuery()
            case UInt8(ascii: "#") where isInURL: maskQuery()
            case UInt8(ascii: "/"), UInt8(ascii: "\\"): maskHomeFolder()
            case UInt8(ascii: "="), UInt8(ascii: ":"): maskValue()
            case UInt8(ascii: "B"), UInt8(ascii: "b"): maskBearerToken()
            case UInt8(ascii: "\n"):
                if remainder.starts(with: "\n\n") { isAfterAlertTitle = false }
                keep(1)
            case 0xEF where remainder.starts(with: "＠"): maskEmail(atSignLength: 3)
            case 0xC2, 0xE2, 0xE3, 0xEF:
                if SensitiveKey.separator(at: remainder) == nil { maskQuotation() } else { maskValue() }
            case UInt8(ascii: "d") where remainder.starts(with: "debug_id\":\""): keepImageID()
            default: keep(1)
            }
        }
    }

    /// Marks the bytes that ``run()`` looks at outside of URLs.
    private static let isSpecial: [Bool] = (0...UInt8.max).map { byte in
        byte.isDigit || byte >= 0x80 || "@%?#/\\=:Bbd\n".utf8.contains(byte)
    }

    private static func endsURL(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "\"'<>".utf8.contains(byte)
    }

    private func endOfURL(from start: Int) -> Int {
        text[start...].firstIndex(where: Self.endsURL) ?? text.endIndex
    }

    // MARK: Numbers

    /// Writes zeros for the digits of a long number that is not part of a word. Single spaces, points, slashes, hyphens and parentheses
    /// may separate its groups of digits.
    private mutating func maskNumber() {
        guard !(previous?.isIdentifier ?? false) else {
            return keep(remainder.prefix { $0.isDigit }.count)
        }
        var end = index
        var digits = 0
        /// The end and the digit count of the number without its last group of digits.
        var withoutLastGroup = (end: index, digits: 0)
        var next = index
        while next < text.endIndex {
            if text[next].isDigit {
                if next > end { withoutLastGroup = (end, digits) }
                digits += 1
                next += 1
                end = next
            } else if next - end < 2, " .-/()".utf8.contains(text[next]) {
                next += 1
            } else {
                break
            }
        }
        let last = end
        // The last group is part of a word, as in `8.5s` and `0x1f`.
        if end < text.endIndex, text[end].isIdentifier { (end, digits) = withoutLastGroup }
        if digits >= Self.minDigitCount {
            let start = masked.endIndex
            let isOfJSON = isNumberOfJSON(upTo: end)
            for byte in text[index..<end] { masked.append(byte.isDigit ? UInt8(ascii: "0") : byte) }
            // A number of JSON may not begin with a zero.
            if isOfJSON { masked[start] = UInt8(ascii: "1") }
            index = end
        }
        keep(last - index)
    }

    /// Returns `true` for a number after a key in quotes, or after another value in a text that begins like JSON.
    private func isNumberOfJSON(upTo end: Int) -> Bool {
        let before = masked.reversed().drop { $0 == UInt8(ascii: "-") }.drop { $0 <= 0x20 }
        switch before.first {
        case UInt8(ascii: ":"):
            return before.dropFirst().first { $0 > 0x20 } == UInt8(ascii: "\"")
        case UInt8(ascii: "["), UInt8(ascii: ","):
            return "{[".utf8.contains(text[text.startIndex])
                && text[end...].first { $0 > 0x20 }.map { ",]}".utf8.contains($0) } ?? false
        default: return false
        }
    }

    /// Keeps the id of an image in the JSON of a call frame, because the collector needs it to find symbols.
    private mutating func keepImageID() {
        keep("debug_id\":\"".utf8.count)
        let id = remainder.prefix(Self.maxImageIDBytes).prefix { $0.isHexadecimal || $0 == UInt8(ascii: "-") }
        if id.count >= Self.minImageIDBytes { keep(id.count) }
    }

    private static let maxImageIDBytes = 64
    private static let minImageIDBytes = 32

    // MARK: Addresses

    /// Masks an e-mail address such as `jane.doe@example.com`. In a URL, `%40` may replace the `@`.
    private mutating func maskEmail(atSignLength length: Int) {
        let host = remainder.dropFirst(length).prefix { Self.isHost($0) }
        let local = masked.reversed().prefix(Self.maxLocalPartBytes).prefix { Self.isLocalPart($0) }.count
        let name = host.reversed().drop { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        // `server@9.5.0-SNAPSHOT`; the name of a top-level domain begins with a letter.
        let ending = name.prefix { $0 != UInt8(ascii: ".") }
        let isVersion = (ending.last?.isDigit ?? false) && ending.contains(where: \.isLetter)
        guard local > 0, name.contains(UInt8(ascii: ".")), !isVersion else { return keep(length) }
        masked.removeLast(local)
        masked += Self.ellipsis + [UInt8(ascii: "@")]
        index += length
        hide(upTo: index + name.count)
    }

    private static func isHost(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte >= 0x80 || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "-")
    }

    private static func isLocalPart(_ byte: UInt8) -> Bool {
        byte.isIdentifier || ".%+-!&~".utf8.contains(byte)
    }

    /// Masks the credentials in `://jane:secret@example.com/`, and everything in `file:///…`, because the path may name a user.
    private mutating func maskCredentials() {
        let scheme = masked.reversed().prefix(8).prefix { $0.isLetter }.count
        let isFile = masked.suffix(scheme).elementsEqual(Array("file".utf8))
        keep(3)
        guard !isFile else { return hide(upTo: endOfURL(from: index)) }
        isInURL = true
        let authority = remainder.prefix { !Self.endsURL($0) && !"/?#\\".utf8.contains($0) }
        if let end = authority.lastIndex(of: UInt8(ascii: "@")) {
            hide(upTo: end)
            keep(1)
        }
    }

    /// Masks everything after the `?` or `#` of a URL. Outside of URLs, `name=` has to follow.
    private mutating func maskQuery() {
        let isAssignment =
            remainder.dropFirst().drop { $0.isIdentifier || ".-[]%".utf8.contains($0) }.first
            == UInt8(ascii: "=")
            && remainder.dropFirst().first.map { $0 != UInt8(ascii: "=") } == true
        guard isInURL || isAssignment else { return keep(1) }
        keep(1)
        hide(upTo: endOfURL(from: index))
    }

    /// Masks the user's name in `/Users/jane/`, `/home/jane/` and `C:\Users\jane\`.
    private mutating func maskHomeFolder() {
        let slash = text[index]
        guard let head = Self.homePrefixes.first(where: { remainder.starts(with: $0) }) else {
            return keep(1)
        }
        keep(head.count)
        let near = remainder.prefix(Self.maxHomeNameBytes)
        // A name may contain spaces if another slash follows.
        let line = near.prefix { !"\n\"'<>:".utf8.contains($0) }
        let end = line.firstIndex(of: slash) ?? near.firstIndex { $0 <= 0x20 || "\"'<>:".utf8.contains($0) }
        hide(upTo: end ?? near.endIndex)
    }

    // MARK: Words

    /// Masks the token in `Bearer eyJhbGci`, but keeps `bearer token`.
    private mutating func maskBearerToken() {
        guard Self.isBearer(remainder), !(previous?.isIdentifier ?? false) else { return keep(1) }
        let blanks = remainder.dropFirst(Self.bearer.count).drop {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
        }
        let token = blanks.prefix { $0.isLetter || $0.isDigit || "-._~+/".utf8.contains($0) }
        let isWord = token.allSatisfy { $0.isLetter && !$0.isUppercase }
        // `Bearer realm="leaks"` contains no token. At the end of a token, `=` is padding.
        let textAfter = text[token.endIndex...].drop { $0 == UInt8(ascii: "=") }
        let isParameter =
            textAfter.startIndex > token.endIndex
            && textAfter.first.map { $0.isIdentifier || PrivateTextRemover.isQuote($0) } ?? false
        guard token.count >= Self.minTokenBytes, !isWord || token.count >= Self.minLowercaseTokenBytes,
            !isParameter
        else {
            return keep(blanks.startIndex - index)
        }
        keep(token.startIndex - index)
        hide(upTo: textAfter.startIndex)
    }

    /// The minimum length of a bearer token that is masked, in bytes.
    private static let minTokenBytes = 6
    /// A text of lower-case letters is a token from this length on, and a word if it is shorter.
    private static let minLowercaseTokenBytes = 24

    /// Masks `“Jane”`, up to the last closing quote of its kind, because the text of a user may contain closing quotes too.
    private mutating func maskQuotation() {
        guard let kind = Self.quotes.firstIndex(where: { remainder.starts(with: $0.opening) }),
            !isApostrophe(Self.quotes[kind])
        else { return keep(1) }
        let quotes = Self.quotes[kind]
        keep(quotes.opening.count)
        let closing = lastClosingQuote(ofKind: kind)
        guard closing > index else { return hide(upTo: text.endIndex) }
        let entry = SensitiveKey.find(inQuotes: text[index..<closing])
        hide(upTo: closing)
        // Keeps the closing quote too, which in another language opens a quotation.
        keep(text[index] == 0xC2 ? 2 : 3)
        lastQuotedKey = entry.map { ($0, masked.endIndex) }
    }

    /// Returns `true` if a `‘` is inside of a word.
    private func isApostrophe(_ quotes: Quotes) -> Bool {
        quotes.opening == Array("‘".utf8) && (previous.map { $0.isLetter || $0.isDigit } ?? false)
    }

    /// Returns the index of the last closing quote of a kind; the start of the text if there is none.
    private mutating func lastClosingQuote(ofKind kind: Int) -> Int {
        if let cachedIndex = lastClosingQuotes[kind] { return cachedIndex }
        let found = Self.quotes[kind].closing.compactMap { lastIndex(of: $0) }.max() ?? text.startIndex
        lastClosingQuotes[kind] = found
        return found
    }

    private func lastIndex(of mark: [UInt8]) -> Int? {
        guard let first = mark.first, text.count >= mark.count else { return nil }
        return (text.startIndex...(text.endIndex - mark.count)).last { place in
            guard text[place] == first, text[place...].starts(with: mark) else { return false }
            // The apostrophe of `couldn’t` does not end a quotation.
            return mark != Array("’".utf8) || !(text[(place + mark.count)...].first?.isIdentifier ?? false)
        }
    }
}
