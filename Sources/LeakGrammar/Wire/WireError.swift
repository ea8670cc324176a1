internal import LeakMessage

/// An error that rejects a whole request: the body is not JSON, is not UTF-8, exceeds a limit, or has another shape than a
/// report or batch.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the problem, counted from 1.
    package let line: Int
    /// The column of the problem in Unicode scalars, counted from 1.
    package let column: Int
    /// The problem and the expected value: `reports is a string, must be an array`.
    package let reason: String

    package init(_ reason: String, at offset: Int, in body: [UInt8]) {
        let position = TextPosition(of: offset, in: body)
        line = position.line
        column = position.column
        self.reason = reason
    }

    init(_ error: JSONError, in body: [UInt8]) {
        self.init("not JSON: \(error)", at: error.offset, in: body)
    }

    package var description: String { "line \(line), column \(column): \(reason)" }
}

/// A report that was rejected, while other reports of the request may have been accepted.
package struct Rejection: Hashable, Sendable {
    /// The index among the reports of the request, from 0.
    package let index: Int
    /// The problem with a field, such as a limit that the field exceeds: `class is 700 bytes, the limit is 512`.
    package let reason: String

    package init(index: Int, reason: String) {
        self.index = index
        self.reason = reason
    }
}
