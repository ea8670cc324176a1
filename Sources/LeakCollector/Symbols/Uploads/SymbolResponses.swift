internal import LeakGrammar
internal import LeakMessage

/// The result of an upload of symbols, parsed from a collector's response and shown by the command line.
package struct SymbolUpload: Hashable, Sendable {
    /// `true` if the upload replaced an earlier one.
    package var isReplacement = false
    /// Number of stored leaks whose frames got names.
    package var namedCount = 0
    /// Number of these leaks that were merged into other leaks.
    package var mergedCount = 0

    /// Parses the response to an upload.
    ///
    /// - Throws: ``SymbolResponseError`` if the response has another form.
    package init(json: [UInt8]) throws(SymbolResponseError) {
        var upload = (isReplacement: false, named: 0, merged: 0)
        try SymbolResponseError.read(json) { (scanner) throws(JSONError) in
            guard try scanner.enterObject() else { return }
            repeat {
                switch scanner.text(of: try scanner.name()) {
                case "replaced": upload.isReplacement = try scanner.boolean()
                case "leaks_named": upload.named = try scanner.number().integer ?? 0
                case "leaks_merged": upload.merged = try scanner.number().integer ?? 0
                default: try scanner.skip()
                }
            } while try scanner.another(in: .object)
        }
        (isReplacement, namedCount, mergedCount) = upload
    }

    /// The result in words: `stored; 2 leaks named, 1 of them merged into other leaks`.
    package var sentence: String {
        let stored = isReplacement ? "replaced an earlier upload" : "stored"
        guard namedCount > 0 else { return "\(stored); no stored leak got new names" }
        let merges = mergedCount > 0 ? ", \(mergedCount) of them merged into other leaks" : ""
        return "\(stored); \(MergeNote.count(namedCount, "leak")) named\(merges)"
    }
}

/// The symbols that a collector has, parsed from its response and shown by the command line.
package struct SymbolList: Sendable {
    private struct Row {
        var image = ""
        var name = ""
        var uploadedAt = ""
        var usedAt = ""
        var bytes = 0
    }

    package private(set) var lines: [String] = []

    /// Parses the response with the list of symbols.
    ///
    /// - Throws: ``SymbolResponseError`` if the response has another form.
    package init(json: [UInt8]) throws(SymbolResponseError) {
        var rows: [Row] = []
        try SymbolResponseError.read(json) { (scanner) throws(JSONError) in
            guard try scanner.enterObject() else { return }
            repeat {
                guard scanner.text(of: try scanner.name()) == "symbols" else {
                    try scanner.skip()
                    continue
                }
                guard try scanner.enterArray() else { continue }
                repeat { rows.append(try Self.row(&scanner)) } while try scanner.another(in: .array)
            } while try scanner.another(in: .object)
        }
        lines = rows.map { row in
            "\(row.image)  \(row.name)  \(row.bytes >> 10) KiB, uploaded \(row.uploadedAt.prefix(10)), "
                + "used \(row.usedAt.prefix(10))"
        }
        let total = rows.reduce(0) { $0 + $1.bytes }
        lines.append("\(MergeNote.count(rows.count, "image")), \(total >> 10) KiB")
    }

    private static func row(_ scanner: inout JSONScanner) throws(JSONError) -> Row {
        var row = Row()
        guard try scanner.enterObject() else { return row }
        repeat {
            switch scanner.text(of: try scanner.name()) {
            case "image": row.image = TerminalText.text(scanner.text(of: try scanner.string()))
            case "name": row.name = TerminalText.text(scanner.text(of: try scanner.string()))
            case "uploaded_at": row.uploadedAt = TerminalText.text(scanner.text(of: try scanner.string()))
            case "used_at": row.usedAt = TerminalText.text(scanner.text(of: try scanner.string()))
            case "bytes": row.bytes = try scanner.number().integer ?? 0
            default: try scanner.skip()
            }
        } while try scanner.another(in: .object)
        return row
    }
}

/// Error for a response that is not from a collector, or from a later version.
package struct SymbolResponseError: Error, Hashable, CustomStringConvertible {
    package var description: String {
        "the response cannot be read: it is not from a collector, or from a later version; check the address"
    }

    fileprivate static func read(
        _ json: [UInt8], _ body: (inout JSONScanner) throws(JSONError) -> Void
    ) throws(SymbolResponseError) {
        guard UTF8Validity.firstInvalidByte(in: json) == nil else { throw SymbolResponseError() }
        do {
            try JSONScanner.scan(json, body)
        } catch {
            throw SymbolResponseError()
        }
    }
}
