internal import LeakGrammar
internal import LeakMessage
public import LeakStore

/// Import of lines of JSON, which are counted as if each had been sent: `collector import`.
///
/// A line counts once within seven days. It is identified by its line number, its bytes and all values of its ``Source``.
/// Therefore an interrupted import can simply be repeated. A file that has grown can be imported again to count its new lines.
/// Rejected lines count once they are corrected.
public struct Import {
    public struct Result: Sendable {
        public var lineCount = 0
        /// Sightings that this import wrote to disk and counted: one for each report, or one for each leak that the
        /// report's text describes.
        public var acceptedCount = 0
        /// Lines that were counted before.
        public var repeatedLineCount = 0
        /// Rejected lines, and rejected reports in other lines.
        public var rejectedCount = 0
        /// Accepted reports that do not count at their own time: reports older than 30 days count as 30 days old, and
        /// reports more than a day ahead count as received now.
        public var clampedTimeCount = 0
        /// Error of the checkpoint at the end. The reports are counted even if the checkpoint failed.
        public var checkpointError: StoreError?
    }

    /// Source of lines, with the app, environment and version of reports that name none.
    public struct Source: Sendable {
        /// Name that distinguishes the source's lines from those of other sources: a path.
        public var name: String
        public var app: AppScope
        public var version: String?

        public init(
            name: String, app: AppScope = nil, version: String? = nil
        ) {
            self.name = name
            self.app = app
            self.version = version
        }
    }

    /// Maximum bytes of a line: the default limit of a request's body.
    public static let maxLineBytes = 1 << 20
    /// Maximum lines per call of the store, so that a server on the same database can write between two calls.
    private static let maxLinesPerCommit = 500
    /// Maximum number of sightings before the waiting lines are written. A line may contain many reports.
    private static let maxSightingsPerCommit = 1_000

    public private(set) var result = Result()
    private let store: any Store
    private let source: Source
    private let now: Int64
    private let onRejection: (_ line: Int, _ reason: String) -> Void
    private let rules = RulesCache()
    private var cache: GroupCache
    private var pendingBuilders: [SubmissionBuilder] = []
    private var pendingSightingCount = 0
    /// The ingest key of all imports. It is not in the database. It keeps the idempotency keys of imports apart from those
    /// of requests.
    private let key = Credential(id: 0, purpose: .ingest, name: "import", hash: [], createdAt: 0)

    /// - Parameters:
    ///   - store: best opened with ``StoreLimits/forImports``.
    ///   - now: milliseconds since 1970, the time of receipt.
    ///   - onRejection: called for each line, or report in a line, that is not counted, with the reason.
    public init(
        store: any Store, source: Source, now: Int64,
        onRejection: @escaping (_ line: Int, _ reason: String) -> Void
    ) {
        self.store = store
        self.source = source
        self.now = now
        self.onRejection = onRejection
        cache = GroupCache(rules: rules)
    }

    /// Adds the next line. An empty line is only counted as a line.
    ///
    /// - Throws: ``StoreError`` if lines could not be written. ``result`` counts these lines, but not their reports.
    public mutating func add(line bytes: [UInt8]) throws(StoreError) {
        if result.lineCount == 0 {
            try rules.refresh(from: store.makeReader())
            cache.begin()
        }
        result.lineCount += 1
        guard bytes.contains(where: { $0 > 0x20 }) else { return }
        guard bytes.count <= Self.maxLineBytes else {
            reject("the line is \(bytes.count) bytes, the limit is \(Self.maxLineBytes)")
            return
        }
        let ingestRequest = IngestRequest(
            body: bytes, format: .json, app: source.app.app, version: source.version,
            environment: source.app.environment, idempotencyKey: idempotencyKey(of: bytes), receivedAt: now)
        do throws(Problem) {
            let builder = try SubmissionBuilder(ingestRequest, key: key, cache: &cache)
            for rejection in builder.rejected { reject(rejection.reason) }
            pendingBuilders.append(builder)
            pendingSightingCount += builder.submission.sightings.count
        } catch {
            reject(error.column.map { "\(error.detail) (column \($0))" } ?? error.detail)
        }
        guard
            pendingBuilders.count >= Self.maxLinesPerCommit
                || pendingSightingCount >= Self.maxSightingsPerCommit
        else {
            return
        }
        try flush()
    }

    private func idempotencyKey(of line: [UInt8]) -> String {
        // A zero byte ends each part before the line, because no name contains a zero byte.
        let environment = source.app.environment == AppKey.production ? [] : [source.app.environment]
        let parts =
            [source.name, source.app.app ?? "", source.version ?? "", "\(result.lineCount)"] + environment
        return LeakID(bytes: SHA256Hash.hash(parts.flatMap { $0.utf8 + [0] } + line)).description
    }

    /// Writes the waiting lines.
    public mutating func flush() throws(StoreError) {
        while !pendingBuilders.isEmpty {
            let receipts = try store.count(pendingBuilders.map(\.submission), now: now)
            for (builder, receipt) in zip(pendingBuilders, receipts) {
                if receipt == .counted {
                    result.acceptedCount += builder.submission.sightings.count
                    result.clampedTimeCount += builder.clampedTimeCount
                } else {
                    result.repeatedLineCount += 1
                }
            }
            pendingBuilders.removeFirst(receipts.count)
        }
        pendingSightingCount = 0
        do throws(StoreError) {
            try store.checkpointIfNeeded(now: now)
            result.checkpointError = nil
        } catch {
            result.checkpointError = error
        }
    }

    /// Returns the limits that were exceeded since an earlier call, each with the number of items beyond the limit: see
    /// ``OverLimitCount``. The numbers include items that a server on the same database counted.
    ///
    /// - Parameter earlierCounts: the result of the earlier call.
    public static func readOverLimitCounts(
        in store: any Store, since earlierCounts: [OverLimitCount] = [], now: Int64
    ) throws(StoreError) -> [OverLimitCount] {
        let reader = try store.makeReader()
        var counts: [OverLimitCount] = []
        for environment in try reader.environments(app: nil) {
            counts += try reader.overview(app: AppScope(nil, environment: environment), now: now).overLimit
        }
        return counts.compactMap { limit in
            var added = limit
            added.count -= earlierCounts.first { $0.app == limit.app && $0.limit == limit.limit }?.count ?? 0
            return added.count > 0 ? added : nil
        }
    }

    private mutating func reject(_ reason: String) {
        result.rejectedCount += 1
        onRejection(result.lineCount, reason)
    }
}
