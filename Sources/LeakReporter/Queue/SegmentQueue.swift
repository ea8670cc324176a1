import LeakMessage

/// The segments that wait, on the disk as far as it takes them and in memory else.
///
/// Owned by the reporter's own thread. Every record is written with the next ``commit()``; until then, and where the
/// disk fails, it is in memory.
struct SegmentQueue {
    /// What is posted: one segment.
    struct Batch: Hashable, Sendable {
        let key: String
        let body: [UInt8]
        /// Sightings of each report, in the order of the body.
        let counts: [Int]

        var sightings: Int { counts.reduce(0, +) }
    }

    /// What became of sightings; all are sums since the queue was made.
    struct Tally: Hashable, Sendable {
        var sent = 0
        var dropped: [LeakReporter.DropReason: Int] = [:]
        /// Those that survive the end of the process: on the disk, or delivered.
        var stored = 0
        var batches = 0
        /// Explanations, of which the sums above know nothing.
        var sentExplanations = 0
        var droppedExplanations = 0
    }

    let bounds: LeakReporter.Bounds
    /// True if few bytes of the day are left. Repeats and checks wait an hour; new leaks do not.
    var isSparing = false
    /// Whose reports they are from now on; a segment has one origin.
    private(set) var origin: SegmentHeader
    /// `nil` keeps everything in memory.
    let folder: (any SegmentFolder)?
    var open: OpenSegment?
    /// Closed ones, oldest first.
    var waiting: [HeldSegment] = []
    /// The key of the one that is on its way.
    var awayKey: String?
    var tally = Tally()
    /// Why the disk takes nothing; `nil` while it does.
    var failure: String?
    /// That of the last write.
    private(set) var saveFailure: FileFailure?
    /// Drops that the collector has not been told of and that stand in no segment yet.
    private var untold: [String: Int] = [:]
    /// Files that are done with and could not be removed.
    private(set) var lingering: [String: FileFailure] = [:]
    /// The number of the record that is being taken.
    var ticket: UInt64 = 0
    /// Until when nothing is sent of an app, by its id: the collector said that the key may not write for it.
    private(set) var forbiddenApps: [String: Moment] = [:]

    /// The batches that are tried again at times of their own.
    var retries = BatchRetries()

    /// Makes the keys of batches and the ids of reports and sessions.
    let makeID: (WireTime) -> String

    init(
        bounds: LeakReporter.Bounds, origin: SegmentHeader, folder: (any SegmentFolder)?,
        makeID: @escaping (WireTime) -> String = { SightingID.make(at: $0) }
    ) {
        self.bounds = bounds
        self.origin = origin
        self.folder = folder
        self.makeID = makeID
        batchReports = bounds.batchReports
    }

    /// Reports for the next batch: halved by each 413, doubled by each success.
    var batchReports: Int

    /// Sightings that are not delivered.
    var waitingSightings: Int {
        waiting.reduce(0) { $0 + $1.sightings + $1.damaged } + (open?.held.sightings ?? 0)
    }

    /// Explanations that are not delivered.
    var waitingExplanations: Int {
        waiting.reduce(0) { $0 + $1.explanations } + (open?.held.explanations ?? 0)
    }

    var isEmpty: Bool { waiting.isEmpty && open == nil && untold.isEmpty }

    /// Up to which number everything is delivered or thrown away.
    func settledThrough(_ last: UInt64) -> UInt64 {
        let first = (waiting.map(\.firstTicket) + [open?.held.firstTicket].compactMap(\.self)).min()
        return first.map { max($0, 1) - 1 } ?? last
    }

    // MARK: Apps that the key may not write for

    mutating func forbid(_ appID: String?, until moment: Moment) { forbiddenApps[appID ?? ""] = moment }

    mutating func endForbidding(at now: Now) {
        for (app, moment) in forbiddenApps where moment <= now.moment { forbiddenApps[app] = nil }
    }

    /// When a segment may be sent at the earliest.
    func release(of held: HeldSegment) -> Moment {
        max(
            forbiddenApps[held.appID ?? ""] ?? .distantPast,
            retries.retryAt(held.key, wasSent: held.sentAt != nil))
    }

    /// True if some segments may be sent later than others.
    var hasReleases: Bool { !forbiddenApps.isEmpty || !retries.isEmpty }

    // MARK: What comes in

    /// What comes from now on is of another install.
    mutating func change(_ body: (inout SegmentHeader) -> Void) {
        var changed = origin
        body(&changed)
        guard changed != origin else { return }
        origin = changed
        close()
    }

    private static let sparingMilliseconds = 3_600_000

    private func gatherMilliseconds(_ usual: Int) -> Int {
        isSparing ? max(usual, Self.sparingMilliseconds) : usual
    }

    /// As many as the collector takes where bytes are to be spared, unless it has refused a batch for its length.
    private var lineLimit: Int {
        isSparing && batchReports == bounds.batchReports ? WireLimits.leaksCount : batchReports
    }

