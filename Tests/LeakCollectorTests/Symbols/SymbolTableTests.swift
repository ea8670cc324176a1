import LeakSeededRandom
import Foundation
import LeakGrammar
import LeakMessage
import Testing

@testable import LeakCollector

/// The symbol table: its bytes, its lookup, and the input that it rejects.
@Suite struct SymbolTableTests {
    static let image = ImageID("6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00")!

    static func builder() -> SymbolTableBuilder {
        SymbolTableBuilder(image: image, name: "Shop", architecture: "arm64")
    }

    static var sample: [UInt8] {
        var builder = builder()
        builder.add(0x10..<0x18, [SymbolicatedFrame(function: "load()", file: "Cart.swift", line: 10)])
        builder.add(
            0x18..<0x20,
            [
                SymbolicatedFrame(function: "add(_:)", file: "Cart.swift", line: 3),
                SymbolicatedFrame(function: "load()", file: "Cart.swift", line: 11),
            ])
        builder.add(
            0x20..<0x30,
            [
                SymbolicatedFrame(function: "add(_:)", file: "Cart.swift", line: 2),
                SymbolicatedFrame(function: "load()", file: "Cart.swift", line: 12),
            ])
        builder.add(0x1000..<0x1001, [SymbolicatedFrame(function: "main")])
        return builder.finish()
    }

    // MARK: Format

    @Test func `a symbol table has the same bytes as the stored test vector`() throws {
        let url = try #require(Bundle.module.url(forResource: "Vectors/symbols-1", withExtension: "table"))
        #expect(Self.sample == Array(try Data(contentsOf: url)))
    }

