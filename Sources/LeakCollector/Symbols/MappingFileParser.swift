/// Parser of a mapping of R8 or ProGuard, `mapping.txt`, line by line.
/// https://r8.googlesource.com/r8/+/refs/heads/main/doc/retrace.md
package struct MappingFileParser {
    package struct Unreadable: Error, Hashable, CustomStringConvertible {
        package var description: String
    }

    private struct Method {
        var obfuscated: String
        var original: String
        /// `nil` if it is the class that contains the method in the mapping.
        var originalClass: String?
        var firstLine = 0
        var lineCount = 0
        var firstOriginalLine = 0
        var originalLineCount = 0
    }

    private struct Class {
        var obfuscated: String
        var original: String
        var methods: [Method] = []
    }

    private var mapID: String?
    private var classes: [Class] = []
    /// Source files by original class.
    private var files: [String: String] = [:]

    package init() {}

    /// Reads a line. Lines that describe neither a class nor a method, such as those of fields, are skipped.
    package mutating func read(_ line: String) {
        let text = line.drop { $0 == " " || $0 == "\t" }
        if text.hasPrefix("#") {
            readComment(text.dropFirst().drop { $0 == " " })
        } else if text.startIndex == line.startIndex {
            guard text.hasSuffix(":"), let names = Self.splitArrow(text.dropLast()) else { return }
            classes.append(Class(obfuscated: String(names.after), original: String(names.before)))
        } else if let names = Self.splitArrow(text), var method = Self.method(names.before), !classes.isEmpty
        {
            method.obfuscated = String(names.after)
            classes[classes.count - 1].methods.append(method)
        }
    }

    private mutating func readComment(_ text: Substring) {
        let mapIDPrefix = "pg_map_id:"
        if text.hasPrefix(mapIDPrefix) {
            mapID = String(text.dropFirst(mapIDPrefix.count).filter(\.isHexDigit))
        } else if text.contains("\"sourceFile\""), let last = classes.last,
            let start = text.indexAfter(firstOccurrenceOf: "\"fileName\":\"")
        {
            let name = text[start...].prefix { $0 != "\"" }
            if !name.isEmpty, !name.hasPrefix("r8-map-id-"), name != "SourceFile" {
                files[last.original] = String(name)
            }
        }
    }

    /// Splits `before -> after`; `nil` for another form.
    private static func splitArrow(_ text: Substring) -> (before: Substring, after: Substring)? {
        guard let start = text.indexAfter(firstOccurrenceOf: " -> ") else { return nil }
        let before = text[..<text.index(start, offsetBy: -4)]
        return before.isEmpty || start == text.endIndex ? nil : (before, text[start...])
    }

    /// Parses a method such as `1:3:void com.acme.List.add(int,int):44:46`.
    private static func method(_ text: Substring) -> Method? {
        guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")") else { return nil }
        var method = Method(obfuscated: "", original: "")
        let partsBeforeParameters = text[..<open].split(separator: ":", omittingEmptySubsequences: false)
        guard let last = partsBeforeParameters.last, let space = last.lastIndex(of: " ") else { return nil }
        let name = last[last.index(after: space)...]
        guard !name.isEmpty else { return nil }
        if let dot = name.lastIndex(of: "."), dot > name.startIndex {
            method.originalClass = String(name[..<dot])
            method.original = String(name[name.index(after: dot)...])
        } else {
            method.original = String(name)
        }
        if partsBeforeParameters.count == 3,
            let range = lineRange(partsBeforeParameters[0], partsBeforeParameters[1])
        {
            (method.firstLine, method.lineCount) = range
        }
        let partsAfterParameters = text[text.index(after: close)...].split(separator: ":")
        if let first = partsAfterParameters.first,
            let range = lineRange(first, partsAfterParameters.count > 1 ? partsAfterParameters[1] : first)
        {
            (method.firstOriginalLine, method.originalLineCount) = range
        } else {
            (method.firstOriginalLine, method.originalLineCount) = (method.firstLine, method.lineCount)
        }
        return method.original.isEmpty ? nil : method
    }

    /// Parses a range of lines.
    ///
    /// - Returns: the first line and the number of lines.
    private static func lineRange(_ first: Substring, _ last: Substring) -> (Int, Int)? {
        guard let first = Int(first), let last = Int(last), first >= 0, last >= first,
            last < SymbolTable.Limits.line
        else { return nil }
        return (first, last - first + 1)
    }

    /// Returns the bytes of a ``MappingTable``.
    ///
    /// - Throws: ``Unreadable`` if the mapping has no `pg_map_id`, if its `pg_map_id` is too long, or if the mapping names no
    ///   class or is too large.
    package func finish() throws(Unreadable) -> [UInt8] {
        guard let mapID, !mapID.isEmpty else {
            throw Unreadable(description: "it has no pg_map_id, which R8 writes and ProGuard does not")
        }
        guard mapID.utf8.count <= MappingTable.Limits.idBytes else {
            throw Unreadable(
                description:
                    "its pg_map_id is \(mapID.utf8.count) bytes, the limit is \(MappingTable.Limits.idBytes)"
            )
        }
        guard !classes.isEmpty else { throw Unreadable(description: "it names no class") }
        var table = TableTextEncoder()
        var body: [UInt8] = []
        let includedClasses = classes.prefix(MappingTable.Limits.classes)
        for type in includedClasses {
            let methods = type.methods.prefix(MappingTable.Limits.methods)
            table.append(table.index(of: type.obfuscated), to: &body)
            table.append(table.index(of: type.original), to: &body)
            table.append(files[type.original].map { table.index(of: $0) + 1 } ?? 0, to: &body)
            table.append(methods.count, to: &body)
            for method in methods {
                let owner = method.originalClass ?? type.original
                table.append(table.index(of: method.obfuscated), to: &body)
                table.append(table.index(of: method.original), to: &body)
                table.append(method.originalClass.map { table.index(of: $0) + 1 } ?? 0, to: &body)
                table.append(files[owner].map { table.index(of: $0) + 1 } ?? 0, to: &body)
                for number in [
                    method.firstLine, method.lineCount, method.firstOriginalLine, method.originalLineCount,
                ] {
                    table.append(number, to: &body)
                }
            }
        }
        var bytes = MappingTable.magic
        table.append(mapID, to: &bytes)
        table.append(table.count, to: &bytes)
        bytes += table.encodedStrings
        table.append(includedClasses.count, to: &bytes)
        bytes += body
        guard bytes.count <= SymbolTable.Limits.bytes else {
            throw Unreadable(
                description:
                    "its table has \(bytes.count >> 20) MiB, the limit is \(SymbolTable.Limits.bytes >> 20)")
        }
        return bytes
    }
}

