/// The section `.debug_line` of DWARF 4 and 5, which maps addresses of code to files and line numbers.
///
/// https://dwarfstd.org/doc/DWARF5.pdf, 6.2
@safe struct DebugLines {
    struct Line: Equatable {
        /// The last component of the file's path.
        var file: String
        var line: Int
    }

    /// The maximum size of the section, 128 MiB. A larger section is not read, since each failed test would wait for it.
    static let byteLimit = 128 << 20
    /// The maximum line number. A larger number comes from a damaged file.
    private static let lineLimit: Int64 = 1 << 24

    private let file: UnsafeRawBufferPointer
    private let section: Range<Int>
    private let rangeOfSection: (_ section: String) -> Range<Int>

    /// - Parameters:
    ///   - file: the bytes of the whole file. They must outlive this value.
    ///   - rangeOfSection: returns the range of another section in the file.
    init(
        _ file: UnsafeRawBufferPointer, _ section: Range<Int>,
        rangeOfSection: @escaping (_ section: String) -> Range<Int>
    ) {
        unsafe self.file = unsafe file
        self.section = section.count <= Self.byteLimit ? section : 0..<0
        self.rangeOfSection = rangeOfSection
    }

    /// Returns the source lines of the code at some addresses of the file. Code without a line is left out.
    func lines(at addresses: Set<UInt64>) -> [UInt64: Line] {
        guard let lowest = addresses.min(), let highest = addresses.max() else { return [:] }
        var lines: [UInt64: Line] = [:]
        var missing = addresses
        var units = unsafe LittleEndianReader(file, section)
        while !units.isAtEnd, !missing.isEmpty {
            var length = UInt64(units.number(UInt32.self))
            let is64Bit = length == 0xFFFF_FFFF
            if is64Bit { length = units.number(UInt64.self) }
            let start = units.position
            units.skip(length)
            guard units.isValid,
                let unit = CompilationUnit(
                    unsafe LittleEndianReader(file, start..<units.position), is64Bit: is64Bit)
            else { continue }
            unit.forEachRange(overlapping: lowest...highest) { range, fileNumber, line in
                guard line > 0, line < Self.lineLimit else { return }
                for address in missing where range.contains(address) {
                    missing.remove(address)
                    if let name = unit.fileName(fileNumber, string: string) {
                        lines[address] = Line(file: name, line: Int(line))
                    }
                }
            }
        }
        return lines
    }

    private func string(_ offset: UInt64, in section: String) -> String {
        let range = rangeOfSection(section)
        guard offset < UInt64(range.count) else { return "" }
        var reader = unsafe LittleEndianReader(file, (range.lowerBound + Int(offset))..<range.upperBound)
        return reader.text()
    }
}

/// The line program of one compilation. DWARF 5, 6.2.4
private struct CompilationUnit {
    private let version: UInt16
    private let is64Bit: Bool
    private let minInstructionBytes: UInt64
    private let lineBase: Int64
    private let lineRange: UInt8
    /// The number of operands of each standard opcode, beginning with opcode 1.
    private let operandCounts: [UInt8]
    /// The lists of directories and files.
    private let names: LittleEndianReader
    private let program: LittleEndianReader

    /// - Returns: `nil` for a version other than 4 and 5, for processors with several operations in an instruction, and for a
    ///   damaged header.
    init?(_ unit: LittleEndianReader, is64Bit: Bool) {
        var reader = unit
        version = reader.number(UInt16.self)
        guard (4...5).contains(version) else { return nil }
        if version == 5 { reader.skip(2) }
        let headerBytes = is64Bit ? reader.number(UInt64.self) : UInt64(reader.number(UInt32.self))
        var program = reader
        program.skip(headerBytes)
        minInstructionBytes = UInt64(reader.byte())
        let operations = reader.byte()
        reader.skip(1)
        lineBase = Int64(Int8(bitPattern: reader.byte()))
        lineRange = reader.byte()
        let opcodes = Int(reader.byte())
        guard opcodes > 0, lineRange > 0, operations == 1 else { return nil }
        operandCounts = (1..<max(opcodes, 1)).map { _ in reader.byte() }
        guard reader.isValid, program.isValid else { return nil }
        self.is64Bit = is64Bit
        self.program = program
        names = reader
    }

