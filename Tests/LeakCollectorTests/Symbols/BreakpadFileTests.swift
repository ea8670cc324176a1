import LeakSeededRandom
import Foundation
import LeakGrammar
import LeakMessage
import Testing

@testable import LeakCollector

/// Breakpad symbol files.
@Suite struct BreakpadFileTests {
    private static let text = """
        MODULE Linux x86_64 C0BCC3F19827FE653058404B2831D9E60 libshop.so
        INFO CODE_ID F1C3BCC0279865FE3058404B2831D9E64135386C libshop.so
        FILE 0 /home/me/shop/cart.cc
        FILE 1 C:\\shop\\list.h
        INLINE_ORIGIN 0 shop::List::push(int)
        INLINE_ORIGIN 1 shop::List::grow()
        FUNC 1000 30 0 shop::Cart::add(shop::Item const&)
        INLINE 0 12 0 0 1010 10
        INLINE 1 40 1 1 1018 8
        1000 10 10 0
        1010 8 40 1
        1018 8 50 1
        FUNC m 2000 8 0 _ZN4shop4Cart5clearEv
        PUBLIC 1800 0 old_api
        PUBLIC m 3000 0 last one
        STACK CFI INIT 1000 30 .cfa: $rsp 8 +
        nonsense
        """

    private static func table(_ text: String) throws -> SymbolTable {
        var file = BreakpadFileParser()
        for line in text.split(separator: "\n") { try file.read(String(line)) }
        return try SymbolTable(file.finish().table)
    }

    @Test(
        arguments: [
            (0xFFF, []), (0x1000, ["shop::Cart::add() cart.cc:10"]),
            (0x1010, ["shop::List::push() list.h:40", "shop::Cart::add() cart.cc:12"]),
            (
                0x101F,
                [
                    "shop::List::grow() list.h:50", "shop::List::push() list.h:40",
                    "shop::Cart::add() cart.cc:12",
                ]
            ), (0x1020, ["shop::Cart::add() -:-"]), (0x1030, []), (0x1800, ["old_api -:-"]),
            (0x1FFF, ["old_api -:-"]), (0x2007, ["shop::Cart::clear() -:-"]), (0x2008, []),
            (0x3000, ["last one -:-"]), (0x12FFF, ["last one -:-"]), (0x13000, []),
        ] as [(UInt64, [String])])
    func `functions, lines, inlined functions and public symbols of a Breakpad file are found`(
        offset: UInt64, calls: [String]
    ) throws {
        let table = try Self.table(Self.text)
        #expect(table.name == "libshop.so" && table.architecture == "x86_64")
        #expect(table.image == ImageID("f1c3bcc0279865fe3058404b2831d9e64135386c"))
        #expect(
            table.calls(at: offset).map {
                "\($0.function) \($0.file ?? "-"):\($0.line.map(String.init) ?? "-")"
            } == calls)
    }

    @Test
    func `the last public symbol of a Breakpad file extends to the end of the code or the next function`()
        throws
    {
        let module = "MODULE mac arm64 6F1B0C3E7B7B3D8C9E0D0D1C6B6A1F000 Shop\nPUBLIC 3000 0 last\n"
        let code = try Self.table(module + "STACK CFI INIT 5000 100 .cfa: $rsp 8 +")
        #expect(code.calls(at: 0x50FF).map(\.function) == ["last"] && code.calls(at: 0x5100).isEmpty)
        let windows = try Self.table(module + "STACK WIN 4 5000 100 0 0 0 0 0 0 0 0")
        #expect(windows.calls(at: 0x50FF).map(\.function) == ["last"] && windows.calls(at: 0x5100).isEmpty)
        let function = try Self.table(module + "FUNC 4000 10 0 next")
        #expect(function.calls(at: 0x3FFF).map(\.function) == ["last"])
        #expect(function.calls(at: 0x4000).map(\.function) == ["next"] && function.calls(at: 0x4010).isEmpty)
        let far = try Self.table(
            "MODULE mac arm64 6F1B0C3E7B7B3D8C9E0D0D1C6B6A1F000 Shop\nPUBLIC ffffff00 0 last")
        #expect(far.calls(at: 0xFFFF_FFFF).map(\.function) == ["last"])
    }

    @Test func `a function with many inlined functions is read in linear time`() throws {
        func seconds(_ count: Int) throws -> Double {
            var file = BreakpadFileParser()
            try file.read("MODULE mac arm64 6F1B0C3E7B7B3D8C9E0D0D1C6B6A1F000 Shop")
            try file.read("FUNC 0 \(String(count * 16, radix: 16)) 0 f")
            for index in 0..<count { try file.read("INLINE 0 1 0 0 \(String(index * 16, radix: 16)) 10") }
            for index in 0..<count { try file.read("\(String(index * 16, radix: 16)) 10 \(index + 1) 0") }
            let before = threadSeconds()
            _ = try file.finish()
            return threadSeconds() - before
        }
        let small = try seconds(2_000)
        #expect(try seconds(20_000) < max(small, 0.005) * 40)
    }

    @Test func `several inlined calls that overlap at the same depth are reduced to one call`() throws {
        var lines = [
            "MODULE mac arm64 6F1B0C3E7B7B3D8C9E0D0D1C6B6A1F000 Shop", "INLINE_ORIGIN 0 inner",
            "FUNC 0 100 0 f",
        ]
        for depth in [0, 0, 0, 1, 1, 40] { lines.append("INLINE \(depth) 1 0 0 0 100") }
        lines.append("0 100 7 0")
        let table = try Self.table(lines.joined(separator: "\n"))
        #expect(table.calls(at: 0x10).count == 3)
    }

    @Test(arguments: ["", "FUNC 1 2 3 4", "MODULE Linux x86_64 xyz a", "MODULE Linux"])
    func `a Breakpad file without a module is refused`(text: String) {
        #expect(throws: BreakpadFileParser.Unreadable.self) { try Self.table(text) }
    }

    @Test func `records with impossible numbers in a Breakpad file are ignored`() throws {
        let table = try Self.table(
            """
            MODULE mac arm64 6F1B0C3E7B7B3D8C9E0D0D1C6B6A1F000 Shop
            FUNC ffffffffffffffff ff 0 f
            FUNC 10 0 0 g
            FUNC 20 10 0
            FUNC 40 10 0 h
            INLINE 0 1 2
            48 ffffffffffffffff 1 99
            4c 2 -5 99
            """)
        #expect(table.image == SymbolTableTests.image)
        #expect(table.calls(at: 0x48).map(\.function) == ["h"])
        #expect(table.calls(at: 0x18).isEmpty && table.calls(at: 0x28).isEmpty)
    }
}

