internal import LeakGrammar
internal import LeakMessage

/// Why nothing of a request can be read: what, where, and what to do about it.
public struct SentryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Such as `the item is to have 900 bytes, 115 are left; …`.
    public let reason: String
    /// Where, counted from 1, in the request as it was before compression.
    public let line: Int
    public let column: Int
    /// Whether the request is refused for its size alone.
    public let isTooLarge: Bool

    init(_ reason: String, at offset: Int, in body: [UInt8], isTooLarge: Bool = false) {
        let position = TextPosition(of: offset, in: body)
        self.reason = reason
        line = position.line
        column = position.column
        self.isTooLarge = isTooLarge
    }

    init(_ unreadable: Unreadable, in body: [UInt8]) {
        self.init(unreadable.reason, at: unreadable.offset, in: body)
    }

    public var description: String { "line \(line), column \(column): \(reason)" }
}

/// Why one JSON object of a request cannot be read. Its line is looked for only where somebody is told: that takes as
/// long as all before it.
struct Unreadable: Error {
    let reason: String
    let offset: Int
}
