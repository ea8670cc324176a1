package import LeakGrammar
internal import LeakMessage
internal import LeakStore

/// The obfuscated names of the classes and methods of an Android app, each with its original name. `collector symbols upload
/// mapping.txt` creates a table, which is identified by the id of the mapping. docs/SYMBOLS.md has the format.
///
/// The initializer checks all bytes.
package struct MappingTable: Sendable {
    package enum Limits {
        /// Maximum bytes of the id: a SHA-256 in hexadecimal digits.
        package static let idBytes = 64
        package static let classes = 1 << 18
        /// Maximum number of methods of a class.
        package static let methods = 1 << 16
    }

    static let magic = Array("LCMAP".utf8) + [1]

    /// The mapping's own id, such as `7f5bbd1`.
    package let mapID: String
    private let bytes: [UInt8]
    /// Offset of each text in ``bytes``. The length of the text stands there, before its bytes.
    private var stringOffsets: [UInt32] = []
    /// Offset of each class in ``bytes``, by its obfuscated name.
    private var classOffsets: [String: UInt32] = [:]

    package var image: ImageID { ImageID(mapID: mapID) }
    package var name: String { "r8-map-id-\(mapID)" }
    package var classCount: Int { classOffsets.count }
    /// Approximate bytes of memory.
    package var size: Int { bytes.count + stringOffsets.count * 4 + classOffsets.count * 64 }

    /// Parses and checks all bytes, in linear time.
    package init(_ bytes: [UInt8]) throws(SymbolTable.Invalid) {
        guard bytes.count <= SymbolTable.Limits.bytes else {
            throw SymbolTable.Invalid(
                "it has \(bytes.count) bytes, the limit is \(SymbolTable.Limits.bytes)",
                at: SymbolTable.Limits.bytes)
        }
        guard bytes.starts(with: Self.magic) else {
            throw SymbolTable.Invalid("it does not begin with LCMAP and version 1", at: 0)
        }
        var reader = SymbolTableReader(bytes)
        reader.position = Self.magic.count
        mapID = try reader.text("map id", atMost: Limits.idBytes)
        guard mapID.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
            throw SymbolTable.Invalid(
                "the map id has other characters than hexadecimal digits", at: reader.position)
        }
        self.bytes = bytes
        let stringCount = try reader.number("number of strings", atMost: SymbolTable.Limits.strings)
        guard stringCount > 0 else {
            throw SymbolTable.Invalid("it names no class", at: reader.position)
        }
        for _ in 0..<stringCount {
            stringOffsets.append(UInt32(reader.position))
            _ = try reader.text("text", atMost: SymbolTable.Limits.stringBytes)
        }
        let classCount = try reader.number("number of classes", atMost: Limits.classes)
        for _ in 0..<classCount {
            let position = reader.position
            let type = try MappedClass(&reader, stringCount)
            classOffsets[string(type.obfuscatedIndex)] = UInt32(position)
            for _ in 0..<type.methodCount { _ = try MappedMethod(&reader, stringCount) }
        }
        guard reader.position == bytes.count else {
            throw SymbolTable.Invalid("something follows the last class", at: reader.position)
        }
    }

    /// Returns the original methods of a frame, innermost first. There are several if R8 inlined them.
    ///
    /// - Parameters:
    ///   - className: the obfuscated name of the class.
    ///   - name: the obfuscated name of the method.
    /// - Returns: one frame with the original class and the obfuscated method if the mapping does not determine the method;
    ///   empty for a class that is not in the mapping.
    package func calls(className: String, name: String, line: Int?) -> [SymbolicatedFrame] {
        guard let position = classOffsets[className] else { return [] }
        var reader = SymbolTableReader(bytes)
        reader.position = Int(position)
        guard let type = try? MappedClass(&reader, stringOffsets.count) else { return [] }
        var methods: [MappedMethod] = []
        for _ in 0..<type.methodCount {
            guard let method = try? MappedMethod(&reader, stringOffsets.count) else { return [] }
            if string(method.obfuscatedIndex) == name { methods.append(method) }
        }
        let methodsAtLine = methods.filter { method in
            line.map { method.lines?.contains($0) ?? false } ?? false
        }
        if !methodsAtLine.isEmpty {
            return methodsAtLine.prefix(SymbolTable.Limits.calls).map { call($0, of: type, line: line) }
        }
        // If no line selects methods, the name determines the method only if it has a single original name.
        let names = Set(methods.map { [$0.originalClassNumber, $0.originalIndex] })
        if let only = methods.first, names.count == 1 { return [call(only, of: type, line: nil)] }
        return [
            SymbolicatedFrame(
                function: name, className: string(type.originalIndex), file: file(type.fileNumber))
        ]
    }

    private func call(_ method: MappedMethod, of type: MappedClass, line: Int?) -> SymbolicatedFrame {
        let original = method.originalClassNumber == 0 ? type.originalIndex : method.originalClassNumber - 1
        return SymbolicatedFrame(
            function: string(method.originalIndex), className: string(original),
            file: file(method.fileNumber),
            line: line.flatMap { method.originalLine(of: $0) })
    }

    private func file(_ number: Int) -> String? { number == 0 ? nil : string(number - 1) }

    private func string(_ index: Int) -> String {
        var reader = SymbolTableReader(bytes)
        reader.position = Int(stringOffsets[index])
        return (try? reader.text("string", atMost: SymbolTable.Limits.stringBytes)) ?? ""
    }
}

