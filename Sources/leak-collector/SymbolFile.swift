import LeakCollector
import LeakMessage
import LeakPlatform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file with symbols that `collector symbols upload` accepts.
struct SymbolFile {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A symbol table to upload.
    struct Table {
        var image: ImageID
        var name: String
        var architecture: String
        var bytes: [UInt8]
        /// The size as a text for the user: `61931 address ranges`, `412 classes`.
        var sizeText: String
    }

    let path: String

    /// Returns the files that a path stands for: those in a dSYM bundle or in a folder of bundles, otherwise the file
    /// itself.
    static func files(at path: String) throws -> [SymbolFile] {
        let inside = "\(path)/Contents/Resources/DWARF"
        if let names = names(in: inside) { return names.map { SymbolFile(path: "\(inside)/\($0)") } }
        guard let names = names(in: path) else { return [SymbolFile(path: path)] }
        // The path is a folder of bundles, such as the `dSYMs` of an archive.
        let bundles = names.filter { $0.hasSuffix(".dSYM") }
        guard !bundles.isEmpty else {
            throw Failure(
                description:
                    "\(path) is a folder without dSYM bundles; give the bundles, programs or .sym files themselves"
            )
        }
        return try bundles.flatMap { try files(at: "\(path)/\($0)") }
    }

    /// Reads the file and returns a table for each of its images. The file may have debug data, which LLVM's tools read, or
    /// be a Breakpad file or the mapping of an Android app.
    ///
    /// - Parameter progress: called with the number of addresses that got names so far, and the number of all addresses.
    func tables(progress: (_ done: Int, _ all: Int) -> Void) throws -> [Table] {
        // Without `O_NONBLOCK`, a pipe would block here until another process writes to it.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw Failure(description: "\(path) cannot be opened: \(unsafe String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(
                description:
                    "\(path) is not a regular file: symbols are read more than once, so write them to a file first"
            )
        }
        let head = Self.read(file, at: 0, count: 7)
        if head.elementsEqual("MODULE ".utf8) { return [try readBreakpadFile()] }
        if head.starts(with: "# ".utf8) || path.hasSuffix("mapping.txt") { return [try readMapping()] }
        let object: ObjectFile
        do {
            object = try ObjectFile { Self.read(file, at: $0, count: $1) }
        } catch {
            throw Failure(
                description:
                    "\(path) cannot be used: \(error). Give a dSYM bundle, a program or library with debug data, "
                    + "or a Breakpad .sym file")
        }
        return try object.slices.map { try table(of: $0, in: object, progress: progress) }
    }

    private func table(
        of slice: ObjectFile.Slice, in object: ObjectFile, progress: (Int, Int) -> Void
    ) throws -> Table {
        let (dwarfdump, nm, symbolizer) = (
            try LLVMTool("llvm-dwarfdump", or: ["dwarfdump"]), try LLVMTool("llvm-nm"),
            try LLVMTool("llvm-symbolizer")
        )
        let architectureFlags = object.isMachO ? ["--arch=\(slice.architecture)"] : []
        var symbolAddresses = SymbolAddresses(code: slice.code)
        try dwarfdump.run(["--debug-line"] + architectureFlags + [path]) { symbolAddresses.addRow($0) }
        try nm.run(["--defined-only", "--print-size"] + architectureFlags + [path]) {
            symbolAddresses.addSymbol($0)
        }
        let addresses = symbolAddresses.sorted
        guard !addresses.isEmpty else {
            throw Failure(
                description:
                    "\(path) has neither debug data nor symbols: build with -g, and give the file before "
                    + "it is stripped, or its dSYM bundle")
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        var builder = SymbolTableBuilder(image: slice.image, name: name, architecture: slice.architecture)
        var output = SymbolizerOutputParser()
        var index = 0
        let addressLines = addresses.map { "0x" + String($0, radix: 16) + "\n" }.joined()
        let arguments = [
            "--obj=\(path)", "--functions=linkage", "--inlines", "--basenames", "--no-demangle",
        ]
        let symbolizerFlags = object.isMachO ? ["--default-arch=\(slice.architecture)"] : []
        try symbolizer.run(arguments + symbolizerFlags, input: Array(addressLines.utf8)) { line in
            guard let calls = output.read(line), index < addresses.count else { return }
            let start = addresses[index]
            let end = index + 1 < addresses.count ? addresses[index + 1] : start + 1
            if start >= slice.base { builder.add((start - slice.base)..<(end - slice.base), calls) }
            index += 1
            if index % 1_000 == 0 { progress(index, addresses.count) }
        }
        guard index == addresses.count else {
            throw Failure(
                description:
                    "llvm-symbolizer answered \(index) of \(countText(addresses.count, of: "address", plural: "addresses")) "
                    + "of \(path); use LLVM 14 or later"
            )
        }
        return Table(
            image: slice.image, name: name, architecture: slice.architecture, bytes: builder.finish(),
            sizeText: countText(builder.count, of: "address range")
                + (builder.leftOutCount > 0
                    ? " (\(builder.leftOutCount) more left out: the table is full)" : ""))
    }

    private func readBreakpadFile() throws -> Table {
        var lines = try LineReader(path)
        var file = BreakpadFileParser()
        do {
            while let line = try lines.next() {
                let text = String(decoding: line.last == 0x0D ? line.dropLast() : line[...], as: UTF8.self)
                try file.read(text)
            }
            let (bytes, ranges) = try file.finish()
            let table = try SymbolTable(bytes)
            return Table(
                image: table.image, name: table.name, architecture: table.architecture, bytes: bytes,
                sizeText: countText(ranges, of: "address range"))
        } catch let error as BreakpadFileParser.Unreadable {
            throw Failure(description: "\(path) cannot be read as a Breakpad symbol file: \(error)")
        }
    }

    private func readMapping() throws -> Table {
        var lines = try LineReader(path)
        var file = MappingFileParser()
        while let line = try lines.next() {
            file.read(String(decoding: line.last == 0x0D ? line.dropLast() : line[...], as: UTF8.self))
        }
        do {
            let bytes = try file.finish()
            let table = try MappingTable(bytes)
            return Table(
                image: table.image, name: table.name, architecture: "", bytes: bytes,
                sizeText: countText(table.classCount, of: "class", plural: "classes"))
        } catch let error as MappingFileParser.Unreadable {
            throw Failure(description: "\(path) cannot be used as the mapping of an Android app: \(error)")
        }
    }

    // MARK: Files

    private static func read(_ file: Int32, at offset: UInt64, count: Int) -> [UInt8] {
        guard offset < UInt64(Int.max), count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            filled = max(0, unsafe pread(file, bytes.baseAddress, count, off_t(offset)))
        }
    }

    /// Returns the names in a folder that do not begin with a dot, in order; `nil` if the folder cannot be read.
    private static func names(in folder: String) -> [String]? {
        guard let stream = unsafe opendir(folder) else { return nil }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