    private func isFull(for json: [UInt8]) -> Bool {
        guard let open else { return false }
        return Int(open.lineCount) >= lineLimit || open.held.bytes + json.count > bounds.batchBytes
    }

    /// The bytes that a report adds to the body of a batch. The first one of a batch has those of the head as well.
    func sentBytes(of json: [UInt8]) -> Int {
        let bytes = json.count + Self.countBytes
        guard let open, open.lineCount > 0, !isFull(for: json) else { return bytes + headBytes }
        return bytes
    }

    /// `,"count":1000,"alive":1000}` and a comma.
    private static let countBytes = 29

    private var headBytes: Int {
        Segment([]).head(origin, sentAt: WireTime(milliseconds: 0)).count + LeakBatch.tailJSON.count
    }

    /// Adds a sighting to a report that waits in the open segment.
    ///
    /// - Returns: whether there is one.
    mutating func fold(_ key: FoldingKey, count: Int, alive: Int?, at now: Now) -> Bool {
        guard let line = open?.lines[key], line.count + count <= WireLimits.count else { return false }
        if let open, open.held.bytes >= bounds.batchBytes {
            close()
            return false
        }
        open?.lines[key]?.count += count
        let before = open?.again[line.index]
        open?.again[line.index] = (
            (before?.count ?? 0) + count, [before?.alive, alive].compactMap(\.self).max()
        )
        let wait = gatherMilliseconds(bounds.gatherRepeatsMilliseconds)
        open?.isDue(by: now.moment.advanced(byMilliseconds: wait))
        addSightings(count)
        return true
    }

    /// Adds a report.
    ///
    /// - Parameters:
    ///   - json: ``LeakReport/openJSON()``.
    ///   - isNew: whether such a leak has not been seen in this session, so that it is due soon.
    mutating func add(
        _ json: [UInt8], _ key: FoldingKey, count: Int, alive: Int?, isNew: Bool, at now: Now
    ) {
        if isFull(for: json) { close() }
        begin(at: now)
        guard let index = open?.lineCount else { return }
        open?.lineCount += 1
        open?.lines[key] = OpenSegment.Line(index: index, count: count)
        let report = SegmentReport(
            index: index, count: UInt32(clamping: count), alive: alive.map { UInt32(clamping: $0) },
            json: json[...])
        open?.append(.report(report))
        let wait = isNew ? bounds.gatherMilliseconds : gatherMilliseconds(bounds.gatherRepeatsMilliseconds)
        open?.isDue(by: now.moment.advanced(byMilliseconds: wait))
        addSightings(count)
    }

    private mutating func addSightings(_ count: Int) {
        open?.held.sightings += count
        open?.held.unsavedSightings += count
    }

    mutating func add(_ checks: [ClassChecks], at now: Now) {
        for check in checks where check.count > 0 && !check.className.isEmpty {
            let name = check.className.prefix(utf8: WireLimits.classBytes)
            append([.checks(ClassChecks(className: name, count: check.count))], at: now)
        }
    }

    /// - Parameter explanation: JSON of a report.
    mutating func add(explanation: [UInt8], at now: Now) {
        append([.explanation(explanation[...])], at: now)
    }

    mutating func add(_ session: EndedSession, at now: Now) {
        var session = session
        session.id = session.id.prefix(utf8: WireLimits.sessionIDBytes)
        append([.session(session)], at: now)
    }

    /// Takes a session over from its log, which goes. While that is there, a killed process leaves one of the two.
    ///
    /// - Parameters:
    ///   - session: `nil` when there is nothing to be told of it.
    ///   - other: whose it is, where that may be an earlier build or another user.
    mutating func add(
        _ session: EndedSession?, log: String, of other: SegmentHeader? = nil, at now: Now
    ) {
        var successor: String?
        if let session {
            let own = origin
            change { $0 = other ?? own }
            add(session, at: now)
            write([], at: now)
            successor = open?.held.key
            change { $0 = own }
        }
        removeFile(log)
        if let successor { holdBack(successor, until: [log]) }
    }

    /// Counts sightings that were thrown away, and has the collector told of those that it does not know of.
    mutating func drop(_ count: Int, _ reason: LeakReporter.DropReason) {
        guard count > 0 else { return }
        tally.dropped[reason, default: 0] += count
        if reason.isTold { untold[reason.rawValue, default: 0] += count }
    }

    /// Counts an explanation that is not kept. The collector is not told: it counts none.
    mutating func dropExplanation() { tally.droppedExplanations += 1 }

    /// Has the collector told what a segment was to tell.
    mutating func tell(_ drops: [DroppedReports]) {
        for drop in drops {
            let (sum, isTooLarge) = untold[drop.reason, default: 0].addingReportingOverflow(drop.count)
            untold[drop.reason] = isTooLarge ? .max : sum
        }
    }

    /// Tells the collector nothing of what was thrown away so far.
    mutating func forgetDrops() { untold = [:] }

