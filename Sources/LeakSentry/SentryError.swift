internal import LeakGrammar
internal import LeakMessage

/// The reason why no part of a request can be read: the problem, its position, and what to do about it.
public struct SentryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem, such as `length is 900, but the number of bytes left is 115; …`.
    public let reason: String
    /// The line, counted from 1, in the request as it was before compression.
    public let line: Int
    /// The column in characters, counted from 1.
    public let column: Int
    /// `true` if the request is rejected only for its size.
    public let isTooLarge: Bool

    init(_ reason: String, at offset: Int, in body: [UInt8], isTooLarge: Bool = false) {
        let position = TextPosition(of: offset, in: body)
        self.reason = reason
        line = position.line
        column = position.column
        self.isTooLarge = isTooLarge
    }

    init(_ unreadable: SentryJSONError, in body: [UInt8]) {
        self.init(unreadable.reason, at: unreadable.offset, in: body)
    }

    public var description: String { "line \(line), column \(column): \(reason)" }
}

/// The reason why one JSON object of a request cannot be read. The line of the error is computed only for a ``SentryError``,
/// because this reads the request again up to the error.
struct SentryJSONError: Error {
    let reason: String
    /// Position of the error in bytes from the start of the request.
    let offset: Int
}
