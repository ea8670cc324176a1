internal import LeakGzip
internal import LeakGrammar
internal import LeakMessage
internal import LeakStore
internal import LeakPlatform

/// Cache of the symbol tables in a store: the list of all tables, and the tables that were used last.
///
/// A table is read from the store when a frame first needs it. The bytes in memory are limited, and the least
/// recently used table is evicted first.
final class SymbolTableCache: Sendable {
    /// Maximum bytes of tables in memory: about ten apps whose debug data has a million lines each.
    static let maxMemoryBytes = 64 << 20

    private struct LoadedTable {
        /// `nil` for a damaged table, so that it is read only once.
        var table: SymbolData?
        var id: Int64
        /// Number of the most recent look-up of the table. All look-ups of the cache are numbered in order.
        var lastLookup: Int
    }

    private struct State {
        /// Ids of the tables in the store, by image.
        var idsByImage: [ImageID: Int64] = [:]
        var loaded: [ImageID: LoadedTable] = [:]
        var bytes = 0
        var lookupCount = 0
        var generation = 0
        /// Ids of the tables that reports have used since ``storeUse(now:)`` last ran.
        var usedIDs: Set<Int64> = []
    }

    private let state = Guarded(State())
    /// The version of the list that was loaded last. It is locked while a list is loaded, so that an older list never
    /// replaces a newer one.
    private let loadedVersion = Guarded<SymbolsVersion?>(nil)
    private let store: any Store
    private let maxMemoryBytes: Int

    init(store: any Store, maxMemoryBytes: Int = SymbolTableCache.maxMemoryBytes) {
        self.store = store
        self.maxMemoryBytes = maxMemoryBytes
    }

    /// Number that changes when tables are added or removed. A report that was grouped before the change may now belong to
    /// another group.
    var generation: Int { state.with { $0.generation } }

    /// `true` if all tables of the store are in memory, so that no look-up waits for the disk. Tables that no report has needed are
    /// not in memory.
    var areInMemory: Bool { state.with { $0.idsByImage.count == $0.loaded.count } }

    /// Bytes of tables in memory.
    var bytes: Int { state.with { $0.bytes } }

    /// Loads the list of tables in the store, if it has changed.
    func refresh(from reader: any StoreReader) throws(StoreError) {
        try loadedVersion.with { version throws(StoreError) in try load(from: reader, after: &version) }
    }

    private func load(
        from reader: any StoreReader, after loadedVersion: inout SymbolsVersion?
    ) throws(StoreError) {
        let version = try reader.symbolsVersion()
        guard loadedVersion != version else { return }
        let isFirst = loadedVersion == nil
        let symbols = version.tableCount == 0 ? [] : try reader.symbols()
        state.with { state in
            var ids: [ImageID: Int64] = [:]
            for storedSymbols in symbols {
                if let image = ImageID(storedSymbols.image) { ids[image] = storedSymbols.id }
            }
            if !isFirst || !ids.isEmpty { state.generation += 1 }
            state.idsByImage = ids
            for (image, loaded) in state.loaded where ids[image] != loaded.id {
                state.bytes -= loaded.table?.size ?? 0
                state.loaded[image] = nil
            }
        }
        loadedVersion = version
    }

    /// Returns the functions at a location in an image, or those that a mapping names.
    ///
    /// - Parameter reader: reads a table that is not in memory; `nil` opens a reader.
    /// - Throws: ``StoreError`` if the table is in the store and cannot be read. A damaged table counts as missing.
    func calls(
        in imageID: String, at location: CodeLocation, reader: (any StoreReader)? = nil
    ) throws(StoreError) -> [SymbolicatedFrame] {
        guard let image = ImageID(imageID) else { return [] }
        switch lookUp(image) {
        case .none: return []
        case .loaded(let table): return table?.calls(at: location) ?? []
        case .stored(let rowID):
            let reader = if let reader { reader } else { try store.makeReader() }
            guard let body = try reader.symbolTable(rowID) else { return [] }
            let table = Self.read(body)
            cache(table, of: image, id: rowID)
            return table?.calls(at: location) ?? []
        }
    }

    /// Returns the same as ``calls(in:at:reader:)`` without reading from the store; `nil` if the table is in the store, but not in
    /// memory.
    func callsInMemory(in imageID: String, at location: CodeLocation) -> [SymbolicatedFrame]? {
        guard let image = ImageID(imageID) else { return [] }
        return switch lookUp(image) {
        case .none: []
        case .loaded(let table): table?.calls(at: location) ?? []
        case .stored: nil
        }
    }

