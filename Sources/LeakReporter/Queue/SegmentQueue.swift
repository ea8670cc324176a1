import LeakMessage

/// The waiting segments, on the disk if it accepts them, otherwise in memory.
///
/// Owned by the reporter's own thread. Every record is written with the next ``commit(at:)``; until then, or if the disk fails, it
/// is in memory.
struct SegmentQueue {
    /// The content of one request: one segment.
    struct Batch: Hashable, Sendable {
        let key: String
        let body: [UInt8]
        /// The number of sightings of each report, in the order of the body.
        let counts: [Int]

        var sightings: Int { counts.reduce(0, +) }
    }

    /// Counts of sightings by outcome, since the queue was created.
    struct SightingCounts: Hashable, Sendable {
        var sent = 0
        var dropped: [LeakReporter.DropReason: Int] = [:]
        /// Sightings that survive the end of the process: on the disk, or delivered.
        var stored = 0
        var batches = 0
        /// Explanations, which the other counts do not include.
        var sentExplanations = 0
        var droppedExplanations = 0
    }

    let bounds: LeakReporter.Bounds
    /// `true` if more than half of the day's bytes are used. Repeats and checks wait an hour then; new leaks do not.
    var isThrottled = false
    /// The origin of the following reports; a segment has one origin.
    private(set) var origin: SegmentHeader
    /// `nil` keeps everything in memory.
    let folder: (any SegmentFolder)?
    var open: ActiveSegment?
    /// Closed segments, oldest first.
    var waiting: [QueuedSegment] = []
    /// The key of the segment that is being sent.
    var inFlightKey: String?
    var counts = SightingCounts()
    /// The reason why the disk accepts nothing; `nil` if it works.
    var failure: String?
    /// The failure of the last write.
    private(set) var saveFailure: FileFailure?
    /// Dropped reports that have not been reported to the collector and are in no segment yet, by reason.
    private var unreportedDrops: [String: Int] = [:]
    /// Files that are no longer needed but could not be removed.
    private(set) var unremovedFiles: [String: FileFailure] = [:]
    /// The number of the entry that the reporter's thread is processing, counted from 1.
    var sequence: UInt64 = 0
    /// The time until which nothing is sent for an app, by its id, because the collector said that the key may not write for it.
    private(set) var forbiddenApps: [String: MonotonicTime] = [:]

    /// The batches with their own retry times.
    var retries = BatchRetries()

    /// A closure that creates the keys of batches and the ids of reports and sessions.
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

    /// The maximum number of reports in the next batch. A batch that was too large for the collector sets it to half of the reports
    /// of that batch; a delivered batch doubles it, up to ``LeakReporter/Bounds/batchReports``.
    var batchReports: Int

    /// The number of sightings that are not delivered.
    var waitingSightings: Int {
        waiting.reduce(0) { $0 + $1.sightings + $1.damagedSightings } + (open?.queued.sightings ?? 0)
    }

    /// The number of explanations that are not delivered.
    var waitingExplanations: Int {
        waiting.reduce(0) { $0 + $1.explanations } + (open?.queued.explanations ?? 0)
    }

    var isEmpty: Bool { waiting.isEmpty && open == nil && unreportedDrops.isEmpty }

    /// Returns the highest record number up to which everything is delivered or discarded.
    func completedThrough(_ last: UInt64) -> UInt64 {
        let first = (waiting.map(\.firstSequence) + [open?.queued.firstSequence].compactMap(\.self)).min()
        return first.map { max($0, 1) - 1 } ?? last
    }

    // MARK: Apps that the key may not write for

    mutating func forbid(_ appID: String?, until moment: MonotonicTime) {
        forbiddenApps[appID ?? ""] = moment
    }

    mutating func endForbidding(at now: CurrentTime) {
        for (app, moment) in forbiddenApps where moment <= now.moment { forbiddenApps[app] = nil }
    }

    /// Returns the earliest time at which a segment may be sent.
    func releaseTime(of queued: QueuedSegment) -> MonotonicTime {
        max(
            forbiddenApps[queued.appID ?? ""] ?? .distantPast,
            retries.retryTime(of: queued.key, wasSent: queued.sentAt != nil))
    }

