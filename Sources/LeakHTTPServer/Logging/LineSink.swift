/// A writer of whole lines to a target that may fail. It counts lost lines and never appends a line to a partial line.
struct LineSink {
    /// The function that writes some of the bytes and returns their number.
    private let put: (ArraySlice<UInt8>) throws(SystemError) -> Int
    /// The number of lost lines that have not been reported yet.
    private(set) var lost = 0
    /// `true` if the last line was written only in part.
    private var endsInPartialLine = false

    init(_ put: @escaping (ArraySlice<UInt8>) throws(SystemError) -> Int) { self.put = put }

    /// Writes lines, and counts those that cannot be written.
    mutating func write(_ lines: [UInt8]) {
        guard !endsInPartialLine || putAll([Self.newline]).isEmpty else {
            countLostLines(lines[...])
            return
        }
        endsInPartialLine = false
        let rest = putAll(lines)
        guard !rest.isEmpty else { return }
        endsInPartialLine = rest.startIndex > 0 && lines[rest.startIndex - 1] != Self.newline
        countLostLines(rest)
    }

    /// Writes the line that reports the number of lost lines. They are reported once, as soon as a line can be written.
    mutating func reportLost(_ line: (Int) -> [UInt8]) {
        guard lost > 0 else { return }
        let reported = lost
        write(line(reported))
        // If the report itself is lost, it does not count as a lost line.
        lost = lost == reported ? 0 : reported
    }

    /// Adds lines that were lost elsewhere.
    mutating func addLost(_ lines: Int) { lost += lines }

    private mutating func countLostLines(_ rest: ArraySlice<UInt8>) {
        lost += rest.count { $0 == Self.newline }
    }

    /// - Returns: the bytes that could not be written.
    private func putAll(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var rest = bytes[...]
        while !rest.isEmpty {
            do throws(SystemError) { rest = rest.dropFirst(try put(rest)) } catch { break }
        }
        return rest
    }

    private static let newline = UInt8(ascii: "\n")
}
