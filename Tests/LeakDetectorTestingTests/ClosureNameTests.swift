#if os(Linux)
    import Foundation
    import Glibc
    import LeakMessage
    import Testing

    @testable import LeakDetectorTesting

    private let hasClang = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/clang") }

    /// Tests how names and source lines of closures are read from the executable files of this process.
    @Suite struct ClosureNameTests {
        @Test(
            arguments: [("nowhere", 0x1000), ("", 0), ("leak-collectorPackageTests.xctest", 0)]
                as [(String, UInt64)])
        func `an address without a symbol has no name`(image: String, offset: UInt64) {
            let site = ImageOffset(image: image, imageIdentifier: "", offset: offset)
            #expect(ClosureName.names(of: [site]).isEmpty)
        }

        /// The library is loaded at run time, as the shared library of a test bundle is.
        @Test(.enabled(if: hasClang, "clang is not in PATH"), arguments: ["-gdwarf-4", "-gdwarf-5", "-g0"])
        func `a function of a library loaded at run time has a name, and with debug data a source line`(
            debugData: String
        ) throws {
            let library = try Library(debugData)
            defer { library.remove() }
            let handle = unsafe dlopen(library.path, RTLD_NOW | RTLD_LOCAL)
            try #require(unsafe handle != nil)
            let function = unsafe try #require(unsafe dlsym(handle, "on_paid"))
            // The file reports a size of 0 bytes and is long in a process of many tests, so it is read until its end.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
            let maps = String(decoding: try #require(try file.readToEnd()), as: UTF8.self)
            let image = try #require(library.path.split(separator: "/").last)
            let first = try #require(maps.split(separator: "\n").first { $0.hasSuffix("/\(image)") })
            let start = try #require(UInt(first.prefix { $0 != "-" }, radix: 16))
            let offset = UInt64(UInt(bitPattern: function) - start)
            let site = ImageOffset(image: String(image), imageIdentifier: "", offset: offset)
            let place = debugData == "-g0" ? nil : "cart.c:4"
            #expect(ClosureName.names(of: [site]) == [ClosureName(name: "on_paid", place: place)])
        }

        @Test(.enabled(if: hasClang, "clang is not in PATH"), arguments: ["-gdwarf-4", "-gdwarf-5"])
        func `a truncated or damaged library file does not crash the process`(debugData: String) throws {
            let library = try Library(debugData)
            defer { library.remove() }
            let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: library.path)))
            let addresses = try Self.addressOfOnPaid(bytes)
            #expect(Self.places(bytes, addresses).count == addresses.count)
            for count in stride(from: 0, to: bytes.count, by: 97) {
                _ = Self.places(Array(bytes.prefix(count)), addresses)
            }
            // Each round damages every 61st byte. Together the rounds reach the section headers, symbols and debug lines.
            for value: UInt8 in [0, 0x7F, 0xFF] {
                for start in 0..<61 {
                    var damaged = bytes
                    for index in stride(from: 6 + start, to: bytes.count, by: 61) { damaged[index] = value }
                    _ = Self.places(damaged, addresses)
                }
            }
        }

        @Test func `reading a number past the end of the file makes the reader invalid`() {
            let bytes: [UInt8] = [0xE5, 0x8E, 0x26, 0x7F, 0xFF, 0xFF]
            unsafe bytes.withUnsafeBytes { bytes in
                var reader = unsafe LittleEndianReader(bytes, 0..<100)
                #expect(reader.leb128() == 624_485)
                #expect(reader.signedLEB128() == -1)
                #expect(reader.isValid)
                #expect(reader.leb128() == 0x3FFF)
                #expect(!reader.isValid)
                #expect(reader.number(UInt32.self) == 0)
                #expect(reader.text() == "")
            }
        }

        private static func places(_ bytes: [UInt8], _ addresses: Set<UInt64>) -> [UInt64: ElfSymbols
            .SymbolLocation]
        {
            unsafe bytes.withUnsafeBytes { unsafe ElfSymbols($0)?.locations(of: addresses) ?? [:] }
        }

        /// Returns the lowest address that has the symbol `on_paid`, found by trying all small addresses.
        private static func addressOfOnPaid(_ bytes: [UInt8]) throws -> Set<UInt64> {
            let found = Set(places(bytes, Set(0x200..<0x4000)).filter { $0.value.symbol == "on_paid" }.keys)
            return [try #require(found.min())]
        }

        /// A shared library with one function, `on_paid`, compiled by clang.
        private struct Library {
            let path: String

            init(_ debugData: String) throws {
                let folder =
                    FileManager.default.temporaryDirectory.path + "/closure-names-\(UUID().uuidString)"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                path = "\(folder)/libcart\(debugData).so"
                let source = "\(folder)/cart.c"
                try Data("int total;\n\n\nint on_paid(void) {\n    return ++total;\n}\n".utf8)
                    .write(to: URL(fileURLWithPath: source))
                let clang = Process()
                clang.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                clang.arguments = ["clang", debugData, "-O0", "-fPIC", "-shared", "-o", path, source]
                try clang.run()
                clang.waitUntilExit()
                try #require(clang.terminationStatus == 0)
            }

            func remove() {
                try? FileManager.default.removeItem(
                    at: URL(fileURLWithPath: path).deletingLastPathComponent())
            }
        }
    }
#endif
