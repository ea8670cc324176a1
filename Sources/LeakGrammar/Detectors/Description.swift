internal import LeakMessage

/// An object as `description` prints it: `<Shop.Cart: 0x7f88acc69260; frame = …>`, `<X:0x…>`, `<X: 561440129>`.
struct Description {
    /// The name inside, not cleaned.
    let name: Text
    /// The text after the address: `; frame = (0 0; 10 10); text = 'Jane'>` and more. Empty for a bare description.
    let attributes: Text
    /// The text after the `>` that follows the address. Empty when there are attributes: their end cannot be determined, since they
    /// contain text that users typed.
    let remainder: Text

    /// Reads a description at the start of `text`; `nil` when there is none.
    init?(_ text: Text) {
        guard text.first == UInt8(ascii: "<") else { return nil }
        var start = text.startIndex
        // RIBs puts the description of an object into angle brackets of its own; FBRetainCycleDetector doubles them.
        while start < text.endIndex, text[start] == UInt8(ascii: "<") { start += 1 }
        guard let colon = Self.colon(in: text[start...].prefix(TypeNameCleaner.byteLimit)) else {
            return nil
        }
        let name = text[start..<colon].trimmed
        guard !name.isEmpty else { return nil }
        var end = colon + 1
        while end < text.endIndex, text[end] == UInt8(ascii: " ") { end += 1 }
        let identity = end
        if text[end...].starts(with: "0x") { end += 2 }
        if end < text.endIndex, text[end] == UInt8(ascii: "-") { end += 1 }
        while end < text.endIndex, text[end].isHexadecimal { end += 1 }
        guard end > identity else { return nil }
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

    /// Returns the colon between name and address: not one inside parentheses or brackets, and not the one after
    /// `(extension in M)`.
    private static func colon(in text: Text) -> Int? {
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

    /// Returns the name in `text`, which starts with `<`; without brackets if it is not a description.
    static func name(_ text: Text) -> Text {
        if let description = Description(text) { return description.name }
        // `<Shop.Cart>` of a description without an address.
        if let close = Generics.closing(of: text.startIndex, in: text), close == text.endIndex - 1 {
            return text[(text.startIndex + 1)..<close]
        }
        return text
    }
}
