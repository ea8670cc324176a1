import LeakMessage

@testable import LeakCollector
@testable import LeakGrammar

/// Properties that hold for every symbol file and every upload of symbols, including hostile ones.
enum SymbolInvariants {
    /// Maximum number of lines of one file that are checked. More lines of one file would add no coverage.
    private static let lineLimit = 1 << 16

    /// Checks all properties for one file or upload.
    ///
    /// - Returns: the invariant that `bytes` violate, in words, or `nil`.
    static func violation(by bytes: [UInt8]) -> String? {
        violationByTable(bytes) ?? violationByMappingTable(bytes) ?? violationByObject(bytes)
            ?? violationByFiles(bytes)
    }

    // MARK: Tables

    private static func violationByTable(_ bytes: [UInt8]) -> String? {
        guard let table = try? SymbolTable(bytes) else { return nil }
        guard table.rangeCount > 0 else { return "a table without ranges is read" }
        for offset in offsets(bytes) {
            let calls = table.calls(at: offset)
            guard calls.count <= SymbolTable.Limits.calls else {
                return "\(calls.count) functions at one place"
            }
            if let violation = violationByCalls(calls) { return violation }
        }
        return nil
    }

    private static func violationByMappingTable(_ bytes: [UInt8]) -> String? {
        guard let table = try? MappingTable(bytes) else { return nil }
        for name in ["a", "a.b", "c"] {
            for line in [nil, 0, 1, Int.max] {
                if let violation = violationByCalls(table.calls(className: name, name: "a", line: line)) {
                    return violation
                }
            }
        }
        return nil
    }

    private static func violationByCalls(_ calls: [SymbolicatedFrame]) -> String? {
        for call in calls {
            let texts = [call.function, call.file, call.className].compactMap(\.self)
            guard texts.allSatisfy({ !$0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }) else {
                return "a name has control characters"
            }
            guard call.line.map({ (0...SymbolTable.Limits.line).contains($0) }) ?? true else {
                return "a line is out of bounds"
            }
        }
        return nil
    }

    /// Returns the lowest offsets, the offsets around the limit, the highest number, and numbers from the bytes.
    private static func offsets(_ bytes: [UInt8]) -> [UInt64] {
        let found = stride(from: 0, to: min(bytes.count, 256), by: 3).map { start in
            bytes[start..<min(start + 4, bytes.count)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        return [0, 1, SymbolTable.Limits.offset - 1, SymbolTable.Limits.offset, .max] + found
    }

    // MARK: Files

    private static func violationByObject(_ bytes: [UInt8]) -> String? {
        let object = try? ObjectFile { offset, count in
            let start = Int(clamping: min(offset, UInt64(bytes.count)))
            return Array(bytes[start..<min(bytes.count, start + min(max(count, 0), bytes.count))])
        }
        guard let object else { return nil }
        return object.slices.isEmpty ? "a file without images is read" : nil
    }

    /// Checks that a collector accepts the table that is made from a symbol file, with as many ranges as were counted.
    private static func violationByFiles(_ bytes: [UInt8]) -> String? {
        let texts = bytes.split(separator: 0x0A, maxSplits: lineLimit, omittingEmptySubsequences: false).map {
            String(decoding: $0.prefix(1 << 12), as: UTF8.self)
        }
        var file = BreakpadFileParser()
        do {
            for text in texts { try file.read(text) }
            let made = try file.finish()
            do {
                let table = try SymbolTable(made.table)
                guard table.rangeCount == made.rangeCount else {
                    return "\(made.rangeCount) ranges became \(table.rangeCount)"
                }
            } catch {
                // A table without ranges is refused. A file gives such a table if it has no names, or only names beyond the
                // highest offset.
                guard made.rangeCount == 0 else { return "a table of a Breakpad file: \(error)" }
            }
            if let violation = violationByTable(made.table) { return violation }
        } catch {}
        var mapping = MappingFileParser()
        for text in texts { mapping.read(text) }
        guard let table = try? mapping.finish() else { return nil }
        do {
            _ = try MappingTable(table)
        } catch {
            return "a table of a mapping: \(error)"
        }
        return violationByMappingTable(table)
    }
}