    private enum Lookup {
        /// There is no table of the image.
        case none
        case loaded(SymbolData?)
        case stored(rowID: Int64)
    }

    private func lookUp(_ image: ImageID) -> Lookup {
        state.with { state in
            guard let id = state.idsByImage[image] else { return .none }
            state.usedIDs.insert(id)
            guard var loaded = state.loaded[image] else { return .stored(rowID: id) }
            state.lookupCount += 1
            loaded.lastLookup = state.lookupCount
            state.loaded[image] = loaded
            return .loaded(loaded.table)
        }
    }

    private func cache(_ table: SymbolData?, of image: ImageID, id: Int64) {
        state.with { state in
            guard state.idsByImage[image] == id, state.loaded[image] == nil else { return }
            state.lookupCount += 1
            state.loaded[image] = LoadedTable(table: table, id: id, lastLookup: state.lookupCount)
            state.bytes += table?.size ?? 0
            while state.bytes > maxMemoryBytes, state.loaded.count > 1,
                let oldest = state.loaded.min(by: { $0.value.lastLookup < $1.value.lastLookup })
            {
                state.bytes -= oldest.value.table?.size ?? 0
                state.loaded[oldest.key] = nil
            }
        }
    }

    /// Records that the tables of these images were used. Call it when a cached group of reports, whose names came from these
    /// tables, is used again.
    func recordUse(of images: Set<String>) {
        state.with { state in
            for image in images {
                if let id = ImageID(image).flatMap({ state.idsByImage[$0] }) { state.usedIDs.insert(id) }
            }
        }
    }

    /// Stores which tables were used, so that they do not expire.
    func storeUse(now: Int64) throws(StoreError) {
        let usedIDs = state.with { state in
            defer { state.usedIDs = [] }
            return state.usedIDs
        }
        guard !usedIDs.isEmpty else { return }
        do throws(StoreError) {
            try store.recordUse(ofSymbols: usedIDs.sorted(), now: now)
        } catch {
            state.with { $0.usedIDs.formUnion(usedIDs) }
            throw error
        }
    }

    /// Decodes a table from its stored form.
    static func read(_ body: [UInt8]) -> SymbolData? {
        var inflater = Inflater(limits: Inflater.Limits(outputBytes: SymbolTable.Limits.bytes, ratio: 1_032))
        var bytes: [UInt8] = []
        guard (try? inflater.inflate(body, into: &bytes)) != nil, (try? inflater.finish()) != nil else {
            return nil
        }
        return try? SymbolData(bytes)
    }

    /// Returns the stored form of a table, which is compressed.
    static func compressed(_ table: [UInt8]) -> [UInt8] { Gzip.deflate(table) }
}

/// Symbolicator of the frames of one or several reports. It records the images whose tables gave names, and the error if a
/// table could not be read.
struct FrameSymbolicator {
    let symbolTables: SymbolTableCache?
    var reader: (any StoreReader)?
    /// `false` uses only tables in memory, for an event loop, which must not wait for the disk.
    private let readsTables: Bool
    /// Images whose tables gave names.
    private(set) var usedImages: Set<String> = []
    private(set) var readError: StoreError?
    /// `true` if a table would have to be read, and ``readsTables`` is `false`. The frames may lack names.
    private(set) var lacksTable = false

    init(symbolTables: SymbolTableCache?, reader: (any StoreReader)? = nil, readsTables: Bool = true) {
        self.symbolTables = symbolTables
        self.reader = reader
        self.readsTables = readsTables
    }

    /// Returns the functions at a location in an image; empty if they have no names. Also empty after a ``readError``.
    mutating func calls(_ imageID: String, _ location: CodeLocation) -> [SymbolicatedFrame] {
        guard let symbolTables, readError == nil, !lacksTable else { return [] }
        guard readsTables else {
            let calls = symbolTables.callsInMemory(in: imageID, at: location)
            lacksTable = calls == nil
            if calls?.isEmpty == false { usedImages.insert(imageID) }
            return calls ?? []
        }
        do throws(StoreError) {
            let calls = try symbolTables.calls(in: imageID, at: location, reader: reader)
            if !calls.isEmpty { usedImages.insert(imageID) }
            return calls
        } catch {
            readError = error
            return []
        }
    }
}
