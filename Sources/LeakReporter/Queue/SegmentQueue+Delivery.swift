import LeakMessage

extension SegmentQueue {
    /// The longest time between the first and the last attempt: six days, see ``LeakReporter/DropReason/tooOld``.
    static let longestRetryMilliseconds: Int64 = 6 * 86_400_000
    /// If the wall clock goes back by more than this, a day, it was set, and the age of a batch is unknown.
    static let longestStepBackMilliseconds: Int64 = 86_400_000

    enum NextBatch: Hashable {
        case batch(Batch)
        /// No closed segment may be sent now.
        case none
        /// The waiting segments cannot be read from the disk right now.
        case failure(FileFailure)
    }

    /// The time after which an unreadable file counts as lost, six hours. A file is unreadable for a while if the app has no free
    /// descriptors, but no app runs so long without them.
    private static let longestUnreadableMilliseconds = 6 * 3_600_000

    /// Returns the oldest batch and writes its footer: the batch consists of the same bytes from now on, even after a restart.
    ///
    /// - Parameter lastSequence: the number of the last record; segments that begin with a later one are skipped.
    mutating func nextBatch(through lastSequence: UInt64, at now: CurrentTime) -> NextBatch {
        var failure: FileFailure?
        var position = 0
        while position < waiting.count {
            let queued = waiting[position]
            guard queued.firstSequence <= lastSequence, releaseTime(of: queued) <= now.moment else {
                position += 1
                continue
            }
            if queued.sentAt.map({ Self.isTooOld($0, at: now.wallTime) }) ?? queued.isStale(at: now.wallTime)
            {
                // If the batch was sent, the collector may have counted it; then nothing of it is sent under another key.
                discard(queued, .tooOld, at: now)
                continue
            }
            do throws(FileFailure) {
                if let batch = try batch(at: position, now) { return .batch(batch) }
            } catch {
                failure = error
                position += 1
            }
        }
        return failure.map(NextBatch.failure) ?? .none
    }

