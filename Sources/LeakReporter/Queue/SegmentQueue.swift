import LeakMessage

/// The waiting segments, on the disk if it accepts them, otherwise in memory.
///
/// Owned by the reporter's own thread. Every record is written with the next ``commit(at:)``; until then, or if the disk fails, it
/// is in memory.
struct SegmentQueue {
    /// The content of one request: one segment.
    struct Batch: Hashable, Sendable {
        let idempotencyKey: String
        let body: [UInt8]
        /// The number of sightings of each report, in the order of the body.
        let counts: [Int]

        var sightingCount: Int { counts.reduce(0, +) }
    }

    /// Counts since the queue was created: sightings by outcome, delivered batches, and explanations.
    struct SightingCounts: Hashable, Sendable {
        var sent = 0
        var dropped: [LeakReporter.DropReason: Int] = [:]
        /// Sightings that survive the end of the process: on the disk, or delivered.
        var stored = 0
        /// Delivered batches.
        var batches = 0
        /// Explanations, which the other counts do not include.
        var sentExplanations = 0
        var droppedExplanations = 0
    }

    let bounds: LeakReporter.Bounds
    /// `true` if more than half of the day's bytes are used. Checks, and further sightings of leaks that were already reported,
    /// wait an hour then; new leaks do not.
    var isThrottled = false
    /// The origin of the following reports: app, device, install and user. All reports of a segment have the same origin.
    private(set) var origin: SegmentHeader
    /// The folder of the segments; `nil` keeps everything in memory.
    let folder: (any SegmentFolder)?
    var activeSegment: ActiveSegment?
    /// Closed segments, oldest first, but those with ``QueuedSegment/isRetry`` last.
    var waitingSegments: [QueuedSegment] = []
    /// The key of the segment that is being sent.
    var inFlightKey: String?
    var counts = SightingCounts()
    /// The reason why the disk accepts nothing; `nil` if it works.
    var failure: String?
    /// The failure of the last write.
    private(set) var saveFailure: FileFailure?
    /// Counts of dropped reports, by reason, that are in no segment yet and that the collector has not been told.
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
        nextBatchReportLimit = bounds.batchReports
    }

    /// The maximum number of reports in the next batch. A batch that was too large for the collector sets it to half of the reports
    /// of that batch; a delivered batch doubles it, up to ``LeakReporter/Bounds/batchReports``.
    var nextBatchReportLimit: Int

    /// The number of sightings that are not delivered.
    var waitingSightings: Int {
        waitingSegments.reduce(0) { $0 + $1.sightingCount + $1.damagedSightingCount }
            + (activeSegment?.queuedSegment.sightingCount ?? 0)
    }

    /// The number of explanations that are not delivered.
    var waitingExplanations: Int {
        waitingSegments.reduce(0) { $0 + $1.explanationCount }
            + (activeSegment?.queuedSegment.explanationCount ?? 0)
    }

    var isEmpty: Bool { waitingSegments.isEmpty && activeSegment == nil && unreportedDrops.isEmpty }

    /// Returns the highest record number up to which everything is delivered or discarded.
    func lastCompletedSequence(_ lastSequence: UInt64) -> UInt64 {
        let firstWaitingSequence =
            (waitingSegments.map(\.firstSequence)
            + [activeSegment?.queuedSegment.firstSequence].compactMap(\.self)).min()
        return firstWaitingSequence.map { max($0, 1) - 1 } ?? lastSequence
    }

    // MARK: Apps that the key may not write for

    mutating func forbid(_ appID: String?, until monotonicTime: MonotonicTime) {
        forbiddenApps[appID ?? ""] = monotonicTime
    }

    mutating func endForbiddenPeriods(at now: CurrentTime) {
        for (app, monotonicTime) in forbiddenApps where monotonicTime <= now.monotonicTime {
            forbiddenApps[app] = nil
        }
    }

    /// Returns the earliest time at which a segment may be sent.
    func releaseTime(of queuedSegment: QueuedSegment) -> MonotonicTime {
        max(
            forbiddenApps[queuedSegment.appID ?? ""] ?? .distantPast,
            retries.retryTime(of: queuedSegment.key, wasSent: queuedSegment.sentAt != nil))
    }

    /// `true` if some segments may have to wait longer than other segments.
    var hasReleaseTimes: Bool { !forbiddenApps.isEmpty || !retries.isEmpty }

    // MARK: New records

    /// Changes the origin of the following records, and closes the active segment if the origin differs.
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

    /// The most reports in a batch. If the day's bytes run short, the collector's limit applies, unless the collector has
    /// rejected a batch for its length.
    private var reportLimit: Int {
        isThrottled && nextBatchReportLimit == bounds.batchReports
            ? WireLimits.leaksCount : nextBatchReportLimit
    }

    private func isFull(for json: [UInt8]) -> Bool {
        guard let activeSegment else { return false }
        return Int(activeSegment.reportCount) >= reportLimit
            || activeSegment.queuedSegment.bytes + json.count > bounds.batchBytes
    }

    /// Returns the bytes that a report adds to the body of a batch. For the first report, they include the bytes of the batch
    /// before and after its reports.
    func sentBytes(of json: [UInt8]) -> Int {
        let bytes = json.count + Self.maxCountBytes
        guard let activeSegment, activeSegment.reportCount > 0, !isFull(for: json) else {
            return bytes + headBytes
        }
        return bytes
    }

    /// An upper bound for the bytes of `,"count":1000,"alive":1000}` and a comma.
    private static let maxCountBytes = 29

    private var headBytes: Int {
        Segment([]).head(origin, sentAt: WireTime(milliseconds: 0)).count + LeakBatch.tailJSON.count
    }

    /// Adds a sighting to a report that waits in the active segment.
    ///
    /// - Returns: `false` if there is no such report, if it accepts no more sightings, or if the segment is full; a full
    ///   segment is closed then.
    mutating func merge(_ key: ReportMergeKey, count: Int, alive: Int?, at now: CurrentTime) -> Bool {
        guard let report = activeSegment?.openReports[key],
            report.sightingCount + count <= WireLimits.mergedSightingCount
        else {
            return false
        }
        if let activeSegment, activeSegment.queuedSegment.bytes >= bounds.batchBytes {
            close()
            return false
        }
        activeSegment?.openReports[key]?.sightingCount += count
        let previous = activeSegment?.repeats[report.index]
        activeSegment?.repeats[report.index] = (
            (previous?.count ?? 0) + count, [previous?.alive, alive].compactMap(\.self).max()
        )
        let delay = gatherMilliseconds(bounds.gatherRepeatsMilliseconds)
        activeSegment?.setDue(by: now.monotonicTime.advanced(byMilliseconds: delay))
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
        guard let index = activeSegment?.reportCount else { return }
        activeSegment?.reportCount += 1
        activeSegment?.openReports[key] = ActiveSegment.OpenReport(index: index, sightingCount: count)
        activeSegment?.append(
            .report(
                index: index, count: UInt32(clamping: count), alive: alive.map { UInt32(clamping: $0) },
                json: json[...]))
        let delay = isNew ? bounds.gatherMilliseconds : gatherMilliseconds(bounds.gatherRepeatsMilliseconds)
        activeSegment?.setDue(by: now.monotonicTime.advanced(byMilliseconds: delay))
        addSightings(count)
    }

    private mutating func addSightings(_ count: Int) {
        activeSegment?.queuedSegment.sightingCount += count
        activeSegment?.queuedSegment.unsavedSightingCount += count
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
            segmentKey = activeSegment?.queuedSegment.key
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

    /// Adds the counts of dropped reports that a removed segment was to report to the collector.
    mutating func addUnreportedDrops(_ drops: [DroppedReports]) {
        for drop in drops {
            let (sum, isTooLarge) = unreportedDrops[drop.reason, default: 0].addingReportingOverflow(
                drop.count)
            unreportedDrops[drop.reason] = isTooLarge ? .max : sum
        }
    }

    /// Forgets the counts of dropped reports that the collector has not been told yet.
    mutating func forgetDrops() { unreportedDrops = [:] }

    private mutating func append(_ records: [SegmentRecord], isDue: Bool = true, at now: CurrentTime) {
        guard !records.isEmpty else { return }
        // All records go into one segment, so one write saves them: records that replace a segment are written completely or not
        // at all.
        if let activeSegment,
            activeSegment.recordCount + records.count > WireLimits.checkedClassCount
                || activeSegment.queuedSegment.bytes >= bounds.batchBytes
        {
            close()
        }
        begin(at: now)
        for record in records { activeSegment?.append(record) }
        guard isDue, !records.allSatisfy(\.isReplacement) else { return }
        let delay = gatherMilliseconds(bounds.gatherDenominatorsMilliseconds)
        activeSegment?.setDue(by: now.monotonicTime.advanced(byMilliseconds: delay))
    }

    private mutating func begin(at now: CurrentTime) {
        guard activeSegment == nil else { return }
        var header = origin
        header.key = makeID(now.wallTime)
        activeSegment = ActiveSegment(header, sequence: sequence)
    }

    // MARK: Storage

    /// Writes the new records to disk in one write, and discards segments beyond the limits.
    mutating func commit(at now: CurrentTime) {
        for index in waitingSegments.indices where !waitingSegments[index].unsavedBytes.isEmpty {
            var queuedSegment = waitingSegments[index]
            save(&queuedSegment)
            waitingSegments[index] = queuedSegment
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
        activeSegment?.appendRepeats()
        guard var queuedSegment = activeSegment?.queuedSegment else { return }
        save(&queuedSegment)
        activeSegment?.queuedSegment = queuedSegment
    }

    /// Closes the active segment; later records go into another segment.
    mutating func close() {
        activeSegment?.appendRepeats()
        guard var queuedSegment = activeSegment?.queuedSegment else { return }
        save(&queuedSegment)
        waitingSegments.insert(
            queuedSegment, at: waitingSegments.firstIndex(where: \.isRetry) ?? waitingSegments.endIndex)
        activeSegment = nil
    }

    /// If this number of files wait for removal, no new files are created. Otherwise a disk on which files can be created but
    /// not removed would fill up.
    static let unremovedFilesLimit = 256

    mutating func save(_ queuedSegment: inout QueuedSegment) {
        guard let folder, !queuedSegment.unsavedBytes.isEmpty, !queuedSegment.isContentFixed else { return }
        if !queuedSegment.hasFile, unremovedFiles.count >= Self.unremovedFilesLimit,
            let (_, failure) = unremovedFiles.first
        {
            saveFailure = failure
            self.failure = failure.description
            return
        }
        queuedSegment.hasFile = true
        let (written, failure) = folder.append(queuedSegment.unsavedBytes, to: queuedSegment.fileName)
        queuedSegment.savedByteCount += written
        // Not `removeFirst`, which would keep the capacity for each segment that is on the disk.
        queuedSegment.unsavedBytes = Array(queuedSegment.unsavedBytes[written...])
        saveFailure = failure
        self.failure = failure?.description
        guard failure == nil else { return }
        counts.stored += queuedSegment.unsavedSightingCount
        queuedSegment.unsavedSightingCount = 0
    }

    func read(_ queuedSegment: QueuedSegment) throws(FileFailure) -> [UInt8] {
        guard queuedSegment.savedByteCount > 0, let folder else { return queuedSegment.unsavedBytes }
        return try folder.read(queuedSegment.fileName) + queuedSegment.unsavedBytes
    }

    mutating func remove(_ queuedSegment: QueuedSegment) {
        waitingSegments.removeAll { $0.key == queuedSegment.key }
        retries.remove(queuedSegment.key)
        if queuedSegment.hasFile { removeFile(queuedSegment.fileName) }
    }

    /// Prevents a segment from being sent until all files in `names` that still exist are removed.
    mutating func block(_ key: String, until names: some Sequence<String>) {
        let unremovedNames = names.filter { unremovedFiles[$0] != nil }
        guard !unremovedNames.isEmpty else { return }
        if activeSegment?.queuedSegment.key == key {
            activeSegment?.queuedSegment.blockedBy.formUnion(unremovedNames)
        } else if let position = waitingSegments.firstIndex(where: { $0.key == key }) {
            waitingSegments[position].blockedBy.formUnion(unremovedNames)
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
        let saved =
            waitingSegments.reduce(0) { $0 + $1.diskBytes } + (activeSegment?.queuedSegment.diskBytes ?? 0)
        let unsaved =
            waitingSegments.reduce(0) { $0 + $1.unsavedBytes.count }
            + (activeSegment?.queuedSegment.unsavedBytes.count ?? 0)
        var excess = (saved: saved - bounds.diskBytes, unsaved: unsaved - bounds.memoryBytes)
        guard excess.saved > 0 || excess.unsaved > 0 else { return }
        // Declined segments are older than their position suggests.
        let oldestFirst = waitingSegments.filter(\.isRetry) + waitingSegments.filter { !$0.isRetry }
        for queuedSegment in oldestFirst where queuedSegment.key != inFlightKey {
            let freesSpace =
                (excess.saved > 0 && queuedSegment.savedByteCount > 0)
                || (excess.unsaved > 0 && !queuedSegment.unsavedBytes.isEmpty)
            guard freesSpace else { continue }
            excess.saved -= queuedSegment.diskBytes
            excess.unsaved -= queuedSegment.unsavedBytes.count
            discard(queuedSegment, .queueFull, at: now)
        }
    }
}

extension SegmentRecord {
    fileprivate var isReplacement: Bool {
        if case .replaces = self { return true }
        return false
    }
}
