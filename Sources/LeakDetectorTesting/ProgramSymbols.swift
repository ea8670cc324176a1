internal import LeakGrammar
internal import LeakMessage

#if canImport(RetainPaths)
    internal import CLeakSwiftRuntime
    internal import Foundation

    /// The functions that the symbol table of this program names. A stripped program has none, and only ELF files are read.
    enum ProgramSymbols {
        /// The names of closures in their order, such as `closure #1 in CartModel.bind()`. Those without a symbol are left out.
        static func names(of sites: [ImageOffset]) -> [String] {
            guard !sites.isEmpty,
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
                let file = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
            else { return [] }
            let program = path.split(separator: "/").last ?? ""
            let symbols =
                SymbolTable(file)?.symbols(at: sites.filter { $0.image == program }.map(\.offset)) ?? []
            return symbols.compactMap { CallFrame.functionName(of: $0, demangle: demangled) }
        }

        private static func demangled(_ symbol: String) -> String? {
            guard let text = unsafe swift_demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
            defer { unsafe free(text) }
            return unsafe String(cString: text)
        }

        /// The section `.symtab` of a 64-bit ELF file.
        ///
        /// https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.symtab.html
        private struct SymbolTable {
            private static let symbolBytes = 24
            private static let function: UInt8 = 2

            private let file: Data
            private var entries = 0..<0
            private var names = 0..<0

            /// - Returns: `nil` for another file, and for one without symbols.
            init?(_ file: Data) {
                self.file = file
                // A header with the mark of ELF, 64 bits, little-endian.
                guard file.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]),
                    let sections: UInt64 = number(at: 0x28),
                    let count: UInt16 = number(at: 0x3C), sections <= UInt64(file.count)
                else { return nil }
                for index in 0..<Int(count) {
                    let header = Int(sections) + index * 64
                    guard let kind: UInt32 = number(at: header + 4), kind == 2,
                        let link: UInt32 = number(at: header + 40), let entries = contents(header),
                        let names = contents(Int(sections) + Int(link) * 64)
                    else { continue }
                    (self.entries, self.names) = (entries, names)
                    return
                }
                return nil
            }

            /// The symbols of the functions at these addresses; of an address without one there is none.
            func symbols(at addresses: [UInt64]) -> [String] {
                guard !addresses.isEmpty else { return [] }
                var found: [UInt64: String] = [:]
                for entry in stride(
                    from: entries.lowerBound, to: entries.upperBound - Self.symbolBytes + 1,
                    by: Self.symbolBytes)
                {
                    guard let info: UInt8 = number(at: entry + 4), info & 0xF == Self.function,
                        let value: UInt64 = number(at: entry + 8), let size: UInt64 = number(at: entry + 16),
                        let name: UInt32 = number(at: entry)
                    else { continue }
                    for address in addresses where address >= value && address - value < size {
                        found[address] = text(at: names.lowerBound + Int(name))
                    }
                }
                return addresses.compactMap { found[$0] }
            }

            /// The bytes of a section, inside of the file.
            private func contents(_ header: Int) -> Range<Int>? {
                guard let offset: UInt64 = number(at: header + 24),
                    let size: UInt64 = number(at: header + 32),
                    let start = Int(exactly: offset), let count = Int(exactly: size), start <= file.count,
                    count <= file.count - start
                else { return nil }
                return start..<(start + count)
            }

            private func text(at start: Int) -> String? {
                guard names.contains(start) else { return nil }
                return String(decoding: file[start..<names.upperBound].prefix { $0 != 0 }, as: UTF8.self)
            }

            /// A number in the file's order of bytes; `nil` outside of the file.
            private func number<Number: FixedWidthInteger>(at offset: Int) -> Number? {
                guard offset >= 0, offset <= file.count - MemoryLayout<Number>.size else { return nil }
                return unsafe file.withUnsafeBytes {
                    unsafe Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
                }
            }
        }
    }
#else
    enum ProgramSymbols {
        static func names(of sites: [ImageOffset]) -> [String] { [] }
    }
#endif
