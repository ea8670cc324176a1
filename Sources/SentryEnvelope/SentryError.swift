internal import LeakMessage

/// Why nothing of a request can be read: what, where, and what to do about it.
public struct SentryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Such as `the item is to have 900 bytes, 115 are left; …`.
    public let reason: String
    /// Where, counted from 1, in the request as it was before compression.
    public let line: Int
    public let column: Int

    init(_ reason: String, at offset: Int, in body: [UInt8]) {
        let position = TextPosition(of: offset, in: body)
        self.reason = reason
        line = position.line
        column = position.column
    }

    public var description: String { "line \(line), column \(column): \(reason)" }
}
