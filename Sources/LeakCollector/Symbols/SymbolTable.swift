package import LeakGrammar
internal import LeakMessage

/// The functions of one image by their offsets in it. `collector symbols upload` creates a table from debug data, and
/// the collector looks up names in it. docs/SYMBOLS.md has the format.
///
/// The initializer checks all bytes, which stay encoded. A look-up decodes at most ``rangesPerBlock`` ranges.
package struct SymbolTable: Sendable {
    /// Limits of a table. A table that exceeds a limit is rejected.
    package enum Limits {
        /// Maximum bytes of a table, as many as a request may inflate to. A million ranges take about 6 MiB.
        package static let bytes = 16 << 20
        /// Maximum bytes of the image's name.
        package static let nameBytes = 128
        /// Maximum bytes of the architecture's name.
        package static let architectureBytes = 32
        /// Maximum number of different names of functions and files.
        package static let strings = 1 << 20
        /// Maximum bytes of one such name.
        package static let stringBytes = 512
        /// Maximum number of ranges.
        package static let ranges = 1 << 22
        /// Maximum number of functions of a range: those that are inlined into each other, and the function around them.
        package static let calls = 32
        /// All offsets in the image are less than this, as in call frames.
        package static let offset: UInt64 = 1 << 32
        /// The highest number of a line in a file.
        package static let line = 1 << 24
    }

    /// Number of ranges in a block. The index of the table has one entry for each block.
    static let rangesPerBlock = 64
    static let magic = Array("LCSYM".utf8) + [1]

    package let image: ImageID
    /// The image's name, such as `Shop`.
    package let name: String
    /// The architecture, such as `arm64`; empty if it is not known.
    package let architecture: String
    package private(set) var rangeCount = 0
    private let bytes: [UInt8]
    /// Offset of each text in ``bytes``. The length of the text stands there, before its bytes.
    private var stringOffsets: [UInt32] = []
    /// The index: for each block of ranges, the end of the last range before the block, and the block's offset in ``bytes``.
    private var blocks: [(base: UInt64, position: UInt32)] = []
    /// The first line of each closure, by the index of its name. The code that binds a closure's context has the
    /// closure's name but no line, so it gets this line.
    private var closureStarts: [Int: RangeReader.Call] = [:]

    /// Error for bytes that are not a table.
    package struct Invalid: Error, Hashable, CustomStringConvertible {
        package var description: String
        /// Position of the error in bytes from the start.
        package var position: Int

        init(_ description: String, at position: Int) {
            self.description = "the symbol table cannot be read: \(description), at byte \(position)"
            self.position = position
        }
    }

    /// Parses and checks all bytes, in linear time.
    package init(_ bytes: [UInt8]) throws(Invalid) {
        guard bytes.count <= Limits.bytes else {
            throw Invalid("it has \(bytes.count) bytes, the limit is \(Limits.bytes)", at: Limits.bytes)
        }
        var reader = SymbolTableReader(bytes)
        guard bytes.starts(with: Self.magic) else {
            throw Invalid("it is not in the format that this collector reads (LCSYM, version 1)", at: 0)
        }
        reader.position = Self.magic.count
        image = ImageID(bytes: try reader.take(ImageID.byteCount))
        name = try reader.text("name", atMost: Limits.nameBytes)
        architecture = try reader.text("architecture", atMost: Limits.architectureBytes, mayBeEmpty: true)
        let stringCount = try reader.number("number of strings", atMost: Limits.strings)
        var isClosure: [Bool] = []
        var starts: [Int: RangeReader.Call] = [:]
        for _ in 0..<stringCount {
            stringOffsets.append(UInt32(reader.position))
            let text = try reader.text("text", atMost: Limits.stringBytes)
            isClosure.append(text.hasPrefix("closure #") || text.hasPrefix("implicit closure #"))
        }
        rangeCount = try reader.number("number of ranges", atMost: Limits.ranges)
        guard rangeCount > 0, stringCount > 0 else {
            throw Invalid("it names no function", at: reader.position)
        }
        var ranges = RangeReader(reader: reader, stringCount: stringCount)
        for index in 0..<rangeCount {
            if index % Self.rangesPerBlock == 0 {
                blocks.append((ranges.end, UInt32(ranges.reader.position)))
            }
            try ranges.next(mayRepeat: index % Self.rangesPerBlock != 0)
            for call in ranges.calls where call.line > 0 && isClosure[call.functionIndex] {
                Self.add(call, to: &starts)
            }
        }
        guard ranges.reader.position == bytes.count else {
            throw Invalid("something follows the last range", at: ranges.reader.position)
        }
        self.bytes = bytes
        closureStarts = starts
    }

    /// Keeps the call if it has the lowest line of its closure so far.
    private static func add(_ call: RangeReader.Call, to starts: inout [Int: RangeReader.Call]) {
        guard let first = starts[call.functionIndex] else {
            starts[call.functionIndex] = call
            return
        }
        if first.fileNumber != call.fileNumber {
            // Closures of two files have the same name, so the line of neither is known.
            starts[call.functionIndex] = RangeReader.Call(
                functionIndex: call.functionIndex, fileNumber: 0, line: 0)
        } else if call.line < first.line {
            starts[call.functionIndex] = call
        }
    }

    /// Approximate bytes of memory.
    package var size: Int {
        bytes.count + stringOffsets.count * 4 + blocks.count * 16 + closureStarts.count * 48
    }

    /// Returns the functions at an offset in the image, innermost first; empty if no range contains the offset.
    package func calls(at offset: UInt64) -> [SymbolicatedFrame] {
        guard offset < Limits.offset, !blocks.isEmpty else { return [] }
        // Finds the last block whose base is not after the offset.
        var (low, high) = (0, blocks.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if blocks[middle].base <= offset { low = middle } else { high = middle }
        }
        var ranges = RangeReader(reader: SymbolTableReader(bytes), stringCount: stringOffsets.count)
        ranges.reader.position = Int(blocks[low].position)
        ranges.end = blocks[low].base
        let count = min(Self.rangesPerBlock, rangeCount - low * Self.rangesPerBlock)
        for index in 0..<count {
            guard (try? ranges.next(mayRepeat: index > 0)) != nil else { return [] }
            if offset < ranges.start { return [] }
            if offset < ranges.end { return ranges.calls.map(call) }
        }
        return []
    }

    private func call(_ call: RangeReader.Call) -> SymbolicatedFrame {
        let call = call.line == 0 ? closureStarts[call.functionIndex] ?? call : call
        return SymbolicatedFrame(
            function: string(call.functionIndex),
            file: call.fileNumber == 0 ? nil : string(call.fileNumber - 1),
            line: call.line == 0 ? nil : call.line)
    }

    private func string(_ index: Int) -> String {
        var reader = SymbolTableReader(bytes)
        reader.position = Int(stringOffsets[index])
        return (try? reader.text("string", atMost: Limits.stringBytes)) ?? ""
    }
}