    /// Runs the line program and calls `body` with each address range between two rows, and the file and line of the first row.
    /// DWARF 5, 6.2.5
    func forEachRange(
        overlapping wanted: ClosedRange<UInt64>, _ body: (Range<UInt64>, UInt64, Int64) -> Void
    ) {
        var reader = program
        var (address, file, line): (UInt64, UInt64, Int64) = (0, 1, 1)
        var last: (address: UInt64, file: UInt64, line: Int64)?
        let firstSpecial = UInt8(truncatingIfNeeded: operandCounts.count + 1)
        func addRow() {
            if let last, last.address < address, last.address <= wanted.upperBound,
                address > wanted.lowerBound, last.address > 0
            {
                body(last.address..<address, last.file, last.line)
            }
            last = (address, file, line)
        }
        while !reader.isAtEnd {
            let opcode = reader.byte()
            if opcode >= firstSpecial {
                let step = opcode - firstSpecial
                address &+= UInt64(step / lineRange) &* minInstructionBytes
                line &+= lineBase &+ Int64(step % lineRange)
                addRow()
                continue
            }
            switch opcode {
            case 0:
                let count = reader.leb128()
                let start = reader.position
                let operation = count > 0 ? reader.byte() : 0
                if operation == 1 {
                    addRow()
                    (address, file, line, last) = (0, 1, 1, nil)
                } else if operation == 2, count == 9 {
                    address = reader.number(UInt64.self)
                }
                let read = UInt64(reader.position - start)
                if count > read { reader.skip(count - read) }
            case 1: addRow()
            case 2: address &+= reader.leb128() &* minInstructionBytes
            case 3: line &+= reader.signedLEB128()
            case 4: file = reader.leb128()
            case 8: address &+= UInt64((255 - firstSpecial) / lineRange) &* minInstructionBytes
            case 9: address &+= UInt64(reader.number(UInt16.self))
            default:
                for _ in 0..<operandCounts[Int(opcode) - 1] { _ = reader.leb128() }
            }
        }
    }

    /// Returns the last component of the path of a file; `nil` if no file has the number, or if the list of files cannot be
    /// read.
    func fileName(_ number: UInt64, string: (UInt64, String) -> String) -> String? {
        var reader = names
        let path =
            version == 5
            ? pathInDWARF5(of: number, in: &reader, string: string) : pathInDWARF4(of: number, in: &reader)
        return reader.isValid ? path?.split(separator: "/").last.map(String.init) : nil
    }

    private func pathInDWARF4(of number: UInt64, in reader: inout LittleEndianReader) -> String? {
        while !reader.isAtEnd, !reader.text().isEmpty {}
        // Files are counted from 1.
        var index: UInt64 = 1
        while !reader.isAtEnd {
            let name = reader.text()
            if name.isEmpty { return nil }
            if index == number { return name }
            index += 1
            // Directory, time and size.
            for _ in 0..<3 { _ = reader.leb128() }
        }
        return nil
    }

    private func pathInDWARF5(
        of number: UInt64, in reader: inout LittleEndianReader, string: (UInt64, String) -> String
    ) -> String? {
        guard readList(pathOf: nil, in: &reader, string: string) != nil else { return nil }
        return readList(pathOf: number, in: &reader, string: string) ?? nil
    }

    /// Reads a list of directories or files.
    ///
    /// - Returns: the path of the entry with the number, `.some(nil)` if there is none; `nil` if the list cannot be read.
    private func readList(
        pathOf number: UInt64?, in reader: inout LittleEndianReader, string: (UInt64, String) -> String
    ) -> String?? {
        let formats = (0..<reader.byte()).map { _ in (content: reader.leb128(), form: reader.leb128()) }
        let count = reader.leb128()
        guard !formats.isEmpty || count == 0 else { return nil }
        var (index, path): (UInt64, String?) = (0, nil)
        while index < count {
            for (content, form) in formats {
                let isWanted = content == 1 && index == number
                guard let text = value(of: form, in: &reader, string: string, isWanted: isWanted) else {
                    return nil
                }
                if isWanted { path = text }
            }
            guard reader.isValid else { return nil }
            index += 1
        }
        return .some(path)
    }

    /// Reads a value in one of the forms of DWARF 5, 7.5.6.
    ///
    /// - Returns: the text, if `isWanted` and the value is a text, otherwise an empty text; `nil` for a form that no compiler writes
    ///   in these lists.
    private func value(
        of form: UInt64, in reader: inout LittleEndianReader, string: (UInt64, String) -> String,
        isWanted: Bool
    ) -> String? {
        switch form {
        case 0x08:
            if isWanted { return reader.text() }
            reader.skipText()
        case 0x0E, 0x1F:
            let offset = is64Bit ? reader.number(UInt64.self) : UInt64(reader.number(UInt32.self))
            if isWanted { return string(offset, form == 0x0E ? ".debug_str" : ".debug_line_str") }
        case 0x0B: reader.skip(1)
        case 0x05: reader.skip(2)
        case 0x06: reader.skip(4)
        case 0x07: reader.skip(8)
        case 0x1E: reader.skip(16)
        case 0x0F: _ = reader.leb128()
        case 0x09: reader.skip(reader.leb128())
        default: return nil
        }
        return ""
    }
}
