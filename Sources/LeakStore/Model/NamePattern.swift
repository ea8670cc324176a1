/// A pattern for names: one name or, with a `*` at the end, every name that begins with the text before the `*`.
///
/// An asterisk elsewhere is not allowed, because no index could find the matching names: lists would become slower with every
/// leak.
public struct NamePattern: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// - Returns: `nil` for a text that is empty, is only `*`, or has an asterisk before its end.
    public init?(_ text: String) {
        guard !text.isEmpty, text != "*", !text.dropLast().contains("*") else { return nil }
        self.text = text
    }

    public var description: String { text }

    private var isPrefix: Bool { text.utf8.last == UInt8(ascii: "*") }

    package func matches(_ name: String) -> Bool {
        isPrefix ? name.utf8.starts(with: text.utf8.dropLast()) : ByteText(name) == ByteText(text)
    }

    /// The bounds of the names that match, in the order of their bytes. Both bounds are equal for a pattern without `*`.
    package var range: (first: String, last: String) {
        guard isPrefix else { return (text, text) }
        let prefix = String(text.dropLast())
        return (prefix, prefix + "\u{10FFFF}")
    }
}
