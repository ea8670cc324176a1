internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore
internal import LeakPlatform

/// Worker that stores and removes symbols.
///
/// Its own thread handles one request after another, because naming the frames of stored leaks may take long.
final class SymbolUploadWorker: Sendable {
    /// Times after an upload at which the frames of stored leaks are named again. This is needed because reports that were
    /// grouped before the upload may be counted after it, and because other collectors on the same database notice an upload
    /// up to a second later.
    private static let passDelays: [Duration] = [.seconds(5), .seconds(60)]
    /// When a collector starts, it names frames again for the uploads that are at most this old.
    private static let maxUploadAgeMilliseconds: Int64 = 10 * 60_000

    private let jobs = JobQueue<any StoreReader>(
        limit: 9,
        fullProblem: .unavailable(
            "too many uploads of symbols are waiting; try again", kind: .overloaded, afterSeconds: 5),
        stoppingProblem: .unavailable(
            "the collector is stopping; upload the symbols again", kind: .stopping, afterSeconds: 5))
    /// The passes that will name frames again: the spellings of an image, and the time at which its pass is due.
    private let scheduledPasses = Guarded<[(spellings: [String], due: ContinuousClock.Instant)]>([])
    private let store: any Store
    private let symbolTables: SymbolTableCache
    private let log: Log
    private let now: @Sendable () -> Int64

    init(store: any Store, symbolTables: SymbolTableCache, log: Log, now: @escaping @Sendable () -> Int64) {
        self.store = store
        self.symbolTables = symbolTables
        self.log = log
        self.now = now
    }

    // MARK: Requests

    /// Checks a table and enqueues it. The response is sent when the table is stored and the frames of stored leaks are named.
    func put(_ bytes: [UInt8], _ change: ChangeRequest) throws(Problem) {
        let table: SymbolData
        do throws(SymbolTable.Invalid) {
            table = try SymbolData(bytes)
        } catch {
            throw Problem.invalidBody(error.description)
        }
        jobs.add(
            change.work("storing symbols") { [self] reader in
                try put(table, bytes: bytes, by: change.origin, reader: reader)
            })
    }

    /// Enqueues the removal of the symbols of an image. The response is sent when they are removed.
    func remove(_ image: ImageID, _ change: ChangeRequest) {
        jobs.add(
            change.work("removing symbols") { [self] reader in
                let entry = AuditEntry(
                    .removeSymbols, of: "image \(image)", by: change.origin, at: now())
                guard
                    try store.removeSymbols(.image, of: image.description, audit: entry)
                        || store.removeSymbols(.mapping, of: image.description, audit: entry)
                else {
                    throw Problem(
                        .notFound,
                        "there are no symbols of image \(image); collector symbols list shows the images")
                }
                try symbolTables.refresh(from: reader)
                return JSONResponse.json { $0.field("image", image.description) }
            })
    }

    // MARK: The thread

    /// Starts the thread, and schedules a pass for each upload that is at most ten minutes old.
    func start() throws(StoreError) -> WorkerThread {
        // The reader is created here, but used only on the thread.
        nonisolated(unsafe) let reader = try store.makeReader()
        try symbolTables.refresh(from: unsafe reader)
        let recentUploads = try unsafe reader.symbols().filter {
            $0.uploadedAt > now() - Self.maxUploadAgeMilliseconds
        }
        let due = ContinuousClock.now + Self.passDelays[0]
        let spellings = recentUploads.map { upload in
            upload.kind == .mapping ? [upload.name] : ImageID(upload.image)?.spellings ?? []
        }
        scheduledPasses.with { $0 = spellings.map { ($0, due) } }
        return WorkerThread(name: "symbols") { [self] in
            while true {
                let nearest = scheduledPasses.with { $0.map(\.due).min() }
                switch unsafe jobs.runNext(with: reader, timeout: nearest.map { $0 - .now }, log: log) {
                case .ran: break
                case .timedOut: unsafe symbolicateAgain(takeDueSpellings(), reader)
                case .stopped: return
                }
            }
        }
    }

    /// Rejects the waiting requests. The thread ends before it names the next leak.
    func stop() { jobs.cancel() }

    /// Removes and returns the spellings of the images whose frames are due to be named again.
    private func takeDueSpellings() -> [String] {
        scheduledPasses.with { passes in
            let now = ContinuousClock.now
            let due = passes.filter { $0.due <= now }
            passes.removeAll { $0.due <= now }
            return due.flatMap(\.spellings)
        }
    }

    private func symbolicateAgain(_ spellings: [String], _ reader: any StoreReader) {
        do {
            _ = try symbolicator(reader).nameFrames(with: spellings) { !jobs.isStopping }
        } catch {
            log.warning(
                "the frames of some stored leaks could not be named: \(error); if names are missing in a minute, upload the symbols again"
            )
        }
    }

    private func symbolicator(_ reader: any StoreReader) -> LeakSymbolicator {
        LeakSymbolicator(store: store, reader: reader, symbolTables: symbolTables, now: now())
    }

    private func put(
        _ table: SymbolData, bytes: [UInt8], by origin: ChangeOrigin, reader: any StoreReader
    ) throws -> Response {
        let time = now()
        let compressedTable = SymbolTableCache.compressed(bytes)
        let symbols = StoredSymbols(
            kind: table.kind, image: table.image.description, name: table.imageName, uploadedAt: time,
            usedAt: time,
            bytes: compressedTable.count)
        let entry = AuditEntry(
            .uploadSymbols, of: "image \(table.image)", details: table.imageName, by: origin, at: time)
        let storeResult = try store.put(symbols, body: compressedTable, audit: entry)
        if case .full(let others) = storeResult {
            return Problem(
                .insufficientStorage,
                "the symbols of other images take \(others >> 20) MiB, so this table of \(compressedTable.count >> 10) KiB does "
                    + "not fit: remove some (collector symbols list, collector symbols remove IMAGE)"
            ).response
        }
        try symbolTables.refresh(from: reader)
        scheduledPasses.with { passes in
            let now = ContinuousClock.now
            passes += Self.passDelays.map { (table.spellings, now + $0) }
        }
        let outcome = try symbolicator(reader).nameFrames(with: table.spellings) { !jobs.isStopping }
        let namedLeaks = countText(outcome.namedCount, of: "leak")
        let mergedCount = outcome.mergedCount
        let mergeNote =
            mergedCount == 0 ? "" : ", and \(mergedCount) of them \(mergedCount == 1 ? "was" : "were") merged"
        log.info(
            "symbols of \(TerminalText.text(table.imageName)) (\(table.image)): \(namedLeaks) got function names\(mergeNote)"
        )
        return JSONResponse.json { writer in
            writer.field("image", table.image.description)
            writer.field("name", table.imageName)
            writer.field("ranges", table.rangeOrClassCount)
            writer.field("bytes", compressedTable.count)
            writer.field("replaced", storeResult == .replaced)
            writer.field("leaks_named", outcome.namedCount)
            writer.field("leaks_merged", outcome.mergedCount)
        }
    }
}

extension JSONWriter {
    /// Writes the list of the symbols in the store.
    mutating func fields(of symbols: [StoredSymbols]) {
        array("symbols") { writer in
            for storedSymbols in symbols {
                writer.object { writer in
                    writer.field("image", storedSymbols.image)
                    writer.field("name", storedSymbols.name)
                    writer.time("uploaded_at", storedSymbols.uploadedAt)
                    writer.time("used_at", storedSymbols.usedAt)
                    writer.field("bytes", storedSymbols.bytes)
                }
            }
        }
    }
}
