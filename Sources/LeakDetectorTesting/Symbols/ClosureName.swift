internal import LeakGrammar
internal import LeakMessage

/// The name of a closure in the message of a failed test.
struct ClosureName: Hashable, CustomStringConvertible {
    /// The name of the function, such as `closure #1 in CartModel.bind()`.
    var name: String
    /// The line that made the closure, such as `CartModel.swift:42`; `nil` without debug lines.
    var place: String?

    var description: String { place.map { "\(name) (\($0))" } ?? name }
}

#if canImport(RetainPaths)
    internal import CLeakSwiftRuntime
    internal import Foundation

    extension ClosureName {
        /// Returns the names of the closures whose code is at `sites`, in that order, from the symbols of the program and of
        /// the libraries that it has loaded.
        ///
        /// Closures without a symbol are left out. A stripped file has no symbols, and only ELF files are read.
        static func names(of sites: [ImageOffset]) -> [ClosureName] {
            var places: [ImageOffset: ElfSymbols.SymbolLocation] = [:]
            let paths = sites.isEmpty ? [] : imagePaths()
            for (image, sites) in Dictionary(grouping: sites, by: \.image) {
                // If two loaded files have this name, an offset may belong to either, so these closures are left out.
                let candidates = paths.filter { $0.split(separator: "/").last ?? "" == image }
                guard candidates.count == 1, let path = candidates.first,
                    let file = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
                else { continue }
                let found = unsafe file.withUnsafeBytes { bytes in
                    unsafe ElfSymbols(bytes)?.locations(of: Set(sites.map(\.offset))) ?? [:]
                }
                for site in sites { places[site] = found[site.offset] }
            }
            return sites.compactMap { site in
                guard let place = places[site],
                    let name = CallFrame.functionName(of: place.symbol, demangle: demangled)
                else { return nil }
                return ClosureName(name: name, place: place.line.map { "\($0.file):\($0.line)" })
            }
        }

        /// Returns the paths of the files that this process has mapped. proc(5): /proc/pid/maps
        private static func imagePaths() -> Set<String> {
            // Reads up to the end of the file: its reported size is 0, and `Data(contentsOf:)` stops in the middle of a long
            // file.
            let file = FileHandle(forReadingAtPath: "/proc/self/maps")
            let maps = (try? file?.readToEnd()) ?? Data()
            return Set(
                maps.split(separator: UInt8(ascii: "\n")).compactMap { line in
                    line.firstIndex(of: UInt8(ascii: "/")).map {
                        String(decoding: line[$0...], as: UTF8.self)
                    }
                })
        }

        private static func demangled(_ symbol: String) -> String? {
            guard let text = unsafe swift_demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
            defer { unsafe free(text) }
            return unsafe String(cString: text)
        }
    }
#else
    extension ClosureName {
        static func names(of sites: [ImageOffset]) -> [ClosureName] { [] }
    }
#endif
