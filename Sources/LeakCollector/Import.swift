internal import LeakGrammar
internal import LeakMessage
public import LeakStore

/// Counts lines of JSON as if each had been sent: `collector import`.
///
/// A line counts once within seven days by its source's name, its number and its bytes, and by the app and version that
/// it is counted for where it names none: so an import that was cut short is simply repeated, a file that has grown is
/// imported again for what is new, and refused lines that were mended count.
public struct Import {
    public struct Result: Sendable {
        public var lines = 0
        /// Reports on disk and counted by this import.
        public var accepted = 0
        /// Lines that were counted before.
        public var repeated = 0
        public var rejected = 0
        /// Reports among the accepted that count at another time than theirs: older than 30 days, 30 days ago; more than a
        /// day ahead, now.
        public var moved = 0
        /// Why the store could not be tidied in the end: everything is counted nevertheless.
        public var untidy: StoreError?
    }

    /// Where lines come from, and what holds for reports that do not say.
    public struct Source: Sendable {
        /// What tells its lines from those of other sources: a path.
        public var name: String
        public var app: String?
        public var version: String?

        public init(name: String, app: String? = nil, version: String? = nil) {
            self.name = name
            self.app = app
            self.version = version
        }
    }

    /// Bytes of a line, as of a request's body.
    public static let lineBytes = 1 << 20
    /// Lines in one call of the store, so that a server on the same database has its turn between two.
    private static let linesPerCommit = 500
    /// Reports of them: a line may hold many.
    private static let reportsPerCommit = 1_000

    public private(set) var result = Result()
    private let store: any Store
    private let source: Source
    private let now: Int64
    private let refused: (_ line: Int, _ reason: String) -> Void
    private var cache = GroupCache()
    private var waiting: [Reception] = []
    private var waitingReports = 0
    /// Not a key of the database: imports have idempotency keys of their own.
    private let key = Credential(id: 0, purpose: .ingest, name: "import", hash: [], createdAt: 0)

    /// - Parameters:
    ///   - store: best with ``StoreLimits/forImports``.
    ///   - now: milliseconds since 1970, the time of receipt.
    ///   - refused: told of each line, or report in it, that is not counted, and why.
    public init(
        store: any Store, source: Source, now: Int64,
        refused: @escaping (_ line: Int, _ reason: String) -> Void
    ) {
        self.store = store
        self.source = source
        self.now = now
        self.refused = refused
    }

    /// Takes the next line; an empty one counts as a line and is nothing else.
    ///
    /// - Throws: ``StoreError`` when lines could not be written: those that ``result`` does not name.
    public mutating func add(line bytes: [UInt8]) throws(StoreError) {
        result.lines += 1
        guard bytes.contains(where: { $0 > 0x20 }) else { return }
        guard bytes.count <= Self.lineBytes else {
            refuse("the line is \(bytes.count) bytes, at most \(Self.lineBytes)")
            return
        }
        let letter = Letter(
            body: bytes, format: .json, app: source.app, version: source.version,
            idempotencyKey: idempotencyKey(of: bytes), receivedAt: now)
        do throws(Problem) {
            let reception = try Reception(letter, key: key, cache: &cache)
            for rejection in reception.rejected { refuse(rejection.reason) }
            waiting.append(reception)
            waitingReports += reception.submission.sightings.count
        } catch {
            refuse(error.column.map { "\(error.detail) (column \($0))" } ?? error.detail)
        }
        guard waiting.count >= Self.linesPerCommit || waitingReports >= Self.reportsPerCommit else { return }
        try flush()
    }

    private func idempotencyKey(of line: [UInt8]) -> String {
        // Zeros end what comes before the line: no name holds one.
        let parts = [source.name, source.app ?? "", source.version ?? "", "\(result.lines)"]
        return LeakID(bytes: SHA256.hash(parts.flatMap { $0.utf8 + [0] } + line)).description
    }

    /// Writes what waits.
    public mutating func flush() throws(StoreError) {
        while !waiting.isEmpty {
            let receipts = try store.count(waiting.map(\.submission), now: now)
            for (reception, receipt) in zip(waiting, receipts) {
                if receipt == .counted {
                    result.accepted += reception.submission.sightings.count
                    result.moved += reception.movedCount
                } else {
                    result.repeated += 1
                }
            }
            waiting.removeFirst(receipts.count)
        }
        waitingReports = 0
        do throws(StoreError) {
            try store.tidy(now: now)
            result.untidy = nil
        } catch {
            result.untidy = error
        }
    }

    /// What has been counted as ``StoreLimits/other``, or left out, since an earlier answer; by a server on the same database
    /// too.
    ///
    /// - Parameter former: that answer.
    public static func beyond(
        in store: any Store, since former: [BeyondLimit] = [], now: Int64
    ) throws(StoreError) -> [BeyondLimit] {
        try store.makeReader().overview(app: nil, now: now).beyond.compactMap { limit in
            let before = former.first { $0.app == limit.app && $0.limit == limit.limit }?.count ?? 0
            return limit.count > before
                ? BeyondLimit(app: limit.app, limit: limit.limit, count: limit.count - before) : nil
        }
    }

    private mutating func refuse(_ reason: String) {
        result.rejected += 1
        refused(result.lines, reason)
    }
}