    private mutating func append(_ records: [SegmentRecord], isDue: Bool = true, at now: Now) {
        guard !records.isEmpty else { return }
        // All in one segment and with that in one write: what takes a segment's place is there as a whole or not at all.
        if let open,
            open.recordCount + records.count > WireLimits.checksCount || open.held.bytes >= bounds.batchBytes
        {
            close()
        }
        begin(at: now)
        for record in records { open?.append(record) }
        guard isDue, !records.allSatisfy(\.isReplaces) else { return }
        let wait = gatherMilliseconds(bounds.gatherDenominatorsMilliseconds)
        open?.isDue(by: now.moment.advanced(byMilliseconds: wait))
    }

    private mutating func begin(at now: Now) {
        guard open == nil else { return }
        var header = origin
        header.key = makeID(now.wallTime)
        open = OpenSegment(header, ticket: ticket)
    }

    // MARK: Onto the disk

    /// Writes down what came in, in one write, and throws away what is too much.
    mutating func commit(at now: Now) {
        for index in waiting.indices where !waiting[index].unsaved.isEmpty {
            var held = waiting[index]
            save(&held)
            waiting[index] = held
        }
        write([], at: now)
        for name in lingering.keys.sorted() { removeFile(name) }
        enforceBounds(at: now)
    }

    /// Writes down what came in, and `records` with it.
    ///
    /// - Parameter isDue: whether `records` are worth a request of their own.
    mutating func write(_ records: [SegmentRecord], isDue: Bool = true, at now: Now) {
        let drops = untold.sorted { $0.key < $1.key }.map {
            SegmentRecord.dropped(reason: $0.key, count: UInt64($0.value))
        }
        untold = [:]
        append(records + drops, isDue: isDue || !drops.isEmpty, at: now)
        open?.settleAgain()
        guard var held = open?.held else { return }
        save(&held)
        open?.held = held
    }

    /// Closes the open segment: what comes from now on goes into another.
    mutating func close() {
        open?.settleAgain()
        guard var held = open?.held else { return }
        save(&held)
        waiting.insert(held, at: waiting.firstIndex(where: \.isDeclined) ?? waiting.endIndex)
        open = nil
    }

    /// Files that may wait for their removal before no more are made: where files can be made and not removed, the disk
    /// would fill up.
    static let lingeringLimit = 256

    mutating func save(_ held: inout HeldSegment) {
        guard let folder, !held.unsaved.isEmpty, !held.isContentFixed else { return }
        if !held.hasFile, lingering.count >= Self.lingeringLimit, let (_, failure) = lingering.first {
            saveFailure = failure
            self.failure = failure.description
            return
        }
        held.hasFile = true
        let (written, failure) = folder.append(held.unsaved, to: held.fileName)
        held.savedBytes += written
        // Not `removeFirst`, which would keep the room of each segment that is on the disk.
        held.unsaved = Array(held.unsaved[written...])
        saveFailure = failure
        self.failure = failure?.description
        guard failure == nil else { return }
        tally.stored += held.unsavedSightings
        held.unsavedSightings = 0
    }

    func read(_ held: HeldSegment) throws(FileFailure) -> [UInt8] {
        guard held.savedBytes > 0, let folder else { return held.unsaved }
        return try folder.read(held.fileName) + held.unsaved
    }

    mutating func remove(_ held: HeldSegment) {
        waiting.removeAll { $0.key == held.key }
        retries.remove(held.key)
        if held.hasFile { removeFile(held.fileName) }
    }

    /// Keeps a segment from being sent until those of the files are gone that could not be removed.
    mutating func holdBack(_ key: String, until names: some Sequence<String>) {
        let left = names.filter { lingering[$0] != nil }
        guard !left.isEmpty else { return }
        if open?.held.key == key {
            open?.held.successorOf.formUnion(left)
        } else if let position = waiting.firstIndex(where: { $0.key == key }) {
            waiting[position].successorOf.formUnion(left)
        }
    }

    mutating func removeFile(_ name: String) {
        do throws(FileFailure) {
            try folder?.remove(name)
            lingering[name] = nil
        } catch {
            lingering[name] = error
        }
    }

    private mutating func enforceBounds(at now: Now) {
        let saved = waiting.reduce(0) { $0 + $1.diskBytes } + (open?.held.diskBytes ?? 0)
        let unsaved = waiting.reduce(0) { $0 + $1.unsaved.count } + (open?.held.unsaved.count ?? 0)
        var excess = (saved: saved - bounds.diskBytes, unsaved: unsaved - bounds.memoryBytes)
        guard excess.saved > 0 || excess.unsaved > 0 else { return }
        // Those that were declined are older than their places say.
        let oldestFirst = waiting.filter(\.isDeclined) + waiting.filter { !$0.isDeclined }
        for held in oldestFirst where held.key != awayKey {
            let helps =
                (excess.saved > 0 && held.savedBytes > 0) || (excess.unsaved > 0 && !held.unsaved.isEmpty)
            guard helps else { continue }
            excess.saved -= held.diskBytes
            excess.unsaved -= held.unsaved.count
            discard(held, .queueFull, at: now)
        }
    }
}

extension SegmentRecord {
    fileprivate var isReplaces: Bool {
        if case .replaces = self { return true }
        return false
    }
}
