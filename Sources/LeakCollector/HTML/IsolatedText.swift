extension [UInt8] {
    /// Appends `text` so that it reads as text wherever HTML allows text or a quoted attribute value.
    ///
    /// Control characters that HTML does not allow, and the marks that change the direction of what follows
    /// (https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing), become U+FFFD: they stay visible and
    /// do nothing.
    mutating func append(escaping text: some StringProtocol) {
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: self += "&amp;".utf8
            case 0x3C: self += "&lt;".utf8
            case 0x3E: self += "&gt;".utf8
            case 0x22: self += "&quot;".utf8
            case 0x27: self += "&#39;".utf8
            case 0x09, 0x0A, 0x20..<0x7F: append(UInt8(truncatingIfNeeded: scalar.value))
            case 0x00..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: self += "\u{FFFD}".utf8
            default: self += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
    }
}

/// Text whose writing direction must not affect the text around it: a class name, a version, a model.
///
/// ASCII alone needs no isolation, and a list of 200 leaks is 11 kB smaller without it.
struct IsolatedText: Component {
    var text: String

    init(_ text: String) { self.text = text }

    var html: HTML {
        text.utf8.allSatisfy { $0 < 0x80 } ? "\(text)" : "<bdi>\(text)</bdi>"
    }
}