    @Test(
        arguments: [
            (0xF, []), (0x10, ["load() Cart.swift:10"]), (0x17, ["load() Cart.swift:10"]),
            (0x18, ["add(_:) Cart.swift:3", "load() Cart.swift:11"]),
            (0x2F, ["add(_:) Cart.swift:2", "load() Cart.swift:12"]), (0x30, []), (0xFFF, []),
            (0x1000, ["main -:-"]),
            (0x1001, []), (1 << 32, []),
        ] as [(UInt64, [String])])
    func `a look-up in a symbol table finds the functions of the range that contains the offset`(
        offset: UInt64, calls: [String]
    ) throws {
        let table = try SymbolTable(Self.sample)
        #expect(table.image == Self.image && table.name == "Shop" && table.architecture == "arm64")
        #expect(
            table.calls(at: offset).map {
                "\($0.function) \($0.file ?? "-"):\($0.line.map(String.init) ?? "-")"
            } == calls)
    }

    @Test func `a closure's frame without a line gets the first line of that closure`() throws {
        var builder = Self.builder()
        let bind = "closure #1 in Cart.bind()"
        builder.add(0x10..<0x18, [SymbolicatedFrame(function: bind)])
        builder.add(0x20..<0x28, [SymbolicatedFrame(function: bind, file: "Cart.swift", line: 13)])
        builder.add(
            0x28..<0x30,
            [
                SymbolicatedFrame(function: "add(_:)", file: "Cart.swift", line: 3),
                SymbolicatedFrame(function: bind, file: "Cart.swift", line: 12),
            ])
        builder.add(0x30..<0x38, [SymbolicatedFrame(function: "implicit closure #1 in run()")])
        builder.add(
            0x38..<0x40,
            [SymbolicatedFrame(function: "implicit closure #1 in run()", file: "A.swift", line: 1)])
        builder.add(
            0x40..<0x48,
            [SymbolicatedFrame(function: "implicit closure #1 in run()", file: "B.swift", line: 1)])
        let table = try SymbolTable(builder.finish())
        let lines = [0x10, 0x20, 0x30, 0x38].map { table.calls(at: $0)[0] }
            .map { "\($0.file ?? "-"):\($0.line ?? 0)" }
        // Two files have a closure of this name, so a frame without a line gets none.
        #expect(lines == ["Cart.swift:12", "Cart.swift:13", "-:0", "A.swift:1"])
    }

    @Test func `the error about a table without names says that it names no function or class`() throws {
        var builder = SymbolTableBuilder(image: Self.image, name: "Shop", architecture: "")
        var bytes = builder.finish()
        bytes.replaceSubrange((bytes.count - 2)..., with: [0, 1, 0, 1, 2, 0, 0, 0])
        let error = try #require(throws: SymbolTable.Invalid.self) { _ = try SymbolTable(bytes) }
        #expect(error.description.contains("it names no function"))
        bytes = MappingTable.magic + [1, UInt8(ascii: "a"), 0, 1, 0, 0, 0]
        let mapping = try #require(throws: SymbolTable.Invalid.self) { _ = try MappingTable(bytes) }
        #expect(mapping.description.contains("it names no class"))
    }

    /// The seeds of the fuzzer, and inputs that once violated an invariant.
    @Test func `every file of the symbol fuzzer's corpus satisfies the invariants`() throws {
        let folder = try #require(
            Bundle.module.url(forResource: "symbol-corpus", withExtension: nil, subdirectory: "Vectors"))
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 7)
        for file in files {
            let bytes = [UInt8](try Data(contentsOf: file))
            #expect(SymbolInvariants.violation(by: bytes) == nil, "\(file.lastPathComponent)")
        }
    }

    @Test func `text for a terminal has no control characters and none that change the direction of text`() {
        #expect(TerminalText.text("a\u{202E}b\u{7}c\u{200F}d") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d")
    }

    /// If such a table were accepted, its upload would replace a good table.
    @Test func `a symbol table that names no function is refused`() throws {
        var builder = Self.builder()
        let bytes = builder.finish()
        #expect(throws: SymbolTable.Invalid.self) { try SymbolTable(bytes) }
    }

    @Test func `adjacent ranges of a symbol table with the same functions and lines are joined`() throws {
        var builder = Self.builder()
        for start in stride(from: 0, to: UInt64(100), by: 10) {
            builder.add(start..<(start + 10), [SymbolicatedFrame(function: "f", file: "a", line: 1)])
        }
        #expect(try SymbolTable(builder.finish()).rangeCount == 1)
    }

    @Test func `a range of a symbol table that overlaps the preceding range is left out`() throws {
        var builder = Self.builder()
        builder.add(10..<20, [SymbolicatedFrame(function: "f")])
        builder.add(15..<25, [SymbolicatedFrame(function: "g")])
        builder.add(30..<30, [SymbolicatedFrame(function: "g")])
        builder.add(30..<40, [])
        #expect(builder.leftOutCount == 1 && builder.count == 1)
        #expect(try SymbolTable(builder.finish()).calls(at: 21).isEmpty)
    }

    @Test func `names of a symbol table are truncated, and their control characters are removed`() throws {
        var builder = SymbolTableBuilder(
            image: Self.image, name: String(repeating: "é", count: 100), architecture: "a\u{0}b")
        builder.add(
            0..<1, [SymbolicatedFrame(function: String(repeating: "x", count: 600), file: "a\nb", line: -4)])
        let table = try SymbolTable(builder.finish())
        #expect(table.name.utf8.count == 128 && table.architecture == "ab")
        let call = try #require(table.calls(at: 0).first)
        #expect(call.function.utf8.count == 512 && call.file == "ab" && call.line == nil)
    }

    // MARK: Property

    @Test(arguments: 1...40)
    func `a look-up in a symbol table equals a search through all ranges`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var builder = Self.builder()
        var ranges: [(range: Range<UInt64>, calls: [SymbolicatedFrame])] = []
        var end: UInt64 = 0
        for _ in 0..<random.below(150) {
            let start = end + UInt64(random.below(3) == 0 ? random.below(200) : 0)
            end = start + 1 + UInt64(random.below(40))
            let calls = (0...random.below(3)).map { _ in
                SymbolicatedFrame(
                    function: "f\(random.below(5))",
                    file: random.below(4) == 0 ? nil : "a\(random.below(2)).swift",
                    line: random.below(4) == 0 ? nil : 1 + random.below(500))
            }
            builder.add(start..<end, calls)
            ranges.append((start..<end, calls))
        }
        let table = try SymbolTable(builder.finish())
        for offset in 0..<(end + 3) {
            let expected = ranges.first { $0.range.contains(offset) }?.calls ?? []
            #expect(table.calls(at: offset) == expected)
        }
    }

    // MARK: Hostile input

    @Test func `a symbol table without its end, or with a byte after it, is refused`() {
        let bytes = Self.sample
        for count in bytes.indices {
            #expect(throws: SymbolTable.Invalid.self) { try SymbolTable(Array(bytes[..<count])) }
        }
        #expect(throws: SymbolTable.Invalid.self) { try SymbolTable(bytes + [0]) }
    }

    @Test(arguments: 1...20)
    func `changed bytes of a symbol table are refused, or give a table that can be searched`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            var bytes = Self.sample
            for _ in 0...random.below(3) {
                bytes[random.below(bytes.count)] = UInt8(random.below(256))
            }
            guard let table = try? SymbolTable(bytes) else { continue }
            for offset in stride(from: UInt64(0), to: 0x1010, by: 7) {
                for call in table.calls(at: offset) {
                    #expect(!call.function.isEmpty && call.function.utf8.count <= 512)
                }
            }
        }
    }

    /// Bytes of a table before the number of strings.
    private static let head = SymbolTable.magic + image.bytes + [4] + Array("Shop".utf8) + [0]

    @Test(
        arguments: [
            ([], "too early"), (Array("LCSYM".utf8) + [2], "version 1"),
            (head + [0xFF, 0xFF, 0xFF, 0xFF, 0x7F], "number of strings"),
            (head + [1, 0xFF, 0xFF, 0x7F], "length of a text"), (head + [1, 0], "empty"),
            (head + [1, 1, 0x0A], "control"), (head + [1, 1, 0xFF], "UTF-8"),
            (head + [1, 2, 0x41], "too early"),
            (head + [0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], "number of ranges"),
            (head + [0, 0x80, 0x00], "too many bytes"),
            (head + [1, 1, 0x41, 1, 0, 0, 2, 0, 0, 0], "empty or ends"),
            (head + [1, 1, 0x41, 1, 0, 1, 0], "no function"),
            (head + [1, 1, 0x41, 1, 0, 1, 3, 0], "do not exist"),
            (head + [1, 1, 0x41, 1, 0, 1, 2, 1, 0, 0], "function is 1, the limit is 0"),
            (head + [1, 1, 0x41, 1, 0, 1, 2, 0, 2, 0], "file is 2"),
            (head + [0, 1, 0, 1, 2, 0, 0, 0], "names no function"),
            (head + [1, 1, 0x41, 1, 0, 1, 0x80, 0x02], "number of calls"),
            (head + [1, 1, 0x41, 2, 0, 1, 2, 0, 0, 0, 0, 1, 3, 1], "line is out of bounds"),
            (head + [1, 1, 0x41, 1, 0, 1, 2, 0, 0, 0, 0], "follows the last range"),
            (head + [1, 1, 0x41, 0], "names no function"),
        ] as [([UInt8], String)])
    func `the error about an invalid symbol table names the rule that is violated`(
        bytes: [UInt8], reason: String
    ) {
        let error = #expect(throws: SymbolTable.Invalid.self) { try SymbolTable(bytes) }
        let text = error?.description ?? ""
        #expect(text.contains(reason) || bytes.isEmpty && text.contains("LCSYM"), "\(text)")
    }
}

