import LeakMessage

extension SegmentQueue {
    /// The longest time between the first and the last attempt: six days, see ``LeakReporter/DropReason/tooOld``.
    static let maxRetryPeriodMilliseconds: Int64 = 6 * 86_400_000
    /// If the wall clock goes back by more than this, a day, it was set, and the age of a batch is unknown.
    static let longestStepBackMilliseconds: Int64 = 86_400_000

    enum NextBatch: Hashable {
        case batch(Batch)
        /// No closed segment may be sent now.
        case none
        /// The waiting segments cannot be read from the disk right now.
        case failure(FileFailure)
    }

    /// The time after which an unreadable file counts as lost, six hours. A file is unreadable for a while if the app has no
    /// free descriptors, but no app runs for six hours without free descriptors.
    private static let longestUnreadableMilliseconds = 6 * 3_600_000

    /// Returns the first batch that may be sent now, and writes its footer: the batch consists of the same bytes from now on,
    /// even after a restart.
    ///
    /// - Parameter lastSequence: the number of the last record; segments that begin with a later record are skipped.
    mutating func nextBatch(through lastSequence: UInt64, at now: CurrentTime) -> NextBatch {
        var failure: FileFailure?
        var position = 0
        while position < waitingSegments.count {
            let queuedSegment = waitingSegments[position]
            guard queuedSegment.firstSequence <= lastSequence,
                releaseTime(of: queuedSegment) <= now.monotonicTime
            else {
                position += 1
                continue
            }
            if queuedSegment.sentAt.map({ Self.isTooOld($0, at: now.wallTime) })
                ?? queuedSegment.isStale(at: now.wallTime)
            {
                // If the batch was sent, the collector may have counted it; then nothing of it is sent under another key.
                discard(queuedSegment, .tooOld, at: now)
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

    /// - Returns: the batch, or `nil` if the segment is empty, or if its file is lost or could not be read for too long; the
    ///   segment is removed then.
    private mutating func batch(at position: Int, _ now: CurrentTime) throws(FileFailure) -> Batch? {
        var queuedSegment = waitingSegments[position]
        for name in queuedSegment.blockedBy.sorted() {
            if unremovedFiles[name] != nil { removeFile(name) }
            if let failure = unremovedFiles[name] { throw failure }
        }
        queuedSegment.blockedBy = []
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try read(queuedSegment)
        } catch {
            if error.isMissing {
                discard(queuedSegment, .damaged, at: now)
                return nil
            }
            let unreadableSince = queuedSegment.unreadableSince ?? now.monotonicTime
            waitingSegments[position].unreadableSince = unreadableSince
            guard
                unreadableSince.advanced(byMilliseconds: Self.longestUnreadableMilliseconds)
                    <= now.monotonicTime
            else {
                throw error
            }
            discard(queuedSegment, .damaged, at: now)
            return nil
        }
        queuedSegment.unreadableSince = nil
        let segment = Segment(bytes)
        recordDamage(segment, &queuedSegment)
        guard !segment.isEmpty else {
            drop(queuedSegment.damagedSightingCount, .damaged)
            remove(queuedSegment)
            return nil
        }
        queuedSegment.bytesBeforeFooter = segment.footer == nil ? bytes.count : nil
        let footer =
            segment.footer
            ?? makeFooter(segment, bytes: bytes, queuedSegment: &queuedSegment, sentAt: now.wallTime)
        waitingSegments[position] = queuedSegment
        try saveFooter(at: position)
        inFlightKey = queuedSegment.key
        return Batch(
            idempotencyKey: queuedSegment.key, body: segment.body(footer),
            counts: segment.inBodyOrder.map(\.report.sightingCount))
    }

    /// Creates the footer with the bytes to send, which must survive a power cut: if the collector has a batch and the app sends it
    /// again with other bytes, the collector rejects it, and the batch is counted as lost.
    private mutating func makeFooter(
        _ segment: Segment, bytes: [UInt8], queuedSegment: inout QueuedSegment, sentAt wallTime: WireTime
    ) -> SegmentFooter {
        var header = segment.header ?? unknownOrigin
        header.key = queuedSegment.key
        let footer = SegmentFooter(
            sentAt: wallTime, reports: UInt32(clamping: segment.reports.count),
            head: segment.head(header, sentAt: wallTime)[...])
        if segment.damagedSightingCount > 0 {
            queuedSegment.unsavedBytes.append(RecordCodec.gap(after: bytes))
        }
        SegmentRecord.footer(footer).write(to: &queuedSegment.unsavedBytes)
        queuedSegment.isContentFixed = false
        queuedSegment.sentAt = wallTime
        return footer
    }

    /// Saves the footer. If a part of the segment is on the disk, all of it must be there before it is sent, because the next run
    /// would send other bytes otherwise.
    private mutating func saveFooter(at position: Int) throws(FileFailure) {
        var queuedSegment = waitingSegments[position]
        guard let folder, !queuedSegment.isContentFixed else { return }
        save(&queuedSegment)
        waitingSegments[position] = queuedSegment
        if queuedSegment.savedByteCount == 0 {
            // Nothing of the segment is on the disk, and it stays in memory: a part of it in a file would become another batch
            // under the same key in the next run.
            waitingSegments[position].isContentFixed = true
            return
        }
        if !queuedSegment.unsavedBytes.isEmpty, let saveFailure { throw saveFailure }
        try folder.sync(queuedSegment.fileName)
        waitingSegments[position].isContentFixed = true
    }

    /// The origin of a segment whose first record is damaged: the app is known, but not its build.
    var unknownOrigin: SegmentHeader {
        SegmentHeader(
            key: "",
            app: AppInfo(
                id: origin.app.id, module: origin.app.module, environment: origin.app.environment),
            device: DeviceInfo())
    }

    /// Counts the sightings and explanations that can no longer be read from the file.
    private mutating func recordDamage(_ segment: Segment, _ queuedSegment: inout QueuedSegment) {
        counts.droppedExplanations += max(queuedSegment.explanationCount - segment.explanations.count, 0)
        queuedSegment.explanationCount = segment.explanations.count
        let missingCount = queuedSegment.sightingCount - segment.sightingCount
        guard missingCount > 0 else { return }
        queuedSegment.damagedSightingCount += missingCount
        queuedSegment.sightingCount = segment.sightingCount
    }

    private static func isTooOld(_ sentAt: WireTime, at wallTime: WireTime) -> Bool {
        let (age, isOutOfRange) = wallTime.milliseconds.subtractingReportingOverflow(sentAt.milliseconds)
        return isOutOfRange || age >= maxRetryPeriodMilliseconds || age < -longestStepBackMilliseconds
    }

    // MARK: Results of delivery

    /// Handles a batch that the collector has accepted.
    ///
    /// - Parameters:
    ///   - rejected: the indexes of reports that the collector rejected.
    ///   - unnamedRejections: the number of further rejected reports, whose indexes are not known. They count as the reports with
    ///     the most sightings, so that no rejected sighting counts as sent. Up to that many sent sightings may count as rejected.
    mutating func finishAccepted(_ batch: Batch, rejected: [Int], unnamedRejections: Int = 0) {
        guard let queuedSegment = endInFlight(batch) else { return }
        let indexes = Set(rejected)
        let namedCounts = batch.counts.indices.filter(indexes.contains).map { batch.counts[$0] }
        let otherCounts = batch.counts.indices.filter { !indexes.contains($0) }.map { batch.counts[$0] }
        let rejectedSightings =
            (namedCounts + otherCounts.sorted(by: >).prefix(max(0, unnamedRejections))).reduce(0, +)
        counts.batches += 1
        counts.sent += batch.sightingCount - rejectedSightings
        counts.sentExplanations += queuedSegment.explanationCount
        // These sightings are counted as dropped on the device alone: the collector has counted them itself.
        drop(rejectedSightings, .reportRejected)
        counts.stored += queuedSegment.unsavedSightingCount
        drop(queuedSegment.damagedSightingCount, .damaged)
        nextBatchReportLimit = min(nextBatchReportLimit * 2, bounds.batchReports)
        remove(queuedSegment)
    }

    /// Handles a batch that the collector has rejected permanently without counting anything of it.
    mutating func finishRejected(_ batch: Batch, _ reason: LeakReporter.DropReason, at now: CurrentTime) {
        guard let queuedSegment = endInFlight(batch) else { return }
        discard(queuedSegment, reason, at: now)
    }

    /// Handles a postponed batch, which the collector may have counted.
    mutating func finishPostponed() { inFlightKey = nil }

    /// Handles a failed batch, which the collector may have counted. The other batches are sent before it is sent again.
    mutating func finishFailed(_ batch: Batch) {
        guard endInFlight(batch) != nil,
            let position = waitingSegments.firstIndex(where: { $0.key == batch.idempotencyKey })
        else {
            return
        }
        moveBehindOthers(position)
    }

    private mutating func moveBehindOthers(_ position: Int) {
        waitingSegments[position].isRetry = true
        waitingSegments.append(waitingSegments.remove(at: position))
    }

    /// Handles a batch that was not counted.
    ///
    /// - Parameter isRetriedLast: `true` if the other batches are to be sent before it is sent again.
    mutating func finishUncounted(_ batch: Batch, isRetriedLast: Bool) {
        guard endInFlight(batch) != nil,
            let position = waitingSegments.firstIndex(where: { $0.key == batch.idempotencyKey })
        else {
            return
        }
        removeFooter(at: position)
        if isRetriedLast { moveBehindOthers(position) }
    }

    /// Removes the footer that the last attempt wrote, unless an earlier attempt may have been counted. The age of the batch then
    /// counts from the next attempt on. If the file cannot be changed, the footer stays, which is the safe choice.
    private mutating func removeFooter(at position: Int) {
        var queuedSegment = waitingSegments[position]
        guard let length = queuedSegment.bytesBeforeFooter else { return }
        queuedSegment.bytesBeforeFooter = nil
        defer { waitingSegments[position] = queuedSegment }
        if queuedSegment.savedByteCount > length {
            guard let folder, (try? folder.truncate(queuedSegment.fileName, to: length)) != nil else {
                return
            }
            queuedSegment.savedByteCount = length
            queuedSegment.unsavedBytes = []
        } else {
            queuedSegment.unsavedBytes = Array(
                queuedSegment.unsavedBytes.prefix(length - queuedSegment.savedByteCount))
        }
        queuedSegment.sentAt = nil
        queuedSegment.isContentFixed = false
    }

    /// Ends the attempt to send a batch.
    ///
    /// - Returns: the segment of the batch; `nil` if it was deleted in the meantime.
    mutating func endInFlight(_ batch: Batch) -> QueuedSegment? {
        defer { inFlightKey = nil }
        return waitingSegments.first { $0.key == batch.idempotencyKey }
    }

    // MARK: Discarding

    /// Discards the reports and explanations of a segment. Its other records move to the active segment, unless the collector
    /// may have counted them or would reject them too, or room is to be freed.
    ///
    /// Explanations do not move: most belong to the discarded reports, they cannot be added up, and after each rejected batch, the
    /// next batch would be longer by the explanations of all earlier batches.
    mutating func discard(
        _ queuedSegment: QueuedSegment, _ reason: LeakReporter.DropReason, at now: CurrentTime
    ) {
        drop(queuedSegment.sightingCount, reason)
        counts.droppedExplanations += queuedSegment.explanationCount
        drop(queuedSegment.damagedSightingCount, .damaged)
        // This record is written before the file is removed, so that a run that finds both files knows which file counts.
        var records = queuedSegment.savedByteCount > 0 ? [SegmentRecord.replaces(key: queuedSegment.key)] : []
        let segment = (try? read(queuedSegment)).map(Segment.init)
        // If a batch without reports was rejected, its counts of dropped reports would be rejected too if they were sent alone:
        // they are sent with later records.
        let isRefused = reason == .batchRejected || reason == .tooLong
        let isDue = !isRefused || segment?.reports.isEmpty == false
        if let segment {
            let leftovers = segment.leftovers(reason, wasSent: queuedSegment.sentAt != nil)
            records += leftovers.checksAndSessions
            // The counts of dropped reports are added up, so that they take no more space than before.
            if isDue {
                addUnreportedDrops(leftovers.drops)
            } else {
                records += leftovers.drops.map {
                    .dropped(reason: $0.reason, count: UInt64(clamping: $0.count))
                }
            }
        }
        waitingSegments.removeAll { $0.key == queuedSegment.key }
        write(records, isDue: isDue, at: now)
        remove(queuedSegment)
        if let activeSegment {
            block(
                activeSegment.queuedSegment.key,
                until: queuedSegment.blockedBy.union([queuedSegment.fileName]))
        }
        // Later records need not wait until the file is removed.
        if unremovedFiles[queuedSegment.fileName] != nil { close() }
    }

    /// Discards everything, at the request of the app.
    mutating func deleteAll() {
        drop(waitingSightings, .deleted)
        counts.droppedExplanations += waitingExplanations
        for queuedSegment in waitingSegments + [activeSegment?.queuedSegment].compactMap(\.self) {
            remove(queuedSegment)
        }
        activeSegment = nil
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
        // The batch was answered, and nothing of it was counted. Checks and sessions of a rejected batch without reports would
        // be rejected again.
        case .batchRejected, .tooLong: return (reports.isEmpty ? [] : checksAndSessions, drops)
        // Checks and sessions that are kept would fill the space that is to be freed.
        case .queueFull: return ([], wasSent ? [] : drops)
        // It is unknown whether the collector counted a batch that was sent.
        default: return wasSent ? ([], []) : (checksAndSessions, drops)
        }
    }
}