/// A class of a mapping, with the indexes of its texts in the table. Its methods follow in the table.
private struct MappedClass {
    let obfuscatedIndex: Int
    let originalIndex: Int
    /// One more than the index of the file's name; 0 for no file.
    let fileNumber: Int
    let methodCount: Int

    init(_ reader: inout SymbolTableReader, _ stringCount: Int) throws(SymbolTable.Invalid) {
        obfuscatedIndex = try reader.number("class", atMost: stringCount - 1)
        originalIndex = try reader.number("original class", atMost: stringCount - 1)
        fileNumber = try reader.number("file", atMost: stringCount)
        methodCount = try reader.number("number of methods", atMost: MappingTable.Limits.methods)
    }
}

/// A method of a mapping, or a method that was inlined into it, with the indexes of its texts in the table.
private struct MappedMethod {
    let obfuscatedIndex: Int
    let originalIndex: Int
    /// One more than the index of the class's name; 0 for the class that contains the method.
    let originalClassNumber: Int
    /// One more than the index of the file's name; 0 for no file.
    let fileNumber: Int
    /// Lines of the obfuscated code; `nil` for a method without lines.
    let lines: ClosedRange<Int>?
    private let firstOriginalLine: Int
    private let originalLineCount: Int

    init(_ reader: inout SymbolTableReader, _ stringCount: Int) throws(SymbolTable.Invalid) {
        obfuscatedIndex = try reader.number("method", atMost: stringCount - 1)
        originalIndex = try reader.number("original method", atMost: stringCount - 1)
        originalClassNumber = try reader.number("original class", atMost: stringCount)
        fileNumber = try reader.number("file", atMost: stringCount)
        let start = try reader.number("line", atMost: SymbolTable.Limits.line)
        let count = try reader.number("number of lines", atMost: SymbolTable.Limits.line)
        lines = count == 0 ? nil : start...(start + count - 1)
        firstOriginalLine = try reader.number("original line", atMost: SymbolTable.Limits.line)
        originalLineCount = try reader.number("number of original lines", atMost: SymbolTable.Limits.line)
    }

    /// Returns the original line. If the original range has as many lines as the obfuscated one, lines correspond one
    /// to one; otherwise all lines map to the first original line.
    func originalLine(of line: Int) -> Int? {
        guard let lines, originalLineCount > 0 else { return nil }
        return originalLineCount == lines.count
            ? firstOriginalLine + line - lines.lowerBound : firstOriginalLine
    }
}

/// The symbol table of an image, or the table of a mapping.
enum SymbolData: Sendable {
    case image(SymbolTable)
    case mapping(MappingTable)

    /// Parses a table of either kind.
    init(_ bytes: [UInt8]) throws(SymbolTable.Invalid) {
        self =
            bytes.starts(with: MappingTable.magic)
            ? .mapping(try MappingTable(bytes)) : .image(try SymbolTable(bytes))
    }

    var image: ImageID {
        switch self {
        case .image(let table): table.image
        case .mapping(let table): table.image
        }
    }

    var imageName: String {
        switch self {
        case .image(let table): table.name
        case .mapping(let table): table.name
        }
    }

    var kind: StoredSymbols.Kind {
        switch self {
        case .image: .image
        case .mapping: .mapping
        }
    }

    /// The texts by which stored paths of leaks name the image or mapping, as long as functions have no names.
    var spellings: [String] {
        switch self {
        case .image(let table): table.image.spellings
        case .mapping(let table): [table.name]
        }
    }

    /// Number of ranges of an image, or of classes of a mapping.
    var rangeOrClassCount: Int {
        switch self {
        case .image(let table): table.rangeCount
        case .mapping(let table): table.classCount
        }
    }

    /// Approximate bytes of memory.
    var size: Int {
        switch self {
        case .image(let table): table.size
        case .mapping(let table): table.size
        }
    }

    func calls(at location: CodeLocation) -> [SymbolicatedFrame] {
        switch (self, location) {
        case (.image(let table), .offset(let offset)): table.calls(at: offset)
        case (.mapping(let table), .method(let className, let name, let line)):
            table.calls(className: className, name: name, line: line)
        default: []
        }
    }
}
