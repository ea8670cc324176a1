internal import LeakMessage

/// An object as `description` prints it: `<Shop.Cart: 0x7f88acc69260; frame = …>`, `<X:0x…>`, `<X: 561440129>`.
struct PrintedObject {
    /// The name of the class, not yet cleaned by ``TypeName``.
    let name: Text
    /// The text after the address: `; frame = (0 0; 10 10); text = 'Jane'>` and more. Empty for a description without attributes.
    let attributes: Text
    /// The text after the `>` that follows the address. Empty if there are attributes: their end cannot be determined, because they
    /// may contain text that users typed.
    let remainder: Text

    /// Reads a description at the start of `text`; `nil` if there is none.
    init?(_ text: Text) {
        guard text.first == UInt8(ascii: "<") else { return nil }
        var start = text.startIndex
        // RIBs encloses the description in a second pair of angle brackets; FBRetainCycleDetector doubles the brackets.
        while start < text.endIndex, text[start] == UInt8(ascii: "<") { start += 1 }
        guard let colon = Self.colonAfterName(in: text[start...].prefix(TypeNameCleaner.byteLimit)) else {
            return nil
        }
        let name = text[start..<colon].trimmed
        guard !name.isEmpty else { return nil }
        var end = colon + 1
        while end < text.endIndex, text[end] == UInt8(ascii: " ") { end += 1 }
        let addressStart = end
        if text[end...].starts(with: "0x") { end += 2 }
        if end < text.endIndex, text[end] == UInt8(ascii: "-") { end += 1 }
        while end < text.endIndex, text[end].isHexadecimal { end += 1 }
        guard end > addressStart else { return nil }
        self.name = name
        var after = text[end...]
        if after.first == UInt8(ascii: ">") {
            while after.first == UInt8(ascii: ">") { after = after.dropFirst() }
            attributes = after[after.startIndex..<after.startIndex]
            remainder = after
        } else {
            attributes = after
            remainder = text[text.endIndex...]
        }
    }

    /// Returns the colon between name and address. A colon inside brackets, or after `(extension in M)`, is part of the name.
    private static func colonAfterName(in text: Text) -> Int? {
        var depth = 0
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">"):
                if index > text.startIndex, text[index - 1] == UInt8(ascii: "-") { continue }
                depth -= 1
            case UInt8(ascii: ":"):
                let isExtension = text[..<index].last == UInt8(ascii: ")")
                if depth == 0, !isExtension { return index }
            case UInt8(ascii: "\n"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: ";"): return nil
            default: continue
            }
            if depth < 0 { return nil }
        }
        return nil
    }

    /// Returns the class in `text`, which starts with `<`: the name in a description, or `Shop.Cart` for `<Shop.Cart>`; any
    /// other text unchanged.
    static func name(in text: Text) -> Text {
        if let description = PrintedObject(text) { return description.name }
        if let close = Generics.indexOfBracket(closing: text.startIndex, in: text), close == text.endIndex - 1
        {
            return text[(text.startIndex + 1)..<close]
        }
        return text
    }
}