/// Encoder of the texts and numbers of a table. Each text is encoded once.
private struct TableTextEncoder {
    private(set) var encodedStrings: [UInt8] = []
    private var indexes: [String: Int] = [:]

    var count: Int { indexes.count }

    mutating func index(of rawText: String) -> Int {
        let text = SymbolTableBuilder.text(rawText, maxBytes: SymbolTable.Limits.stringBytes, fallback: "?")
        if let index = indexes[text] { return index }
        indexes[text] = indexes.count
        append(text, to: &encodedStrings)
        return indexes.count - 1
    }

    func append(_ text: String, to bytes: inout [UInt8]) {
        append(text.utf8.count, to: &bytes)
        bytes += text.utf8
    }

    func append(_ number: Int, to bytes: inout [UInt8]) {
        var remainingBits = number
        while remainingBits >= 0x80 {
            bytes.append(UInt8(remainingBits & 0x7F) | 0x80)
            remainingBits >>= 7
        }
        bytes.append(UInt8(remainingBits))
    }
}

extension Substring {
    /// Returns the index after the first occurrence of a text; `nil` if there is none.
    fileprivate func indexAfter(firstOccurrenceOf text: String) -> Index? {
        guard let first = text.utf8.first else { return nil }
        var searchedText = self[...]
        while let start = searchedText.utf8.firstIndex(of: first) {
            if searchedText[start...].hasPrefix(text) { return index(start, offsetBy: text.count) }
            searchedText = searchedText[index(after: start)...]
        }
        return nil
    }
}
