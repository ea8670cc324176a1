internal import LeakMessage

/// An error in a JSON text: the rule that the text breaks, and the position.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A rule of RFC 8259 or of ``JSONScanner``.
    package enum Rule: Hashable, Sendable {
        /// The text ends inside a value.
        case unexpectedEnd
        /// The text does not continue with what the associated value describes, such as `a colon`.
        case expected(String)
        case invalidEscape
        /// A byte below 0x20 inside a string: RFC 8259 §7 requires an escape sequence.
        case controlCharacter
        case invalidNumber
        /// More than ``JSONScanner/depthLimit`` nested arrays and objects.
        case tooDeep
        /// More text follows the value.
        case trailingText
        /// The text is not UTF-8, which RFC 8259 §8.1 requires.
        case invalidUTF8
    }

    /// The index of the byte that breaks the rule, counted from the start of the body.
    package let offset: Int
    package let rule: Rule

    package init(_ rule: Rule, at offset: Int) {
        self.rule = rule
        self.offset = offset
    }

    package var description: String {
        switch rule {
        case .unexpectedEnd: "the text ends too early"
        case .expected(let description): "expected \(description)"
        case .invalidEscape: "invalid escape sequence"
        case .controlCharacter: "a control character in a string must be escaped"
        case .invalidNumber: "invalid number"
        case .tooDeep: "nested more than \(JSONScanner.depthLimit) deep"
        case .trailingText: "more text after the value"
        case .invalidUTF8: "not UTF-8"
        }
    }
}

/// A position in a text as editors show it: lines and columns start at 1, and each Unicode scalar is a column.
package struct TextPosition: Hashable, Sendable {
    package let line: Int
    package let column: Int

    /// The position of the byte at `offset`. An offset past the end gives the position after the last byte.
    package init(of offset: Int, in text: [UInt8]) {
        var line = 1
        var column = 1
        for byte in text.prefix(max(0, offset)) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        self.line = line
        self.column = column
    }
}
