package import LeakGrammar
internal import LeakMessage

/// Function names in the form that pages and grouping keys use. Demangles each symbol once.
package struct SymbolNames {
    private var names: [String: String] = [:]

    package init() {}

    /// Returns the name of a symbol.
    ///
    /// - Returns: `nil` for an empty text, and for the text that `llvm-symbolizer` prints if there is no function.
    package mutating func name(of symbol: String) -> String? {
        guard !symbol.isEmpty, symbol != "??" else { return nil }
        if let name = names[symbol] { return name }
        let name = CallFrame.functionName(of: symbol, demangle: RuntimeDemangler.demangleFunction) ?? symbol
        names[symbol] = name
        return name
    }
}

/// Parser of the output of `llvm-symbolizer --inlines` for a list of addresses. The output has two lines for each function
/// at an address, its name and its location, and an empty line after each address.
package struct SymbolizerOutputParser {
    private var names = SymbolNames()
    private var symbol: String?
    private var calls: [SymbolicatedFrame] = []

    package init() {}

    /// Reads the next line of the output.
    ///
    /// - Returns: the functions of an address, innermost first, after its last line; `nil` after each earlier line.
    package mutating func read(_ line: String) -> [SymbolicatedFrame]? {
        if let symbol {
            self.symbol = nil
            guard let name = names.name(of: symbol) else { return nil }
            let location = Self.location(line)
            calls.append(SymbolicatedFrame(function: name, file: location.file, line: location.line))
            return nil
        }
        guard line.isEmpty else {
            symbol = line
            return nil
        }
        defer { calls = [] }
        return calls
    }

    /// Parses a location such as `CartModel.swift:44:15` or `??:0:0`.
    static func location(_ text: String) -> (file: String?, line: Int?) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 3, let line = Int(parts[parts.count - 2]) else { return (nil, nil) }
        let path = parts.dropLast(2).joined(separator: ":")
        let file = path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        guard !file.isEmpty, !file.hasPrefix("??"), !file.hasPrefix("<") else { return (nil, nil) }
        return (file, line > 0 ? line : nil)
    }
}

/// The addresses in an image at which the line or the function may change.
package struct SymbolAddresses {
    private let code: [Range<UInt64>]
    private var addresses: Set<UInt64> = []

    /// - Parameter code: ranges of code. Addresses outside these ranges are left out, because debug data still has the
    ///   lines of functions that the linker removed.
    package init(code: [Range<UInt64>]) { self.code = code }

    /// Adds a line of `llvm-dwarfdump --debug-line`:
    /// `0x0000000000000f57      3     31      1   0             0  is_stmt`.
    package mutating func addRow(_ line: String) {
        guard line.hasPrefix("0x"), let space = line.firstIndex(of: " ") else { return }
        add(UInt64(line[line.index(line.startIndex, offsetBy: 2)..<space], radix: 16))
    }

    /// Adds a line of `llvm-nm --print-size`: `0000000000000da0 00000000000000a8 t $s1m4CartV4loadyS2iF`.
    package mutating func addSymbol(_ line: String) {
        let fields = line.split(separator: " ", maxSplits: 3)
        let isSized = fields.count == 4
        guard fields.count >= 3, "tTwWiI".contains(fields[isSized ? 2 : 1]),
            let start = UInt64(fields[0], radix: 16)
        else { return }
        add(start)
        guard isSized, let size = UInt64(fields[1], radix: 16), size > 0 else { return }
        add(start &+ size)
    }

    private mutating func add(_ address: UInt64?) {
        guard let address, code.contains(where: { $0.contains(address) || $0.upperBound == address }) else {
            return
        }
        addresses.insert(address)
    }

    package var count: Int { addresses.count }

    package var sorted: [UInt64] { addresses.sorted() }
}
