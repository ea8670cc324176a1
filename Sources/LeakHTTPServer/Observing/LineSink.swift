/// Whole lines to a place that may fail: what is lost is counted, and no line is glued to half of another.
struct LineSink {
    /// Writes some of the bytes, and says how many.
    private let put: (ArraySlice<UInt8>) throws(SystemError) -> Int
    /// Lines that could not be written and that no line has told of yet.
    private(set) var lost = 0
    /// Whether the last line that was written has no end.
    private var isTorn = false

    init(_ put: @escaping (ArraySlice<UInt8>) throws(SystemError) -> Int) { self.put = put }

    /// Writes lines, or counts those that cannot be written.
    mutating func write(_ lines: [UInt8]) {
        guard !isTorn || putAll([Self.newline]).isEmpty else {
            count(lines[...])
            return
        }
        isTorn = false
        let rest = putAll(lines)
        guard !rest.isEmpty else { return }
        isTorn = rest.startIndex > 0 && lines[rest.startIndex - 1] != Self.newline
        count(rest)
    }

    /// Writes the line that tells of what was lost. It is told of once, as soon as a line can be written.
    mutating func tell(_ line: (Int) -> [UInt8]) {
        guard lost > 0 else { return }
        let told = lost
        write(line(told))
        // The line itself is nothing to tell of.
        lost = lost == told ? 0 : told
    }

    /// Counts lines that were lost elsewhere.
    mutating func lose(_ lines: Int) { lost += lines }

    private mutating func count(_ rest: ArraySlice<UInt8>) { lost += rest.count { $0 == Self.newline } }

    /// - Returns: what could not be written.
    private func putAll(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var rest = bytes[...]
        while !rest.isEmpty {
            do throws(SystemError) { rest = rest.dropFirst(try put(rest)) } catch { break }
        }
        return rest
    }

    private static let newline = UInt8(ascii: "\n")
}
