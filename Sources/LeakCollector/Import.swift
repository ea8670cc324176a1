internal import LeakMessage
public import LeakStore

/// Counts lines of JSON as if each had been sent: `collector import`.
///
/// A line counts once within seven days by its number and its bytes, so that an import that was cut short is simply
/// repeated, and a file that has grown is imported again for what is new.
public struct Import {
    public struct Result: Sendable {
        public var lines = 0
        /// Reports on disk and counted by this import.
        public var accepted = 0
        /// Lines that were counted before.
        public var repeated = 0
        public var rejected = 0
    }

    /// Bytes of a line, as of a request's body.
    public static let lineBytes = 1 << 20
    /// Lines in one call of the store, so that a server on the same database has its turn between two.
    private static let linesPerCommit = 500
    /// Reports of them: a line may hold many.
    private static let reportsPerCommit = 1_000

    public private(set) var result = Result()
    private let store: any Store
    private let app: String?
    private let now: Int64
    private let refused: (_ line: Int, _ reason: String) -> Void
    private var cache = GroupCache()
    private var waiting: [Submission] = []
    private var waitingReports = 0
    /// Not a key of the database: imports have idempotency keys of their own.
    private let key = Credential(id: 0, purpose: .ingest, name: "import", hash: [], createdAt: 0)

    /// - Parameters:
    ///   - app: of reports that name none.
    ///   - now: milliseconds since 1970, the time of receipt.
    ///   - refused: told of each line, or report in it, that is not counted, and why.
    public init(
        store: any Store, app: String?, now: Int64,
        refused: @escaping (_ line: Int, _ reason: String) -> Void
    ) {
        self.store = store
        self.app = app
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
        let number = Array("\(result.lines)\n".utf8)
        let letter = Letter(
            body: bytes, format: .json, app: app, version: nil,
            idempotencyKey: LeakID(bytes: SHA256.hash(number + bytes)).description, receivedAt: now)
        do throws(Problem) {
            let reception = try Reception(letter, key: key, cache: &cache)
            for rejection in reception.rejected { refuse(rejection.reason) }
            waiting.append(reception.submission)
            waitingReports += reception.submission.sightings.count
        } catch {
            refuse(error.column.map { "\(error.detail) (column \($0))" } ?? error.detail)
        }
        guard waiting.count >= Self.linesPerCommit || waitingReports >= Self.reportsPerCommit else { return }
        try flush()
    }

    /// Writes what waits.
    public mutating func flush() throws(StoreError) {
        while !waiting.isEmpty {
            let receipts = try store.count(waiting, now: now)
            for (submission, receipt) in zip(waiting, receipts) {
                if receipt == .counted {
                    result.accepted += submission.sightings.count
                } else {
                    result.repeated += 1
                }
            }
            waiting.removeFirst(receipts.count)
        }
        waitingReports = 0
        try store.tidy(now: now)
    }

    private mutating func refuse(_ reason: String) {
        result.rejected += 1
        refused(result.lines, reason)
    }
}