    /// `true` if some segments may be sent later than others.
    var hasReleaseTimes: Bool { !forbiddenApps.isEmpty || !retries.isEmpty }

    // MARK: New records

    /// Changes the origin of the following records, and closes the open segment if the origin differs.
    mutating func change(_ body: (inout SegmentHeader) -> Void) {
        var newOrigin = origin
        body(&newOrigin)
        guard newOrigin != origin else { return }
        origin = newOrigin
        close()
    }

    private static let throttledMilliseconds = 3_600_000

    private func gatherMilliseconds(_ usual: Int) -> Int {
        isThrottled ? max(usual, Self.throttledMilliseconds) : usual
    }

    /// The most reports in a batch. If the day's bytes run short, it is the limit of the collector, unless the collector has
    /// rejected a batch for its length.
    private var reportLimit: Int {
        isThrottled && batchReports == bounds.batchReports ? WireLimits.leaksCount : batchReports
    }

    private func isFull(for json: [UInt8]) -> Bool {
        guard let open else { return false }
        return Int(open.reportCount) >= reportLimit || open.queued.bytes + json.count > bounds.batchBytes
    }

    /// Returns the bytes that a report adds to the body of a batch. For the first report of a batch, they include the head.
    func sentBytes(of json: [UInt8]) -> Int {
        let bytes = json.count + Self.countBytes
        guard let open, open.reportCount > 0, !isFull(for: json) else { return bytes + headBytes }
        return bytes
    }

    /// An upper bound for the bytes of `,"count":1000,"alive":1000}` and a comma.
    private static let countBytes = 29

    private var headBytes: Int {
        Segment([]).head(origin, sentAt: WireTime(milliseconds: 0)).count + LeakBatch.tailJSON.count
    }

    /// Adds a sighting to a report that waits in the open segment.
    ///
    /// - Returns: `true` if there is such a report.
    mutating func merge(_ key: ReportMergeKey, count: Int, alive: Int?, at now: CurrentTime) -> Bool {
        guard let report = open?.openReports[key], report.count + count <= WireLimits.count else {
            return false
        }
        if let open, open.queued.bytes >= bounds.batchBytes {
            close()
            return false
        }
        open?.openReports[key]?.count += count
        let previous = open?.repeats[report.index]
        open?.repeats[report.index] = (
            (previous?.count ?? 0) + count, [previous?.alive, alive].compactMap(\.self).max()
        )
        let wait = gatherMilliseconds(bounds.gatherRepeatsMilliseconds)
        open?.setDue(by: now.moment.advanced(byMilliseconds: wait))
        addSightings(count)
        return true
    }

    /// Adds a report.
    ///
    /// - Parameters:
    ///   - json: the report as ``LeakReport/openJSON()`` writes it.
    ///   - isNew: `true` if the leak has not been seen in this session before, so that it is due soon.
    mutating func add(
        _ json: [UInt8], _ key: ReportMergeKey, count: Int, alive: Int?, isNew: Bool, at now: CurrentTime
    ) {
        if isFull(for: json) { close() }
        begin(at: now)
        guard let index = open?.reportCount else { return }
        open?.reportCount += 1
        open?.openReports[key] = ActiveSegment.OpenReport(index: index, count: count)
        let report = SegmentReport(
            index: index, count: UInt32(clamping: count), alive: alive.map { UInt32(clamping: $0) },
            json: json[...])
        open?.append(.report(report))
        let wait = isNew ? bounds.gatherMilliseconds : gatherMilliseconds(bounds.gatherRepeatsMilliseconds)
        open?.setDue(by: now.moment.advanced(byMilliseconds: wait))
        addSightings(count)
    }

    private mutating func addSightings(_ count: Int) {
        open?.queued.sightings += count
        open?.queued.unsavedSightings += count
    }

    mutating func add(_ checks: [ClassChecks], at now: CurrentTime) {
        for check in checks where check.count > 0 && !check.className.isEmpty {
            let name = check.className.prefix(utf8: WireLimits.classBytes)
            append([.checks(ClassChecks(className: name, count: check.count))], at: now)
        }
    }

