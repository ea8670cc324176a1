internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

/// A file of known leaks: `known-leaks.json` of the Public folder, or an operator's own file in the same form.
///
///     {"known_leaks": [{"id": "…", "class": "UITextField", "stack": ["…"], "kind": "view",
///                       "systems": [{"os": "iOS", "from": "11.2", "before": "11.3"}],
///                       "reason": "…", "source": "https://…"}],
///      "off": ["id of an entry that comes with the program"]}
struct KnownLeakFile: Sendable {
    private(set) var entries: [KnownLeakRule] = []
    /// The ids in `off`: they disable entries that come with the program. Each has its byte position in this file, for errors.
    private(set) var disabledIDs: [(id: String, offset: Int)] = []

    /// Maximum number of entries of one file. Each entry adds an index look-up to each query for a list of leaks.
    static let maxEntries = 1_000
    static let maxReasonBytes = 500
    static let maxSystemsPerEntry = 32

    static let name = "known-leaks.json"

    /// Returns the path of the file that comes with the program.
    static func shippedPath(in publicFolder: String) -> String { "\(publicFolder)/\(name)" }

    /// Parses a file.
    ///
    /// - Throws: `JSONError` at the first invalid position, with what is expected there.
    init(_ bytes: [UInt8]) throws(JSONError) {
        if let offset = UTF8Validator.firstInvalidByte(in: bytes) {
            throw JSONError(.invalidUTF8, at: offset)
        }
        var (entries, disabledIDs): ([KnownLeakRule], [(id: String, offset: Int)]) = ([], [])
        try JSONScanner.scan(bytes) { (scanner) throws(JSONError) in
            try scanner.fields(of: "the file", named: ["known_leaks", "off"]) {
                name, scanner throws(JSONError) in
                if name == "off" {
                    disabledIDs = try scanner.entryIDs("the id of an entry")
                } else {
                    entries = try scanner.knownLeaks()
                }
            }
            try scanner.finish()
        }
        (self.entries, self.disabledIDs) = (entries, disabledIDs)
    }

    /// Loads the known leaks that apply: the operator's own entries, then those entries that come with the program and
    /// are neither switched off nor replaced by an entry with the same id.
    ///
    /// - Parameters:
    ///   - shipped: path of the file that comes with the program; `nil` if there is none. Without this file, the ids in `off`
    ///     are not checked.
    ///   - own: path of the operator's own file; `nil` if there is none.
    /// - Throws: `SettingError` with the file and, unless it cannot be read, line and column, and what is expected there.
    static func load(shipped: String?, own: String?) throws(SettingError) -> KnownLeaks {
        let entries = try shipped.map { path throws(SettingError) in
            try read(path, source: "--public").file.entries
        }
        guard let own else { return KnownLeaks(entries ?? []) }
        let source = "--known-leaks"
        let (file, bytes) = try read(own, source: source)
        let shippedIDs = Set((entries ?? []).map(\.id))
        if entries != nil, let unknownID = file.disabledIDs.first(where: { !shippedIDs.contains($0.id) }) {
            let error = JSONError(
                .expected(
                    "the id of an entry of known-leaks.json in the Public folder, not “\(unknownID.id)”: one of "
                        + shippedIDs.sorted().joined(separator: ", ")),
                at: unknownID.offset)
            throw settingError(error, in: own, bytes, source: source)
        }
        let overriddenIDs = Set(file.disabledIDs.map(\.id) + file.entries.map(\.id))
        return KnownLeaks(file.entries + (entries ?? []).filter { !overriddenIDs.contains($0.id) })
    }

    private static func read(
        _ path: String, source: String
    ) throws(SettingError) -> (file: KnownLeakFile, bytes: [UInt8]) {
        let bytes: [UInt8]
        do {
            bytes = try ExportFolder.contents(of: path)
        } catch {
            throw SettingError(source: source, problem: "\(error)")
        }
        do {
            return (try KnownLeakFile(bytes), bytes)
        } catch {
            throw settingError(error, in: path, bytes, source: source)
        }
    }

    private static func settingError(
        _ error: JSONError, in path: String, _ bytes: [UInt8], source: String
    ) -> SettingError {
        let position = TextPosition(of: error.offset, in: bytes)
        return SettingError(
            source: source, problem: "\(path), line \(position.line), column \(position.column): \(error)")
    }
}
