/// A writer of whole lines to a target that may fail. It counts lost lines and never appends a line to a partial line.
struct LineSink {
    /// The function that writes some of the bytes and returns their number.
    private let writeSome: (ArraySlice<UInt8>) throws(SystemError) -> Int
    /// The number of lost lines that have not been reported yet.
    private(set) var lostLineCount = 0
    /// `true` if the last line was written only in part.
    private var endsInPartialLine = false

    init(_ writeSome: @escaping (ArraySlice<UInt8>) throws(SystemError) -> Int) { self.writeSome = writeSome }

    /// Writes lines, and counts the lines that cannot be written.
    mutating func write(_ lines: [UInt8]) {
        guard !endsInPartialLine || writeAll([Self.newline]).isEmpty else {
            countLostLines(lines[...])
            return
        }
        endsInPartialLine = false
        let unwritten = writeAll(lines)
        guard !unwritten.isEmpty else { return }
        endsInPartialLine = unwritten.startIndex > 0 && lines[unwritten.startIndex - 1] != Self.newline
        countLostLines(unwritten)
    }

    /// Writes the line that reports the number of lost lines. They are reported once, as soon as a line can be written.
    mutating func reportLost(_ line: (Int) -> [UInt8]) {
        guard lostLineCount > 0 else { return }
        let reportedCount = lostLineCount
        write(line(reportedCount))
        // If the report itself is lost, it does not count as a lost line.
        lostLineCount = lostLineCount == reportedCount ? 0 : reportedCount
    }

    /// Adds lines that were lost elsewhere.
    mutating func addLost(_ lines: Int) { lostLineCount += lines }

    private mutating func countLostLines(_ unwritten: ArraySlice<UInt8>) {
        lostLineCount += unwritten.count { $0 == Self.newline }
    }

    /// Writes bytes until all are written or an error occurs.
    ///
    /// - Returns: the bytes that could not be written.
    private func writeAll(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var unwritten = bytes[...]
        while !unwritten.isEmpty {
            do throws(SystemError) { unwritten = unwritten.dropFirst(try writeSome(unwritten)) } catch {
                break
            }
        }
        return unwritten
    }

    private static let newline = UInt8(ascii: "\n")
}
