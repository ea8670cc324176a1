internal import LeakGzip
internal import LeakGrammar
internal import LeakMessage
internal import LeakStore
internal import LeakPlatform

/// The tables of symbols that a store has: which there are, and in memory those that were used last.
///
/// A table is read from the store when a frame first needs it. The bytes in memory are bounded; a table that was not used for
/// longest goes first.
final class SymbolTableCache: Sendable {
    /// Bytes of tables in memory: about ten apps with a million lines of machine code.
    static let memoryBytes = 64 << 20

    private struct Loaded {
        var table: SymbolData
        var row: Int64
        /// Counts look-ups of tables.
        var turn: Int
    }

    private struct State {
        /// Rows by image.
        var known: [ImageID: Int64] = [:]
        var loaded: [ImageID: Loaded] = [:]
        var bytes = 0
        var turn = 0
        var generation = 0
        /// Rows of tables that reports have needed since they were last noted in the store.
        var used: Set<Int64> = []
    }

    private let state = Guarded(State())
    /// The list that was loaded last. Held while one is loaded, so that an older list never takes the place of a newer one.
    private let loadedVersion = Guarded<SymbolsVersion?>(nil)
    private let store: any Store
    private let memoryBytes: Int

    init(store: any Store, memoryBytes: Int = SymbolTableCache.memoryBytes) {
        self.store = store
        self.memoryBytes = memoryBytes
    }

    /// Changes when tables come or go: groups found before may be others now.
    var generation: Int { state.with { $0.generation } }

    /// Returns whether every table that the store has is in memory, so that no look-up waits for the disk.
    var areInMemory: Bool { state.with { $0.known.count == $0.loaded.count } }

    /// Bytes of tables in memory.
    var bytes: Int { state.with { $0.bytes } }

    /// Learns which tables the store has, if that has changed.
    func refresh(from reader: any StoreReader) throws(StoreError) {
        try loadedVersion.with { version throws(StoreError) in try load(from: reader, after: &version) }
    }

    private func load(
        from reader: any StoreReader, after former: inout SymbolsVersion?
    ) throws(StoreError) {
        let version = try reader.symbolsVersion()
        guard former != version else { return }
        let isFirst = former == nil
        let symbols = version.count == 0 ? [] : try reader.symbols()
        state.with { state in
            var known: [ImageID: Int64] = [:]
            for one in symbols {
                if let image = ImageID(one.image) { known[image] = one.id }
            }
            if !isFirst || !known.isEmpty { state.generation += 1 }
            state.known = known
            for (image, loaded) in state.loaded where known[image] != loaded.row {
                state.bytes -= loaded.table.size
                state.loaded[image] = nil
            }
        }
        former = version
    }

    /// The functions at a place in an image, or that a mapping names.
    ///
    /// - Parameter reader: reads a table that is not in memory; `nil` opens one.
    /// - Throws: ``StoreError`` when the table is in the store and cannot be read. A damaged one counts as missing.
    func calls(
        in imageID: String, at place: CodeLocation, reader: (any StoreReader)? = nil
    ) throws(StoreError) -> [SymbolicatedFrame] {
        guard let image = ImageID(imageID) else { return [] }
        enum Found {
            case none
            case loaded(SymbolData)
            case stored(Int64)
        }
        let found: Found = state.with { state in
            guard let row = state.known[image] else { return .none }
            state.used.insert(row)
            guard var loaded = state.loaded[image] else { return .stored(row) }
            state.turn += 1
            loaded.turn = state.turn
            state.loaded[image] = loaded
            return .loaded(loaded.table)
        }
        switch found {
        case .none: return []
        case .loaded(let table): return table.calls(at: place)
        case .stored(let row):
            let reader = if let reader { reader } else { try store.makeReader() }
            guard let body = try reader.symbolTable(row), let table = Self.read(body) else { return [] }
            cache(table, of: image, row: row)
            return table.calls(at: place)
        }
    }

    private func cache(_ table: SymbolData, of image: ImageID, row: Int64) {
        state.with { state in
            guard state.known[image] == row, state.loaded[image] == nil else { return }
            state.turn += 1
            state.loaded[image] = Loaded(table: table, row: row, turn: state.turn)
            state.bytes += table.size
            while state.bytes > memoryBytes, state.loaded.count > 1,
                let oldest = state.loaded.min(by: { $0.value.turn < $1.value.turn })
            {
                state.bytes -= oldest.value.table.size
                state.loaded[oldest.key] = nil
            }
        }
    }

    /// Notes that groups which were found with a table were used again.
    func recordUse(of images: Set<String>) {
        state.with { state in
            for image in images {
                if let row = ImageID(image).flatMap({ state.known[$0] }) { state.used.insert(row) }
            }
        }
    }

    /// Writes down which tables were used, so that the store keeps them.
    func storeUse(now: Int64) throws(StoreError) {
        let rows = state.with { state in
            defer { state.used = [] }
            return state.used
        }
        guard !rows.isEmpty else { return }
        do throws(StoreError) {
            try store.recordUse(ofSymbols: rows.sorted(), now: now)
        } catch {
            state.with { $0.used.formUnion(rows) }
            throw error
        }
    }

    /// The table in what the store keeps.
    static func read(_ body: [UInt8]) -> SymbolData? {
        var inflater = Inflater(limits: Inflater.Limits(outputBytes: SymbolTable.Limits.bytes, ratio: 1_032))
        var bytes: [UInt8] = []
        guard (try? inflater.inflate(body, into: &bytes)) != nil, (try? inflater.finish()) != nil else {
            return nil
        }
        return try? SymbolData(bytes)
    }

    /// The bytes that the store keeps of a table.
    static func packed(_ table: [UInt8]) -> [UInt8] { Gzip.deflate(table) }
}

/// Names the frames of one report, or of several, and remembers which images had names and why a table could not be read.
struct FrameSymbolicator {
    let tables: SymbolTableCache?
    var reader: (any StoreReader)?
    /// Images with a table.
    private(set) var used: Set<String> = []
    private(set) var failure: StoreError?

    init(tables: SymbolTableCache?, reader: (any StoreReader)? = nil) {
        self.tables = tables
        self.reader = reader
    }

    mutating func calls(_ imageID: String, _ place: CodeLocation) -> [SymbolicatedFrame] {
        guard let tables, failure == nil else { return [] }
        do throws(StoreError) {
            let calls = try tables.calls(in: imageID, at: place, reader: reader)
            if !calls.isEmpty { used.insert(imageID) }
            return calls
        } catch {
            failure = error
            return []
        }
    }
}
