package import LeakGrammar
internal import LeakMessage

/// Encoder of a ``SymbolTable`` from ranges in ascending order.
package struct SymbolTableBuilder {
    private let image: ImageID
    private let name: String
    private let architecture: String
    private var encodedStrings: [UInt8] = []
    private var stringIndexes: [String: Int] = [:]
    private var encodedRanges: [UInt8] = []
    private var rangeCount = 0
    /// End of the last encoded range.
    private var encodedEnd: UInt64 = 0
    /// Indexes and lines of the last encoded range.
    private var lastEncodedRange: (functions: [Int], files: [Int], lines: [Int])?
    /// The last added range, which the next range may extend and which is not encoded yet.
    private var pendingRange: (range: Range<UInt64>, calls: [SymbolicatedFrame])?
    /// Number of ranges that were left out, because they are not in order, end beyond ``SymbolTable/Limits/offset``, or
    /// would make the table too large.
    package private(set) var leftOutCount = 0

    package init(image: ImageID, name: String, architecture: String) {
        self.image = image
        self.name = Self.text(name, maxBytes: SymbolTable.Limits.nameBytes, fallback: "image")
        self.architecture = Self.text(
            architecture, maxBytes: SymbolTable.Limits.architectureBytes, fallback: "")
    }

    /// Number of ranges in the table, including the last range, which is not encoded yet.
    package var count: Int { rangeCount + (pendingRange == nil ? 0 : 1) }

    /// Adds a range after the ranges that were added earlier. A range that overlaps them, comes before them, or ends beyond
    /// ``SymbolTable/Limits/offset`` is left out.
    ///
    /// - Parameter calls: the functions of the range, innermost first.
    package mutating func add(_ range: Range<UInt64>, _ calls: [SymbolicatedFrame]) {
        guard !calls.isEmpty, !range.isEmpty else { return }
        guard range.lowerBound >= (pendingRange?.range.upperBound ?? encodedEnd),
            range.upperBound <= SymbolTable.Limits.offset
        else {
            leftOutCount += 1
            return
        }
        let calls = Array(calls.suffix(SymbolTable.Limits.calls))
        if let pendingRange, pendingRange.range.upperBound == range.lowerBound, pendingRange.calls == calls {
            self.pendingRange = (pendingRange.range.lowerBound..<range.upperBound, calls)
            return
        }
        encodePendingRange()
        pendingRange = (range, calls)
    }

    /// Returns the bytes of the table, which ``SymbolTable/init(_:)`` parses.
    package mutating func finish() -> [UInt8] {
        encodePendingRange()
        var bytes = SymbolTable.magic + image.bytes
        Self.append(name, to: &bytes)
        Self.append(architecture, to: &bytes)
        Self.append(stringIndexes.count, to: &bytes)
        bytes += encodedStrings
        Self.append(rangeCount, to: &bytes)
        return bytes + encodedRanges
    }

    /// Encodes the last added range.
    private mutating func encodePendingRange() {
        guard let (range, calls) = pendingRange else { return }
        pendingRange = nil
        let isFull =
            rangeCount >= SymbolTable.Limits.ranges
            || stringIndexes.count + 2 * calls.count > SymbolTable.Limits.strings
            || encodedRanges.count + encodedStrings.count > SymbolTable.Limits.bytes - (1 << 16)
        guard !isFull else {
            leftOutCount += 1
            return
        }
        let functions = calls.map { index(of: $0.function, fallback: "?") }
        let files = calls.map { call in call.file.map { index(of: $0, fallback: "?") + 1 } ?? 0 }
        let lines = calls.map { min(max($0.line ?? 0, 0), SymbolTable.Limits.line) }
        Self.append(Int(range.lowerBound - encodedEnd), to: &encodedRanges)
        Self.append(range.count, to: &encodedRanges)
        if rangeCount % SymbolTable.rangesPerBlock != 0, let lastEncodedRange,
            lastEncodedRange.functions == functions,
            lastEncodedRange.files == files
        {
            Self.append(calls.count << 1 | 1, to: &encodedRanges)
            for (line, lastLine) in zip(lines, lastEncodedRange.lines) {
                let delta = line - lastLine
                Self.append(delta >= 0 ? delta << 1 : (-delta - 1) << 1 | 1, to: &encodedRanges)
            }
        } else {
            Self.append(calls.count << 1, to: &encodedRanges)
            for index in calls.indices {
                for number in [functions[index], files[index], lines[index]] {
                    Self.append(number, to: &encodedRanges)
                }
            }
        }
        lastEncodedRange = (functions, files, lines)
        encodedEnd = range.upperBound
        rangeCount += 1
    }

    private mutating func index(of rawText: String, fallback: String) -> Int {
        if let index = stringIndexes[rawText] { return index }
        let text = Self.text(rawText, maxBytes: SymbolTable.Limits.stringBytes, fallback: fallback)
        if let index = stringIndexes[text] { return index }
        let index = stringIndexes.count
        stringIndexes[text] = index
        Self.append(text, to: &encodedStrings)
        return index
    }

    /// Returns a text without control characters, cut to a number of bytes; `fallback` if it would be empty.
    static func text(_ rawText: String, maxBytes: Int, fallback: String) -> String {
        var text = ""
        var count = 0
        for scalar in rawText.unicodeScalars where scalar.value >= 0x20 && scalar.value != 0x7F {
            count += UTF8.width(scalar)
            guard count <= maxBytes else { break }
            text.unicodeScalars.append(scalar)
        }
        return text.isEmpty ? fallback : text
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        append(text.utf8.count, to: &bytes)
        bytes += text.utf8
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var remainingBits = number
        while remainingBits >= 0x80 {
            bytes.append(UInt8(remainingBits & 0x7F) | 0x80)
            remainingBits >>= 7
        }
        bytes.append(UInt8(remainingBits))
    }
}