/// Decoder of the ranges of a table, one after another.
private struct RangeReader {
    /// A function of a range, with its file and line.
    struct Call {
        /// Index of the function's name.
        var functionIndex: Int
        /// One more than the index of the file's name; 0 for no file.
        var fileNumber: Int
        /// The line in the file; 0 if there is none.
        var line: Int
    }

    var reader: SymbolTableReader
    let stringCount: Int
    /// Offset of the last decoded range in the image.
    private(set) var start: UInt64 = 0
    /// End of the last decoded range. The next range is encoded relative to it.
    var end: UInt64 = 0
    /// Functions of the last decoded range, innermost first.
    private(set) var calls: [Call] = []

    init(reader: SymbolTableReader, stringCount: Int) {
        self.reader = reader
        self.stringCount = stringCount
    }

    /// Decodes the next range.
    ///
    /// - Parameter mayRepeat: true if the range may refer to the functions of the preceding range; false for the first
    ///   range of a block.
    mutating func next(mayRepeat: Bool) throws(SymbolTable.Invalid) {
        let limit = Int(SymbolTable.Limits.offset)
        start = end + UInt64(try reader.number("gap", atMost: limit))
        let length = try reader.number("length", atMost: limit)
        end = start + UInt64(length)
        guard length > 0, end <= SymbolTable.Limits.offset else {
            throw SymbolTable.Invalid("a range is empty or ends too late", at: reader.position)
        }
        let head = try reader.number("number of calls", atMost: SymbolTable.Limits.calls * 2 + 1)
        let count = head >> 1
        guard count > 0 else { throw SymbolTable.Invalid("a range has no function", at: reader.position) }
        if head & 1 == 1 {
            guard mayRepeat, count == calls.count else {
                throw SymbolTable.Invalid(
                    "a range refers to functions that do not exist", at: reader.position)
            }
            for index in calls.indices {
                let delta = try reader.number("line", atMost: SymbolTable.Limits.line * 2 + 1)
                let line = calls[index].line + (delta & 1 == 0 ? delta >> 1 : -(delta >> 1) - 1)
                guard (0...SymbolTable.Limits.line).contains(line) else {
                    throw SymbolTable.Invalid("a line is out of bounds", at: reader.position)
                }
                calls[index].line = line
            }
        } else {
            calls.removeAll(keepingCapacity: true)
            for _ in 0..<count {
                let function = try reader.number("function", atMost: stringCount - 1)
                let file = try reader.number("file", atMost: stringCount)
                let line = try reader.number("line", atMost: SymbolTable.Limits.line)
                calls.append(Call(functionIndex: function, fileNumber: file, line: line))
            }
        }
    }
}

