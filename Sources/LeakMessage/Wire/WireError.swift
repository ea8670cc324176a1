/// Why a whole request cannot be read: not JSON, not UTF-8, or not the shape of a report or batch.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, counted from 1.
    public let line: Int
    public let column: Int
    /// What is wrong and what belongs there: `reports is a string, must be an array`.
    public let reason: String

    public init(_ reason: String, at offset: Int, in body: [UInt8]) {
        let position = TextPosition(of: offset, in: body)
        line = position.line
        column = position.column
        self.reason = reason
    }

    init(_ error: JSONError, in body: [UInt8]) {
        self.init("not JSON: \(error)", at: error.offset, in: body)
    }

    public var description: String { "line \(line), column \(column): \(reason)" }
}

/// A report that is not taken, while the others are.
public struct Rejection: Hashable, Sendable {
    /// Its place among the reports of the request, from 0.
    public let index: Int
    /// Which field breaks which bound: `class is 700 bytes, at most 512`.
    public let reason: String

    public init(index: Int, reason: String) {
        self.index = index
        self.reason = reason
    }
}