/// Parsing of the output of LLVM's tools.
@Suite struct SymbolizerOutputTests {
    @Test func `the output of llvm-symbolizer gives the functions of each address`() {
        var output = SymbolizerOutputParser()
        let lines = """
            $s4Shop9CartModelC4loadyyF
            CartModel.swift:44:15
            _ZN4shop3runEv
            ??:0:0

            ??
            ??:0:0

            f
            <compiler-generated>:0:0

            """
        let found = lines.split(separator: "\n", omittingEmptySubsequences: false)
            .compactMap { output.read(String($0)) }
        #expect(
            found == [
                [
                    SymbolicatedFrame(function: "CartModel.load()", file: "CartModel.swift", line: 44),
                    SymbolicatedFrame(function: "shop::run()"),
                ], [], [SymbolicatedFrame(function: "f")],
            ])
    }

    @Test func `the addresses to symbolicate are those of lines and symbols inside the code`() {
        var addresses = SymbolAddresses(code: [0x1000..<0x2000])
        for line in [
            "Address            Line   Column File",
            "0x0000000000001010      3     31      1   0   0  is_stmt",
            "0x0000000000000000      3     31      1   0   0  is_stmt", "0x", "",
        ] { addresses.addRow(line) }
        for line in [
            "0000000000001020 0000000000000010 t $s4main", "0000000000001100 T main",
            "0000000000001200 D data",
            "U puts", "0000000000001f00 0000000000000100 W weak name", "",
        ] { addresses.addSymbol(line) }
        #expect(addresses.sorted == [0x1010, 0x1020, 0x1030, 0x1100, 0x1F00, 0x2000])
    }
}

/// Parsing of the headers of ELF and Mach-O files.
@Suite struct ObjectFileTests {
    private static func bytes(_ number: UInt64, _ size: Int, isBigEndian: Bool = false) -> [UInt8] {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
        return isBigEndian ? bytes.reversed() : bytes
    }

    private static let uuid = (1...16).map { UInt8($0) }

    static let machO: [UInt8] =
        bytes(0xFEED_FACF, 4) + bytes(0x0100_000C, 4) + bytes(0, 4) + bytes(6, 4) + bytes(2, 4) + bytes(96, 4)
        + bytes(0, 8) + bytes(0x1B, 4) + bytes(24, 4) + uuid + bytes(0x19, 4) + bytes(72, 4)
        + Array("__TEXT".utf8) + [UInt8](repeating: 0, count: 10) + bytes(0x1_0000_0000, 8) + bytes(0x4000, 8)
        + [UInt8](repeating: 0, count: 32)

    private static func read(_ file: [UInt8]) throws -> ObjectFile {
        try ObjectFile { offset, count in
            let start = Int(min(offset, UInt64(file.count)))
            return Array(file[start..<min(start + max(count, 0), file.count)])
        }
    }