    /// - Parameter explanation: the JSON of a report with an explanation.
    mutating func add(explanation: [UInt8], at now: CurrentTime) {
        append([.explanation(explanation[...])], at: now)
    }

    mutating func add(_ session: EndedSession, at now: CurrentTime) {
        var session = session
        session.id = session.id.prefix(utf8: WireLimits.sessionIDBytes)
        append([.session(session)], at: now)
    }

    /// Moves a session from its log to a segment, and removes the log. If the process is killed in between, only one of the two
    /// counts.
    ///
    /// - Parameters:
    ///   - session: `nil` if there is nothing to report.
    ///   - sessionOrigin: the origin of the session, if it may be an earlier build or another user.
    mutating func add(
        _ session: EndedSession?, log: String, of sessionOrigin: SegmentHeader? = nil, at now: CurrentTime
    ) {
        var segmentKey: String?
        if let session {
            let currentOrigin = origin
            change { $0 = sessionOrigin ?? currentOrigin }
            add(session, at: now)
            write([], at: now)
            segmentKey = open?.queued.key
            change { $0 = currentOrigin }
        }
        removeFile(log)
        if let segmentKey { block(segmentKey, until: [log]) }
    }

    /// Counts discarded sightings, and reports them to the collector if it does not know about them.
    mutating func drop(_ count: Int, _ reason: LeakReporter.DropReason) {
        guard count > 0 else { return }
        counts.dropped[reason, default: 0] += count
        if reason.isReported { unreportedDrops[reason.rawValue, default: 0] += count }
    }

    /// Counts a dropped explanation. This is not reported to the collector, which does not count explanations.
    mutating func dropExplanation() { counts.droppedExplanations += 1 }

    /// Adds the drops that a removed segment was to report to the collector.
    mutating func addUnreportedDrops(_ drops: [DroppedReports]) {
        for drop in drops {
            let (sum, isTooLarge) = unreportedDrops[drop.reason, default: 0].addingReportingOverflow(
                drop.count)
            unreportedDrops[drop.reason] = isTooLarge ? .max : sum
        }
    }

    /// Discards the drops that have not been reported to the collector yet.
    mutating func forgetDrops() { unreportedDrops = [:] }

    private mutating func append(_ records: [SegmentRecord], isDue: Bool = true, at now: CurrentTime) {
        guard !records.isEmpty else { return }
        // All records go into one segment, so one write saves them: records that replace a segment are written completely or not
        // at all.
        if let open,
            open.recordCount + records.count > WireLimits.checksCount
                || open.queued.bytes >= bounds.batchBytes
        {
            close()
        }
        begin(at: now)
        for record in records { open?.append(record) }
        guard isDue, !records.allSatisfy(\.isReplacement) else { return }
        let wait = gatherMilliseconds(bounds.gatherDenominatorsMilliseconds)
        open?.setDue(by: now.moment.advanced(byMilliseconds: wait))
    }

    private mutating func begin(at now: CurrentTime) {
        guard open == nil else { return }
        var header = origin
        header.key = makeID(now.wallTime)
        open = ActiveSegment(header, sequence: sequence)
    }

    // MARK: Storage

    /// Writes the new records to disk in one write, and discards segments beyond the limits.
    mutating func commit(at now: CurrentTime) {
        for index in waiting.indices where !waiting[index].unsavedBytes.isEmpty {
            var queued = waiting[index]
            save(&queued)
            waiting[index] = queued
        }
        write([], at: now)
        for name in unremovedFiles.keys.sorted() { removeFile(name) }
        enforceBounds(at: now)
    }

    /// Writes the new records to disk, together with `records`.
    ///
    /// - Parameter isDue: `true` if `records` are worth a request of their own.
    mutating func write(_ records: [SegmentRecord], isDue: Bool = true, at now: CurrentTime) {
        let drops = unreportedDrops.sorted { $0.key < $1.key }.map {
            SegmentRecord.dropped(reason: $0.key, count: UInt64($0.value))
        }
        unreportedDrops = [:]
        append(records + drops, isDue: isDue || !drops.isEmpty, at: now)
        open?.appendRepeats()
        guard var queued = open?.queued else { return }
        save(&queued)
        open?.queued = queued
    }

