internal import LeakMessage

/// Functions that find the ends of nested brackets in one pass.
enum Brackets {
    /// Returns the index after the bracket that closes the first bracket, with which the text starts; the end of the text if no
    /// bracket closes it.
    static func endIndex(ofBracketAtStartOf text: Text) -> Int {
        endIndexIfClosed(ofBracketAtStartOf: text) ?? text.endIndex
    }

    /// Returns the index after the bracket that closes the first bracket, with which the text starts; `nil` if no bracket
    /// closes it.
    static func endIndexIfClosed(ofBracketAtStartOf text: Text) -> Int? {
        var depth = 0
        var previous: UInt8 = 0
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ">"): if previous != UInt8(ascii: "-") { depth -= 1 }
            default: break
            }
            if depth <= 0 { return index + 1 }
            previous = text[index]
        }
        return nil
    }

    /// Returns the text inside the bracket with which the text starts, up to the bracket that closes it, or to the end of the
    /// text if no bracket does.
    static func inside(_ text: Text) -> Text {
        let start = text.startIndex + 1
        return text[
            start..<max(start, endIndexIfClosed(ofBracketAtStartOf: text).map { $0 - 1 } ?? text.endIndex)]
    }

    /// Splits a text at separators outside of brackets: commas, or any of the given characters.
    static func split(_ text: Text, at separators: StaticString = ",") -> [Text] {
        guard !text.isEmpty else { return [] }
        var parts: [Text] = []
        var start = text.startIndex
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "<"):
                index = endIndex(ofBracketAtStartOf: text[index...])
            case let byte where separators.contains(byte):
                parts.append(text[start..<index])
                index += 1
                start = index
            default: index += 1
            }
        }
        parts.append(text[start...])
        return parts
    }
}

extension StaticString {
    fileprivate func contains(_ byte: UInt8) -> Bool {
        for index in 0..<utf8CodeUnitCount where unsafe utf8Start[index] == byte { return true }
        return false
    }
}
