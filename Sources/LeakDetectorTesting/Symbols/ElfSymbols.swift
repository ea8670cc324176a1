/// The symbol table and the debug lines of a 64-bit ELF file.
///
/// Every offset and count is checked: a damaged or hostile file has no symbols or wrong symbols.
/// https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.symtab.html
@safe struct ElfSymbols {
    /// The function at an address, and the source line of its code.
    struct SymbolLocation: Equatable {
        var symbol: String
        var line: DebugLines.Line?
    }

    private struct Section {
        var name: Int
        var kind: UInt32
        var link: Int
        var contents: Range<Int>
    }

    private static let symbolTableKind: UInt32 = 2
    private static let compressedFlag: UInt64 = 0x800
    private static let symbolBytes = 24
    private static let functionType: UInt8 = 2

    private let file: UnsafeRawBufferPointer
    private var sections: [Section] = []
    /// The range of the section with the names of sections.
    private var sectionNames = 0..<0

    /// - Parameter file: the bytes of the whole file. They must outlive this value.
    /// - Returns: `nil` if this is not a 64-bit, little-endian ELF file, or if its table of sections begins after the end of
    ///   the file.
    init?(_ file: UnsafeRawBufferPointer) {
        unsafe self.file = unsafe file
        // The magic number of ELF, 64 bits, little-endian.
        guard file.count >= 64, unsafe file.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else {
            return nil
        }
        var header = reader(0x28..<0x40)
        let start = header.number(UInt64.self)
        header.skip(0x3C - 0x30)
        let (count, nameSection) = (header.number(UInt16.self), header.number(UInt16.self))
        guard start < UInt64(file.count) else { return nil }
        for index in 0..<Int(count) {
            var header = reader((Int(start) + index * 64)..<(Int(start) + index * 64 + 64))
            let (name, kind) = (header.number(UInt32.self), header.number(UInt32.self))
            let (flags, _) = (header.number(UInt64.self), header.number(UInt64.self))
            let (offset, size) = (header.number(UInt64.self), header.number(UInt64.self))
            let link = header.number(UInt32.self)
            let length = UInt64(file.count)
            let isInside = header.isValid && offset <= length && size <= length - offset
            let isReadable = isInside && flags & Self.compressedFlag == 0
            sections.append(
                Section(
                    name: Int(name), kind: kind, link: Int(link),
                    contents: isReadable ? Int(offset)..<Int(offset + size) : 0..<0))
        }
        if sections.indices.contains(Int(nameSection)) {
            sectionNames = sections[Int(nameSection)].contents
        }
    }

    /// Returns the functions at some addresses. An address without a function is left out.
    func locations(of addresses: Set<UInt64>) -> [UInt64: SymbolLocation] {
        guard !addresses.isEmpty, let table = sections.first(where: { $0.kind == Self.symbolTableKind }),
            sections.indices.contains(table.link)
        else { return [:] }
        let texts = sections[table.link].contents
        let functions = functions(at: addresses, in: table.contents, texts: texts)
        // The code that binds the context of a closure, `…TA`, has no line. The closure itself has one.
        var closures: [String: UInt64] = [:]
        for symbol in functions.values where symbol.hasSuffix("TA") {
            closures[String(symbol.dropLast(2))] = 0
        }
        findAddresses(of: &closures, in: table.contents, texts: texts)
        let starts = Dictionary(
            uniqueKeysWithValues: functions.map { address, symbol in
                let start = symbol.hasSuffix("TA") ? closures[String(symbol.dropLast(2))] : nil
                return (address, start == 0 ? address : start ?? address)
            })
        let lines = unsafe DebugLines(file, contents(of: ".debug_line"), rangeOfSection: contents(of:))
            .lines(at: Set(starts.values))
        return Dictionary(
            uniqueKeysWithValues: functions.map { address, symbol in
                (address, SymbolLocation(symbol: symbol, line: starts[address].flatMap { lines[$0] }))
            })
    }

    private func functions(
        at addresses: Set<UInt64>, in table: Range<Int>, texts: Range<Int>
    ) -> [UInt64: String] {
        var found: [UInt64: String] = [:]
        forEachFunction(table) { name, value, size in
            for address in addresses where address >= value && address - value < size {
                found[address] = text(name, in: texts)
            }
        }
        return found
    }

    /// Looks up the addresses of functions by their symbols. The address of a symbol that is not found stays unchanged.
    private func findAddresses(
        of symbols: inout [String: UInt64], in table: Range<Int>, texts: Range<Int>
    ) {
        let terminatedSymbols = symbols.keys.map { (symbol: $0, bytes: Array($0.utf8) + [0]) }
        guard !terminatedSymbols.isEmpty else { return }
        forEachFunction(table) { name, value, _ in
            let start = texts.lowerBound + Int(name)
            for (symbol, bytes) in terminatedSymbols where start <= texts.upperBound - bytes.count {
                if unsafe file[start..<(start + bytes.count)].elementsEqual(bytes) { symbols[symbol] = value }
            }
        }
    }

    private func forEachFunction(
        _ table: Range<Int>, _ body: (_ name: UInt32, _ value: UInt64, _ size: UInt64) -> Void
    ) {
        var entries = reader(table)
        while entries.end - entries.position >= Self.symbolBytes {
            let (name, info) = (entries.number(UInt32.self), entries.byte())
            entries.skip(3)
            let (value, size) = (entries.number(UInt64.self), entries.number(UInt64.self))
            if info & 0xF == Self.functionType, value != 0 { body(name, value, size) }
        }
    }

    private func contents(of section: String) -> Range<Int> {
        sections.first { text(UInt32($0.name), in: sectionNames) == section }?.contents ?? 0..<0
    }

    private func text(_ offset: UInt32, in texts: Range<Int>) -> String {
        guard Int(offset) < texts.count else { return "" }
        var reader = reader((texts.lowerBound + Int(offset))..<texts.upperBound)
        return reader.text()
    }

    private func reader(_ range: Range<Int>) -> LittleEndianReader { unsafe LittleEndianReader(file, range) }
}