    @Test func `the UUID and the address range of the code are read from a Mach-O file`() throws {
        let slice = try #require(try Self.read(Self.machO).slices.first)
        #expect(slice.image == ImageID(bytes: Self.uuid) && slice.architecture == "arm64")
        #expect(slice.base == 0x1_0000_0000 && slice.code == [0x1_0000_0000..<0x1_0000_4000])
    }

    @Test func `a universal Mach-O file has a slice for each processor`() throws {
        let head =
            Self.bytes(0xCAFE_BABE, 4, isBigEndian: true) + Self.bytes(1, 4, isBigEndian: true)
            + Self.bytes(0x0100_000C, 4, isBigEndian: true) + Self.bytes(0, 4, isBigEndian: true)
            + Self.bytes(64, 4, isBigEndian: true)
            + Self.bytes(UInt64(Self.machO.count), 4, isBigEndian: true)
            + Self.bytes(0, 4)
        let file = head + [UInt8](repeating: 0, count: 64 - head.count) + Self.machO
        #expect(try Self.read(file).slices.map(\.image) == [ImageID(bytes: Self.uuid)])
    }

    @Test func `every truncated header of a Mach-O file is refused`() {
        for count in 0..<88 {
            #expect(throws: ObjectFile.Unreadable.self) { try Self.read(Array(Self.machO[..<count])) }
        }
    }

    @Test(arguments: 1...10)
    func `a Mach-O file with changed bytes causes no crash`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            var bytes = Self.machO
            bytes[random.below(bytes.count)] = UInt8(random.below(256))
            _ = try? Self.read(bytes)
        }
    }

    /// Writes numbers that overflow in sums and conversions into headers of all kinds.
    @Test(arguments: 1...20)
    func `numbers of any size in the headers of object files cause no crash`(seed: UInt64) {
        func universal(is64: Bool) -> [UInt8] {
            let head =
                Self.bytes(is64 ? 0xCAFE_BABF : 0xCAFE_BABE, 4, isBigEndian: true)
                + Self.bytes(2, 4, isBigEndian: true)
            let slice =
                Self.bytes(0x0100_000C, 4, isBigEndian: true) + Self.bytes(0, 4)
                + Self.bytes(72, is64 ? 8 : 4, isBigEndian: true)
                + Self.bytes(UInt64(Self.machO.count), is64 ? 8 : 4, isBigEndian: true)
                + Self.bytes(0, is64 ? 8 : 4)
            let all = head + slice + slice
            return all + [UInt8](repeating: 0, count: max(0, 72 - all.count)) + Self.machO
        }
        let elf =
            [0x7F, 0x45, 0x4C, 0x46, 2, 1] + [UInt8](repeating: 0, count: 12) + Self.bytes(62, 2)
            + Self.bytes(0, 12) + Self.bytes(64, 8) + Self.bytes(120, 8) + Self.bytes(0, 8) + Self.bytes(1, 2)
            + Self.bytes(0, 2) + Self.bytes(1, 2) + Self.bytes(0, 2)
            + (0..<240).map { UInt8(truncatingIfNeeded: $0) }
        let heads = [Self.machO, universal(is64: false), universal(is64: true), elf]
        let numbers: [UInt64] = [
            0, 1, 7, 8, 32, 0x7FFF_FFFF, 0xFFFF_FFFF, 1 << 32, .max >> 1, 1 << 63, .max - 31, .max - 7, .max,
        ]
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            for head in heads {
                var bytes = head
                for _ in 0...random.below(3) {
                    let size = [1, 2, 4, 8][random.below(4)]
                    let place = random.below(bytes.count - size)
                    let number = Self.bytes(
                        numbers[random.below(numbers.count)], size, isBigEndian: random.below(2) == 0)
                    bytes.replaceSubrange(place..<(place + size), with: number)
                }
                _ = try? Self.read(bytes)
            }
        }
        // The first slice would end after the largest 64-bit offset.
        var far = universal(is64: true)
        far.replaceSubrange(16..<24, with: Self.bytes(.max - 8, 8, isBigEndian: true))
        #expect(throws: ObjectFile.Unreadable.self) { try Self.read(far) }
    }

    @Test func `the ELF header of this machine's C library is read`() throws {
        #if os(Linux)
            let file = try #require(try? Self.systemLibrary())
            let slice = try #require(file.slices.first)
            #expect(!file.isMachO && slice.base == 0 && !slice.code.isEmpty)
        #endif
    }

    /// Reads the C library of this machine.
    private static func systemLibrary() throws -> ObjectFile {
        let paths = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6"]
        for path in paths {
            if let data = try? ReadFile.bytes(path) { return try read(data) }
        }
        throw ObjectFile.Unreadable("no library")
    }
}

private enum ReadFile {
    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}
