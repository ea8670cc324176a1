package import LeakGrammar
internal import LeakMessage
internal import LeakStore

/// The names that an obfuscator gave to the classes and methods of an Android app. `collector symbols upload
/// mapping.txt` creates a table, which is identified by the id of the mapping. docs/SYMBOLS.md has the format.
///
/// A value of this type has been checked in one pass.
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
    private var strings: [UInt32] = []
    /// Offset of each class in ``bytes``, by its obfuscated name.
    private var classes: [String: UInt32] = [:]

    package var image: ImageID { ImageID(mapID: mapID) }
    package var name: String { "r8-map-id-\(mapID)" }
    package var classCount: Int { classes.count }
    /// Approximate bytes of memory.
    package var size: Int { bytes.count + strings.count * 4 + classes.count * 64 }

    /// Parses and checks all bytes, in linear time.
    package init(_ bytes: [UInt8]) throws(SymbolTable.Invalid) {
        guard bytes.count <= SymbolTable.Limits.bytes else {
            throw SymbolTable.Invalid("it is too long", at: SymbolTable.Limits.bytes)
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
            strings.append(UInt32(reader.position))
            _ = try reader.text("text", atMost: SymbolTable.Limits.stringBytes)
        }
        let classCount = try reader.number("number of classes", atMost: Limits.classes)
        for _ in 0..<classCount {
            let position = reader.position
            let type = try MappedClass(&reader, stringCount)
            classes[string(type.obfuscated)] = UInt32(position)
            for _ in 0..<type.methodCount { _ = try MappedMethod(&reader, stringCount) }
        }
        guard reader.position == bytes.count else {
            throw SymbolTable.Invalid("something follows the last class", at: reader.position)
        }
    }

    /// Returns the methods that a frame stands for, innermost first. There are several if R8 inlined them.
    ///
    /// - Returns: the class with the frame's own method name if the mapping does not determine the method; empty for
    ///   a class that is not in the mapping.
    package func calls(className: String, name: String, line: Int?) -> [SymbolicatedFrame] {
        guard let position = classes[className] else { return [] }
        var reader = SymbolTableReader(bytes)
        reader.position = Int(position)
        guard let type = try? MappedClass(&reader, strings.count) else { return [] }
        var methods: [MappedMethod] = []
        for _ in 0..<type.methodCount {
            guard let method = try? MappedMethod(&reader, strings.count) else { return [] }
            if string(method.obfuscated) == name { methods.append(method) }
        }
        let ofLine = methods.filter { method in line.map { method.lines?.contains($0) ?? false } ?? false }
        if !ofLine.isEmpty {
            return ofLine.prefix(SymbolTable.Limits.calls).map { call($0, of: type, line: line) }
        }
        // Without a line, a name determines the method only if it has a single original name.
        let names = Set(methods.map { [$0.originalClass, $0.original] })
        if let only = methods.first, names.count == 1 { return [call(only, of: type, line: nil)] }
        return [SymbolicatedFrame(function: name, className: string(type.original), file: file(type.file))]
    }

    private func call(_ method: MappedMethod, of type: MappedClass, line: Int?) -> SymbolicatedFrame {
        let original = method.originalClass == 0 ? type.original : method.originalClass - 1
        return SymbolicatedFrame(
            function: string(method.original), className: string(original), file: file(method.file),
            line: line.flatMap { method.originalLine(of: $0) })
    }

    private func file(_ index: Int) -> String? { index == 0 ? nil : string(index - 1) }

    private func string(_ index: Int) -> String {
        var reader = SymbolTableReader(bytes)
        reader.position = Int(strings[index])
        return (try? reader.text("string", atMost: SymbolTable.Limits.stringBytes)) ?? ""
    }
}

/// A class of a mapping. Its methods follow in the table.
private struct MappedClass {
    let obfuscated: Int
    let original: Int
    /// One more than the string's index; 0 for none.
    let file: Int
    let methodCount: Int

    init(_ reader: inout SymbolTableReader, _ strings: Int) throws(SymbolTable.Invalid) {
        obfuscated = try reader.number("class", atMost: strings - 1)
        original = try reader.number("original class", atMost: strings - 1)
        file = try reader.number("file", atMost: strings)
        methodCount = try reader.number("number of methods", atMost: MappingTable.Limits.methods)
    }
}

/// A method of a mapping, or a method that was inlined into one.
private struct MappedMethod {
    let obfuscated: Int
    let original: Int
    /// One more than the string's index; 0 for the class that contains the method.
    let originalClass: Int
    let file: Int
    /// Lines of the obfuscated code; `nil` for a method without lines.
    let lines: ClosedRange<Int>?
    private let firstLine: Int
    private let lineCount: Int

    init(_ reader: inout SymbolTableReader, _ strings: Int) throws(SymbolTable.Invalid) {
        obfuscated = try reader.number("method", atMost: strings - 1)
        original = try reader.number("original method", atMost: strings - 1)
        originalClass = try reader.number("original class", atMost: strings)
        file = try reader.number("file", atMost: strings)
        let start = try reader.number("line", atMost: SymbolTable.Limits.line)
        let count = try reader.number("number of lines", atMost: SymbolTable.Limits.line)
        lines = count == 0 ? nil : start...(start + count - 1)
        firstLine = try reader.number("original line", atMost: SymbolTable.Limits.line)
        lineCount = try reader.number("number of original lines", atMost: SymbolTable.Limits.line)
    }

    /// Returns the original line. If the original range has as many lines as the obfuscated one, lines correspond one
    /// to one; otherwise all lines map to the first original line.
    func originalLine(of line: Int) -> Int? {
        guard let lines, lineCount > 0 else { return nil }
        return lineCount == lines.count ? firstLine + line - lines.lowerBound : firstLine
    }
}

/// The symbols of an image, or the names of a mapping.
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

    var name: String {
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

    /// Texts that stored paths of leaks contain in place of a name.
    var spellings: [String] {
        switch self {
        case .image(let table): table.image.spellings
        case .mapping(let table): [table.name]
        }
    }

    /// Number of ranges of an image, or of classes of a mapping.
    var count: Int {
        switch self {
        case .image(let table): table.rangeCount
        case .mapping(let table): table.classCount
        }
    }

    var size: Int {
        switch self {
        case .image(let table): table.size
        case .mapping(let table): table.size
        }
    }

    func calls(at place: CodeLocation) -> [SymbolicatedFrame] {
        switch (self, place) {
        case (.image(let table), .offset(let offset)): table.calls(at: offset)
        case (.mapping(let table), .method(let className, let name, let line)):
            table.calls(className: className, name: name, line: line)
        default: []
        }
    }
}