/// Decoder of the numbers and texts of a table.
struct SymbolTableReader {
    let bytes: [UInt8]
    var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a number with seven bits per byte, lowest bits first. An encoding with more bytes than needed is an error.
    ///
    /// - Parameter name: name of the number in error messages.
    mutating func number(_ name: StaticString, atMost limit: Int) throws(SymbolTable.Invalid) -> Int {
        var number = 0
        var shift = 0
        while position < bytes.count, shift < 63 {
            let byte = bytes[position]
            position += 1
            number |= Int(byte & 0x7F) << shift
            guard byte & 0x80 == 0 else {
                shift += 7
                continue
            }
            guard byte != 0 || shift == 0 else {
                throw SymbolTable.Invalid("\(name) is encoded with too many bytes", at: position)
            }
            guard number <= limit else {
                throw SymbolTable.Invalid("\(name) is \(number), the limit is \(limit)", at: position)
            }
            return number
        }
        throw SymbolTable.Invalid("\(name) has no end", at: position)
    }

    /// Reads the next `count` bytes.
    mutating func take(_ count: Int) throws(SymbolTable.Invalid) -> ArraySlice<UInt8> {
        guard count <= bytes.count - position else {
            throw SymbolTable.Invalid("it ends too early", at: bytes.count)
        }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    mutating func text(
        _ name: StaticString, atMost limit: Int, mayBeEmpty: Bool = false
    ) throws(SymbolTable.Invalid) -> String {
        let text = String(decoding: try take(number("length of a text", atMost: limit)), as: UTF8.self)
        try validate(text, mayBeEmpty: mayBeEmpty)
        return text
    }

    private func validate(_ text: String, mayBeEmpty: Bool) throws(SymbolTable.Invalid) {
        guard mayBeEmpty || !text.isEmpty else {
            throw SymbolTable.Invalid("a text is empty", at: position)
        }
        // Invalid UTF-8 was decoded as U+FFFD, which differs from the original bytes.
        let isText = text.utf8.elementsEqual(bytes[(position - min(text.utf8.count, position))..<position])
        guard isText, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw SymbolTable.Invalid("a text is not UTF-8 or has control characters", at: position)
        }
    }
}