/// Parsing of image ids in all their forms.
@Suite struct ImageIDTests {
    @Test(arguments: [
        ("6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00", "6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00"),
        ("6f1b0c3e7b7b3d8c9e0d0d1c6b6a1f00", "6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00"),
        ("6F1B0C3E7B7B3D8C9E0D0D1C6B6A1F000", "6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00"),
        ("6f1b0c3e-7b7b-3d8c-9e0d-0d1c6b6a1f00-a", "6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00"),
        // From the tests of ELF files in Sentry's library symbolic.
        ("f1c3bcc0279865fe3058404b2831d9e64135386c", "C0BCC3F1-9827-FE65-3058-404B2831D9E6"),
        ("0123456789abcdef", "67452301-AB89-EFCD-0000-000000000000"),
    ])
    func `an image ID is read in each of its spellings`(text: String, id: String) {
        #expect(ImageID(text)?.description == id)
    }

    @Test(arguments: [
        "", "6F1B", "x", "6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1Fxx", String(repeating: "A", count: 66),
    ])
    func `texts of a wrong length or with other characters are not image IDs`(text: String) {
        #expect(ImageID(text) == nil)
    }

    @Test(arguments: ["6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00", "F1C3BCC0279865FE3058404B2831D9E64135386C"])
    func `the spellings of an image ID include the spelling in stored frames`(text: String) throws {
        let id = try #require(ImageID(text))
        #expect(id.spellings.contains { text.hasPrefix($0) })
    }
}