    /// - Returns: the batch, or `nil` if the segment is empty; the segment is removed then.
    private mutating func batch(at position: Int, _ now: CurrentTime) throws(FileFailure) -> Batch? {
        var queued = waiting[position]
        for name in queued.blockedBy.sorted() {
            if unremovedFiles[name] != nil { removeFile(name) }
            if let failure = unremovedFiles[name] { throw failure }
        }
        queued.blockedBy = []
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try read(queued)
        } catch {
            if error.isMissing {
                discard(queued, .damaged, at: now)
                return nil
            }
            let unreadableSince = queued.unreadableSince ?? now.moment
            waiting[position].unreadableSince = unreadableSince
            guard unreadableSince.advanced(byMilliseconds: Self.longestUnreadableMilliseconds) <= now.moment
            else {
                throw error
            }
            discard(queued, .damaged, at: now)
            return nil
        }
        queued.unreadableSince = nil
        let segment = Segment(bytes)
        recordDamage(segment, &queued)
        guard !segment.isEmpty else {
            drop(queued.damagedSightings, .damaged)
            remove(queued)
            return nil
        }
        queued.bytesBeforeFooter = segment.footer == nil ? bytes.count : nil
        let footer =
            segment.footer ?? makeFooter(segment, bytes: bytes, queued: &queued, sentAt: now.wallTime)
        waiting[position] = queued
        try saveFooter(at: position)
        inFlightKey = queued.key
        return Batch(
            key: queued.key, body: segment.body(footer), counts: segment.inBodyOrder.map(\.report.count))
    }

    /// Creates the footer with the bytes to send, which must survive a power cut: if the collector has a batch and the app sends it
    /// again with other bytes, the collector rejects it, and the batch is counted as lost.
    private mutating func makeFooter(
        _ segment: Segment, bytes: [UInt8], queued: inout QueuedSegment, sentAt wallTime: WireTime
    ) -> SegmentFooter {
        var header = segment.header ?? unknownOrigin
        header.key = queued.key
        let footer = SegmentFooter(
            sentAt: wallTime, reports: UInt32(clamping: segment.reports.count),
            head: segment.head(header, sentAt: wallTime)[...])
        if segment.damagedSightings > 0 { queued.unsavedBytes.append(RecordCodec.gap(after: bytes)) }
        SegmentRecord.footer(footer).write(to: &queued.unsavedBytes)
        queued.isContentFixed = false
        queued.sentAt = wallTime
        return footer
    }

    /// Saves the footer. If a part of the segment is on the disk, all of it must be there before it is sent, because the next run
    /// would send other bytes otherwise.
    private mutating func saveFooter(at position: Int) throws(FileFailure) {
        var queued = waiting[position]
        guard let folder, !queued.isContentFixed else { return }
        save(&queued)
        waiting[position] = queued
        if queued.savedBytes == 0 {
            // Nothing of the segment is on the disk, and it stays in memory: a part of it in a file would become another batch
            // under the same key in the next run.
            waiting[position].isContentFixed = true
            return
        }
        if !queued.unsavedBytes.isEmpty, let saveFailure { throw saveFailure }
        try folder.sync(queued.fileName)
        waiting[position].isContentFixed = true
    }

    /// The origin of a segment whose first record is damaged: the app is known, but not its build.
    var unknownOrigin: SegmentHeader {
        SegmentHeader(
            key: "", app: AppInfo(id: origin.app.id, module: origin.app.module), device: DeviceInfo())
    }

    /// Counts the sightings and explanations that can no longer be read from the file.
    private mutating func recordDamage(_ segment: Segment, _ queued: inout QueuedSegment) {
        counts.droppedExplanations += max(queued.explanations - segment.explanations.count, 0)
        queued.explanations = segment.explanations.count
        let missingCount = queued.sightings - segment.sightings
        guard missingCount > 0 else { return }
        queued.damagedSightings += missingCount
        queued.sightings = segment.sightings
    }

    private static func isTooOld(_ sentAt: WireTime, at wallTime: WireTime) -> Bool {
        let (age, isOutOfRange) = wallTime.milliseconds.subtractingReportingOverflow(sentAt.milliseconds)
        return isOutOfRange || age >= longestRetryMilliseconds || age < -longestStepBackMilliseconds
    }

    // MARK: Results of delivery

    /// Handles a batch that the collector has accepted.
    ///
    /// - Parameter rejected: the indexes of the reports that the collector rejected.
    mutating func finishAccepted(_ batch: Batch, rejected: [Int]) {
        guard let queued = endInFlight(batch) else { return }
        let rejectedSightings = Set(rejected).reduce(0) {
            $0 + (batch.counts.indices.contains($1) ? batch.counts[$1] : 0)
        }
        counts.batches += 1
        counts.sent += batch.sightings - rejectedSightings
        counts.sentExplanations += queued.explanations
        // The collector knows about rejected reports; to report them as dropped would count them twice.
        drop(rejectedSightings, .rejected)
        counts.stored += queued.unsavedSightings
        drop(queued.damagedSightings, .damaged)
        batchReports = min(batchReports * 2, bounds.batchReports)
        remove(queued)
    }

    /// Handles a batch that the collector has rejected permanently without counting anything of it.
    mutating func finishRefused(_ batch: Batch, _ reason: LeakReporter.DropReason, at now: CurrentTime) {
        guard let queued = endInFlight(batch) else { return }
        discard(queued, reason, at: now)
    }

    /// Handles a postponed batch, which the collector may have counted.
    mutating func finishPostponed() { inFlightKey = nil }

    /// Handles a failed batch, which the collector may have counted. The other batches are sent before it is sent again.
    mutating func finishFailed(_ batch: Batch) {
        guard endInFlight(batch) != nil, let position = waiting.firstIndex(where: { $0.key == batch.key })
        else {
            return
        }
        moveBehindOthers(position)
    }

    private mutating func moveBehindOthers(_ position: Int) {
        waiting[position].isDeclined = true
        waiting.append(waiting.remove(at: position))
    }

    /// Handles a batch that was not counted.
    ///
    /// - Parameter isRetriedLast: `true` if the other batches are to be sent before it is sent again.
    mutating func finishUncounted(_ batch: Batch, isRetriedLast: Bool) {
        guard endInFlight(batch) != nil, let position = waiting.firstIndex(where: { $0.key == batch.key })
        else {
            return
        }
        removeFooter(at: position)
        if isRetriedLast { moveBehindOthers(position) }
    }

    /// Removes the footer that the last attempt wrote, unless an earlier attempt may have been counted. The age of the batch then
    /// counts from the next attempt on. If the file cannot be changed, the footer stays, which is the safe choice.
    private mutating func removeFooter(at position: Int) {
        var queued = waiting[position]
        guard let length = queued.bytesBeforeFooter else { return }
        queued.bytesBeforeFooter = nil
        defer { waiting[position] = queued }
        if queued.savedBytes > length {
            guard let folder, (try? folder.truncate(queued.fileName, to: length)) != nil else { return }
            queued.savedBytes = length
            queued.unsavedBytes = []
        } else {
            queued.unsavedBytes = Array(queued.unsavedBytes.prefix(length - queued.savedBytes))
        }
        queued.sentAt = nil
        queued.isContentFixed = false
    }

    mutating func endInFlight(_ batch: Batch) -> QueuedSegment? {
        defer { inFlightKey = nil }
        return waiting.first { $0.key == batch.key }
    }

    // MARK: Discarding

    /// Discards the reports and explanations of a segment. Its other records move to the open segment, unless the collector may
    /// have counted them.
    ///
    /// Explanations do not move: most belong to the discarded reports, they cannot be added up, and after each rejected batch the
    /// next one would be longer by those of all earlier ones.
    mutating func discard(_ queued: QueuedSegment, _ reason: LeakReporter.DropReason, at now: CurrentTime) {
        drop(queued.sightings, reason)
        counts.droppedExplanations += queued.explanations
        drop(queued.damagedSightings, .damaged)
        // This record is written before the file is removed, so that a run that finds both files knows which one counts.
        var records = queued.savedBytes > 0 ? [SegmentRecord.replaces(key: queued.key)] : []
        let segment = (try? read(queued)).map(Segment.init)
        // Records that were rejected alone would be rejected alone again: they are sent with later records.
        let isRefused = reason == .refused || reason == .tooLong
        let isDue = !isRefused || segment?.reports.isEmpty == false
        if let segment {
            let leftovers = segment.leftovers(reason, wasSent: queued.sentAt != nil)
            records += leftovers.checksAndSessions
            // The drops are added up, so that they take no more space than before.
            if isDue {
                addUnreportedDrops(leftovers.drops)
            } else {
                records += leftovers.drops.map {
                    .dropped(reason: $0.reason, count: UInt64(clamping: $0.count))
                }
            }
        }
        waiting.removeAll { $0.key == queued.key }
        write(records, isDue: isDue, at: now)
        remove(queued)
        if let open { block(open.queued.key, until: queued.blockedBy.union([queued.fileName])) }
        // Later records need not wait until the file is removed.
        if unremovedFiles[queued.fileName] != nil { close() }
    }

    /// Discards everything, at the request of the app.
    mutating func deleteAll() {
        drop(waitingSightings, .deleted)
        counts.droppedExplanations += waitingExplanations
        for queued in waiting + [open?.queued].compactMap(\.self) { remove(queued) }
        open = nil
        inFlightKey = nil
        forgetDrops()
    }
}

extension Segment {
    /// Returns the records of a segment that are still to be sent without its reports.
    fileprivate func leftovers(
        _ reason: LeakReporter.DropReason, wasSent: Bool
    ) -> (checksAndSessions: [SegmentRecord], drops: [DroppedReports]) {
        let checksAndSessions =
            checkSums.map(SegmentRecord.checks) + sessions.map(SegmentRecord.session)
        let drops = dropSums
        switch reason {
        // The batch was answered, and nothing of it was counted. Checks and sessions that were rejected alone would be rejected
        // again.
        case .refused, .tooLong: return (reports.isEmpty ? [] : checksAndSessions, drops)
        // Checks and sessions that are kept would fill the space that is to be freed.
        case .queueFull: return ([], wasSent ? [] : drops)
        // It is unknown whether the collector counted a batch that was sent.
        default: return wasSent ? ([], []) : (checksAndSessions, drops)
        }
    }
}
