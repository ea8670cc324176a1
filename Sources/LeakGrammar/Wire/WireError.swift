internal import LeakMessage

/// Reason why a whole request cannot be read: not JSON, not UTF-8, or not the shape of a report or batch.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the problem, counted from 1.
    package let line: Int
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

/// A rejected report; the other reports are accepted.
package struct Rejection: Hashable, Sendable {
    /// The index among the reports of the request, from 0.
    package let index: Int
    /// The field and the limit that it exceeds: `class is 700 bytes, at most 512`.
    package let reason: String

    package init(index: Int, reason: String) {
        self.index = index
        self.reason = reason
    }
}
