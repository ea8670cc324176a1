internal import LeakGrammar
internal import LeakMessage
internal import LeakPlatform

/// The result of an upload of symbols, parsed from a collector's response and shown by the command line.
package struct SymbolUpload: Hashable, Sendable {
    /// `true` if the upload replaced an earlier table.
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
            } while try scanner.hasAnotherElement(in: .object)
        }
        (isReplacement, namedCount, mergedCount) = upload
    }

    /// The result in words: `stored; 2 leaks got function names, and 1 of them was merged into another leak`.
    package var sentence: String {
        let storeNote = isReplacement ? "replaced an earlier upload" : "stored"
        guard namedCount > 0 else { return "\(storeNote); no stored leak got new names" }
        let mergeNote =
            switch mergedCount {
            case 0: ""
            case 1: ", and 1 of them was merged into another leak"
            default: ", and \(mergedCount) of them were merged into other leaks"
            }
        return "\(storeNote); \(countText(namedCount, of: "leak")) got function names\(mergeNote)"
    }
}

/// The symbols that a collector has, parsed from its response and shown by the command line.
package struct SymbolList: Sendable {
    private struct Entry {
        var image = ""
        var name = ""
        var uploadedAt = ""
        var usedAt = ""
        var bytes = 0
    }

    /// Lines for the terminal: a line for each image, then a line with the totals.
    package private(set) var lines: [String] = []

    /// Parses the response with the list of symbols.
    ///
    /// - Throws: ``SymbolResponseError`` if the response has another form.
    package init(json: [UInt8]) throws(SymbolResponseError) {
        var entries: [Entry] = []
        try SymbolResponseError.read(json) { (scanner) throws(JSONError) in
            guard try scanner.enterObject() else { return }
            repeat {
                guard scanner.text(of: try scanner.name()) == "symbols" else {
                    try scanner.skip()
                    continue
                }
                guard try scanner.enterArray() else { continue }
                repeat {
                    entries.append(try Self.entry(&scanner))
                } while try scanner.hasAnotherElement(in: .array)
            } while try scanner.hasAnotherElement(in: .object)
        }
        lines = entries.map { entry in
            "\(entry.image)  \(entry.name)  \(Self.kibibytes(entry.bytes)) KiB, uploaded \(entry.uploadedAt.prefix(10)), "
                + "used \(entry.usedAt.prefix(10))"
        }
        let total = entries.reduce(0) { $0 + $1.bytes }
        lines.append("\(countText(entries.count, of: "image")), \(Self.kibibytes(total)) KiB")
    }

    /// Returns a size in KiB, rounded up.
    private static func kibibytes(_ bytes: Int) -> Int { (bytes + 1_023) >> 10 }

    private static func entry(_ scanner: inout JSONScanner) throws(JSONError) -> Entry {
        var entry = Entry()
        guard try scanner.enterObject() else { return entry }
        repeat {
            switch scanner.text(of: try scanner.name()) {
            case "image": entry.image = TerminalText.text(scanner.text(of: try scanner.string()))
            case "name": entry.name = TerminalText.text(scanner.text(of: try scanner.string()))
            case "uploaded_at": entry.uploadedAt = TerminalText.text(scanner.text(of: try scanner.string()))
            case "used_at": entry.usedAt = TerminalText.text(scanner.text(of: try scanner.string()))
            case "bytes": entry.bytes = try scanner.number().integer ?? 0
            default: try scanner.skip()
            }
        } while try scanner.hasAnotherElement(in: .object)
        return entry
    }
}

/// Error for a response of another kind of server, or of a later version of the collector.
package struct SymbolResponseError: Error, Hashable, CustomStringConvertible {
    package var description: String {
        "the response cannot be read: it comes from another kind of server, or from a later version of the collector; check the address"
    }

    fileprivate static func read(
        _ json: [UInt8], _ body: (inout JSONScanner) throws(JSONError) -> Void
    ) throws(SymbolResponseError) {
        guard UTF8Validator.firstInvalidByte(in: json) == nil else { throw SymbolResponseError() }
        do {
            try JSONScanner.scan(json, body)
        } catch {
            throw SymbolResponseError()
        }
    }
}