    /// Closes the open segment; later records go into another one.
    mutating func close() {
        open?.appendRepeats()
        guard var queued = open?.queued else { return }
        save(&queued)
        waiting.insert(queued, at: waiting.firstIndex(where: \.isDeclined) ?? waiting.endIndex)
        open = nil
    }

    /// The number of files that may wait for removal before no new files are created: where files can be created but not removed,
    /// the disk would fill up.
    static let unremovedFilesLimit = 256

    mutating func save(_ queued: inout QueuedSegment) {
        guard let folder, !queued.unsavedBytes.isEmpty, !queued.isContentFixed else { return }
        if !queued.hasFile, unremovedFiles.count >= Self.unremovedFilesLimit,
            let (_, failure) = unremovedFiles.first
        {
            saveFailure = failure
            self.failure = failure.description
            return
        }
        queued.hasFile = true
        let (written, failure) = folder.append(queued.unsavedBytes, to: queued.fileName)
        queued.savedBytes += written
        // Not `removeFirst`, which would keep the capacity for each segment that is on the disk.
        queued.unsavedBytes = Array(queued.unsavedBytes[written...])
        saveFailure = failure
        self.failure = failure?.description
        guard failure == nil else { return }
        counts.stored += queued.unsavedSightings
        queued.unsavedSightings = 0
    }

    func read(_ queued: QueuedSegment) throws(FileFailure) -> [UInt8] {
        guard queued.savedBytes > 0, let folder else { return queued.unsavedBytes }
        return try folder.read(queued.fileName) + queued.unsavedBytes
    }

    mutating func remove(_ queued: QueuedSegment) {
        waiting.removeAll { $0.key == queued.key }
        retries.remove(queued.key)
        if queued.hasFile { removeFile(queued.fileName) }
    }

    /// Prevents a segment from being sent until those of the files `names` that could not be removed yet are removed.
    mutating func block(_ key: String, until names: some Sequence<String>) {
        let unremovedNames = names.filter { unremovedFiles[$0] != nil }
        guard !unremovedNames.isEmpty else { return }
        if open?.queued.key == key {
            open?.queued.blockedBy.formUnion(unremovedNames)
        } else if let position = waiting.firstIndex(where: { $0.key == key }) {
            waiting[position].blockedBy.formUnion(unremovedNames)
        }
    }

    mutating func removeFile(_ name: String) {
        do throws(FileFailure) {
            try folder?.remove(name)
            unremovedFiles[name] = nil
        } catch {
            unremovedFiles[name] = error
        }
    }

    private mutating func enforceBounds(at now: CurrentTime) {
        let saved = waiting.reduce(0) { $0 + $1.diskBytes } + (open?.queued.diskBytes ?? 0)
        let unsaved =
            waiting.reduce(0) { $0 + $1.unsavedBytes.count } + (open?.queued.unsavedBytes.count ?? 0)
        var excess = (saved: saved - bounds.diskBytes, unsaved: unsaved - bounds.memoryBytes)
        guard excess.saved > 0 || excess.unsaved > 0 else { return }
        // Declined segments are older than their position suggests.
        let oldestFirst = waiting.filter(\.isDeclined) + waiting.filter { !$0.isDeclined }
        for queued in oldestFirst where queued.key != inFlightKey {
            let freesSpace =
                (excess.saved > 0 && queued.savedBytes > 0)
                || (excess.unsaved > 0 && !queued.unsavedBytes.isEmpty)
            guard freesSpace else { continue }
            excess.saved -= queued.diskBytes
            excess.unsaved -= queued.unsavedBytes.count
            discard(queued, .queueFull, at: now)
        }
    }
}

extension SegmentRecord {
    fileprivate var isReplacement: Bool {
        if case .replaces = self { return true }
        return false
    }
}
