internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

// Parser of the entries of a file of known leaks. Unknown fields and invalid values are rejected, because a
// misspelled version limit would hide leaks.

extension JSONScanner {
    /// Parses the list of entries.
    mutating func knownLeaks() throws(JSONError) -> [KnownLeakRule] {
        var leaks: [KnownLeakRule] = []
        guard try enterArray() else { return leaks }
        repeat {
            _ = try kind()
            let start = offset
            let leak = try readKnownLeak()
            guard !leaks.contains(where: { $0.id == leak.id }) else {
                throw JSONError(.expected("another id: “\(leak.id)” is taken"), at: start)
            }
            guard leaks.count < KnownLeakFile.maxEntries else {
                throw JSONError(.expected("at most \(KnownLeakFile.maxEntries) entries"), at: start)
            }
            leaks.append(leak)
        } while try hasAnotherElement(in: .array)
        return leaks
    }

    private mutating func readKnownLeak() throws(JSONError) -> KnownLeakRule {
        var (id, reason, source): (String?, String?, String?) = (nil, nil, nil)
        var className: NamePattern?
        var kind: LeakReport.Kind?
        var stack: [NamePattern] = []
        var systems: [SystemRange] = []
        _ = try self.kind()
        let start = offset
        let names = ["id", "class", "stack", "kind", "systems", "reason", "source"]
        try fields(of: "an entry", named: names) { name, scanner throws(JSONError) in
            switch name {
            case "id": id = try scanner.value(expected: "an id of letters, digits, - and _", Self.parseID)
            case "class": className = try scanner.value(expected: Self.patternExpectation, Self.parsePattern)
            case "stack": stack = try scanner.readPatterns()
            case "kind":
                kind = try scanner.value(expected: Self.kindExpectation) { LeakReport.Kind(rawValue: $0) }
            case "systems": systems = try scanner.systemRanges()
            case "reason":
                let expectation =
                    "a reason of 1 to \(KnownLeakFile.maxReasonBytes) bytes, without control characters"
                reason = try scanner.value(expected: expectation) {
                    Self.singleLine($0, limit: KnownLeakFile.maxReasonBytes)
                }
            default:
                source = try scanner.value(
                    expected: "an address that begins with https://", Self.parseAddress)
            }
        }
        guard let id, let className, let reason, let source else {
            let requiredFields: [(String, Bool)] = [
                ("id", id != nil), ("class", className != nil), ("reason", reason != nil),
                ("source", source != nil),
            ]
            let missing = requiredFields.filter { !$0.1 }.map(\.0).joined(separator: ", ")
            throw JSONError(.expected("an entry that also has the fields \(missing)"), at: start)
        }
        return KnownLeakRule(
            id: id, className: className, stack: stack, kind: kind?.rawValue, systems: systems,
            reason: reason,
            source: source)
    }

    private mutating func readPatterns() throws(JSONError) -> [NamePattern] {
        var patterns: [NamePattern] = []
        guard try enterArray() else { return patterns }
        repeat {
            patterns.append(try value(expected: Self.patternExpectation, Self.parsePattern))
        } while try hasAnotherElement(in: .array)
        return patterns
    }

    private mutating func systemRanges() throws(JSONError) -> [SystemRange] {
        var ranges: [SystemRange] = []
        guard try enterArray() else { return ranges }
        repeat {
            guard ranges.count < KnownLeakFile.maxSystemsPerEntry else {
                throw JSONError(.expected("at most \(KnownLeakFile.maxSystemsPerEntry) systems"), at: offset)
            }
            ranges.append(try systemRange())
        } while try hasAnotherElement(in: .array)
        return ranges
    }

    private mutating func systemRange() throws(JSONError) -> SystemRange {
        var os: String?
        var (from, before): (SystemVersion?, SystemVersion?) = (nil, nil)
        _ = try kind()
        let start = offset
        try fields(of: "a system", named: ["os", "from", "before"]) { name, scanner throws(JSONError) in
            let version = "a version such as 11.2"
            switch name {
            case "os":
                os = try scanner.value(expected: "a system such as iOS") { Self.singleLine($0, limit: 64) }
            case "from": from = try scanner.value(expected: version) { SystemVersion($0) }
            default: before = try scanner.value(expected: version) { SystemVersion($0) }
            }
        }
        guard let os else { throw JSONError(.expected("a system with the field os"), at: start) }
        if let from, let before, before <= from {
            throw JSONError(
                .expected("a version after “from” (\(from)) in “before”, not \(before)"), at: start)
        }
        return SystemRange(name: os, from: from, before: before)
    }

    // MARK: Objects, lists and values

    /// Parses an object, and calls `read` for each field. Unknown and repeated fields are errors.
    ///
    /// - Parameters:
    ///   - objectName: the object's name in errors, such as `an entry`.
    ///   - names: the names of the allowed fields.
    mutating func fields(
        of objectName: String, named names: [String],
        _ read: (String, inout JSONScanner) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard try enterObject() else { return }
        var seen: Set<String> = []
        repeat {
            let slice = try name()
            let name = text(of: slice)
            guard names.contains(name) else {
                throw JSONError(
                    .expected(
                        "one of the fields \(names.joined(separator: ", ")) in \(objectName), not “\(name)”"),
                    at: slice.range.lowerBound)
            }
            guard seen.insert(name).inserted else {
                throw JSONError(
                    .expected("the field \(name) at most once in \(objectName)"), at: slice.range.lowerBound)
            }
            try read(name, &self)
        } while try hasAnotherElement(in: .object)
    }

    /// Parses a list of ids of entries, with their positions in the file.
    mutating func entryIDs(_ expectation: String) throws(JSONError) -> [(id: String, offset: Int)] {
        var ids: [(id: String, offset: Int)] = []
        guard try enterArray() else { return ids }
        repeat {
            _ = try kind()
            let start = offset
            ids.append((try value(expected: expectation) { $0 }, start))
        } while try hasAnotherElement(in: .array)
        return ids
    }

    /// Reads a string and parses it with `parse`. An error says that `expectation` is expected.
    private mutating func value<Value>(
        expected expectation: String, _ parse: (String) -> Value?
    ) throws(JSONError) -> Value {
        guard try kind() == .string else { throw JSONError(.expected(expectation), at: offset) }
        let start = offset
        guard let value = parse(text(of: try string())) else {
            throw JSONError(.expected(expectation), at: start)
        }
        return value
    }

    // MARK: Texts

    /// The text for an error about an invalid class pattern. It describes a valid pattern.
    private static let patternExpectation =
        "a class such as UITextField, or the beginning of one with * at its end, of at most 512 bytes"
    /// The text for an error about an invalid kind of object. It lists the valid kinds.
    private static var kindExpectation: String {
        "one of " + LeakReport.Kind.allCases.map(\.rawValue).joined(separator: ", ")
    }

    private static func parsePattern(_ text: String) -> NamePattern? {
        singleLine(text, limit: 512).flatMap { NamePattern($0) }
    }

    private static func parseID(_ text: String) -> String? {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isPlain ? singleLine(text, limit: 64) : nil
    }

    /// Returns the address in the field `source`; `nil` if it is invalid. The address becomes a link, so only `https://` is
    /// allowed: a link with another scheme could run code.
    private static func parseAddress(_ text: String) -> String? {
        guard text.hasPrefix("https://"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return singleLine(text, limit: 512)
    }

    /// Returns the text if it has from 1 to `limit` bytes and no control characters of ASCII; otherwise `nil`.
    private static func singleLine(_ text: String, limit: Int) -> String? {
        guard (1...limit).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return nil
        }
        return text
    }
}
