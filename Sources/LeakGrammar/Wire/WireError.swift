internal import LeakMessage

/// Why a whole request cannot be read: not JSON, not UTF-8, or not the shape of a report or batch.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, counted from 1.
    package let line: Int
    package let column: Int
    /// What is wrong and what belongs there: `reports is a string, must be an array`.
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

/// A report that is not taken, while the others are.
package struct Rejection: Hashable, Sendable {
    /// Its place among the reports of the request, from 0.
    package let index: Int
    /// Which field breaks which bound: `class is 700 bytes, at most 512`.
    package let reason: String

    package init(index: Int, reason: String) {
        self.index = index
        self.reason = reason
    }
}
