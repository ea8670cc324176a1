import LeakMessage

extension SegmentQueue {
    /// The longest time between the first and the last attempt: six days, see ``LeakReporter/DropReason/tooOld``.
    static let longestRetryMilliseconds: Int64 = 6 * 86_400_000
    /// If the wall clock goes back by more than this, it was set, and the age of a batch is unknown.
    static let longestStepBackMilliseconds: Int64 = 86_400_000

    enum NextBatch: Hashable {
        case batch(Batch)
        /// No closed segment may be sent now.
        case none
        /// The waiting segments cannot be read from the disk right now.
        case failure(FileFailure)
    }

    /// The time after which an unreadable file counts as lost. An app without free descriptors for that long would have ended
    /// otherwise.
    private static let longestUnreadableMilliseconds = 6 * 3_600_000

    /// Returns the oldest batch and seals it: it consists of the same bytes from now on, even after a restart.
    ///
    /// - Parameter last: the number of the last record; segments that begin with a later one are skipped.
    mutating func nextBatch(through last: UInt64, at now: Now) -> NextBatch {
        var failure: FileFailure?
        var position = 0
        while position < waiting.count {
            let held = waiting[position]
            guard held.firstTicket <= last, release(of: held) <= now.moment else {
                position += 1
                continue
            }
            if held.sentAt.map({ Self.isTooOld($0, at: now.wallTime) }) ?? held.isStale(at: now.wallTime) {
                // It is unknown whether the collector counted the batch, so nothing of it is sent under another key.
                discard(held, .tooOld, at: now)
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
    private mutating func batch(at position: Int, _ now: Now) throws(FileFailure) -> Batch? {
        var held = waiting[position]
        for name in held.successorOf.sorted() {
            if lingering[name] != nil { removeFile(name) }
            if let failure = lingering[name] { throw failure }
        }
        held.successorOf = []
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try read(held)
        } catch {
            if error.isMissing {
                discard(held, .damaged, at: now)
                return nil
            }
            let since = held.unreadableSince ?? now.moment
            waiting[position].unreadableSince = since
            guard since.advanced(byMilliseconds: Self.longestUnreadableMilliseconds) <= now.moment else {
                throw error
            }
            discard(held, .damaged, at: now)
            return nil
        }
        held.unreadableSince = nil
        let segment = Segment(bytes)
        noteDamage(segment, &held)
        guard !segment.isEmpty else {
            drop(held.damaged, .damaged)
            remove(held)
            return nil
        }
        held.bytesBeforeSeal = segment.seal == nil ? bytes.count : nil
        let seal = segment.seal ?? freeze(segment, bytes: bytes, held: &held, sentAt: now.wallTime)
        waiting[position] = held
        try keepSeal(at: position)
        awayKey = held.key
        return Batch(key: held.key, body: segment.body(seal), counts: segment.ordered.map(\.report.count))
    }

    /// Creates the seal with the bytes to send, which must survive a power cut: if the collector has a batch and the app sends it
    /// with other bytes, the collector rejects it, and it is counted as lost.
    private mutating func freeze(
        _ segment: Segment, bytes: [UInt8], held: inout HeldSegment, sentAt wallTime: WireTime
    ) -> SegmentSeal {
        var header = segment.header ?? unknownOrigin
        header.key = held.key
        let seal = SegmentSeal(
            sentAt: wallTime, reports: UInt32(clamping: segment.reports.count),
            head: segment.head(header, sentAt: wallTime)[...])
        if segment.damagedSightings > 0 { held.unsaved.append(Framing.gap(after: bytes)) }
        SegmentRecord.seal(seal).write(to: &held.unsaved)
        held.isContentFixed = false
        held.sentAt = wallTime
        return seal
    }

    /// Saves the seal. If a part of the segment is on the disk, all of it must be there before it is sent, because the next run
    /// would send other bytes otherwise.
    private mutating func keepSeal(at position: Int) throws(FileFailure) {
        var held = waiting[position]
        guard let folder, !held.isContentFixed else { return }
        save(&held)
        waiting[position] = held
        if held.savedBytes == 0 {
            // Nothing of the segment is on the disk, and it stays in memory: a part of it in a file would become another batch
            // under the same key in the next run.
            waiting[position].isContentFixed = true
            return
        }
        if !held.unsaved.isEmpty, let saveFailure { throw saveFailure }
        try folder.sync(held.fileName)
        waiting[position].isContentFixed = true
    }

    /// The origin of a segment whose first record is damaged: the app is known, but not its build.
    var unknownOrigin: SegmentHeader {
        SegmentHeader(
            key: "", app: AppInfo(id: origin.app.id, module: origin.app.module), device: DeviceInfo())
    }

    /// Counts the sightings and explanations that can no longer be read from the file.
    private mutating func noteDamage(_ segment: Segment, _ held: inout HeldSegment) {
        tally.droppedExplanations += max(held.explanations - segment.explanations.count, 0)
        held.explanations = segment.explanations.count
        let missing = held.sightings - segment.sightings
        guard missing > 0 else { return }
        held.damaged += missing
        held.sightings = segment.sightings
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
        guard let held = away(batch) else { return }
        let lost = Set(rejected).reduce(0) { $0 + (batch.counts.indices.contains($1) ? batch.counts[$1] : 0) }
        tally.batches += 1
        tally.sent += batch.sightings - lost
        tally.sentExplanations += held.explanations
        // The collector knows about these; reporting them as dropped would count them twice.
        drop(lost, .rejected)
        tally.stored += held.unsavedSightings
        drop(held.damaged, .damaged)
        batchReports = min(batchReports * 2, bounds.batchReports)
        remove(held)
    }

    /// Handles a batch that the collector has rejected permanently without counting anything of it.
    mutating func finishRefused(_ batch: Batch, _ reason: LeakReporter.DropReason, at now: Now) {
        guard let held = away(batch) else { return }
        discard(held, reason, at: now)
    }

    /// Handles a postponed batch, which the collector may have counted.
    mutating func finishPostponed() { awayKey = nil }

    /// Handles a failed batch, which the collector may have counted. The other batches are sent before it is sent again.
    mutating func finishFailed(_ batch: Batch) {
        guard away(batch) != nil, let position = waiting.firstIndex(where: { $0.key == batch.key }) else {
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
    /// - Parameter isLast: `true` if the other batches are to be sent before it is sent again.
    mutating func finishUncounted(_ batch: Batch, isLast: Bool) {
        guard away(batch) != nil, let position = waiting.firstIndex(where: { $0.key == batch.key }) else {
            return
        }
        removeSeal(at: position)
        if isLast { moveBehindOthers(position) }
    }

    /// Removes the seal that the last attempt wrote, unless an earlier attempt may have been counted. The age of the batch then
    /// counts from the next attempt on. If the file cannot be changed, the seal stays, which is the safe choice.
    private mutating func removeSeal(at position: Int) {
        var held = waiting[position]
        guard let length = held.bytesBeforeSeal else { return }
        held.bytesBeforeSeal = nil
        defer { waiting[position] = held }
        if held.savedBytes > length {
            guard let folder, (try? folder.truncate(held.fileName, to: length)) != nil else { return }
            held.savedBytes = length
            held.unsaved = []
        } else {
            held.unsaved = Array(held.unsaved.prefix(length - held.savedBytes))
        }
        held.sentAt = nil
        held.isContentFixed = false
    }

    mutating func away(_ batch: Batch) -> HeldSegment? {
        defer { awayKey = nil }
        return waiting.first { $0.key == batch.key }
    }

    // MARK: Discarding

    /// Discards the reports and explanations of a segment. Its other records move to the open segment, unless the collector may
    /// have counted them.
    ///
    /// Explanations do not move: most belong to the discarded reports, they cannot be added up, and after each rejected batch the
    /// next one would be longer by those of all earlier ones.
    mutating func discard(_ held: HeldSegment, _ reason: LeakReporter.DropReason, at now: Now) {
        drop(held.sightings, reason)
        tally.droppedExplanations += held.explanations
        drop(held.damaged, .damaged)
        // Written before the file is removed: a run that finds both knows which one counts.
        var records = held.savedBytes > 0 ? [SegmentRecord.replaces(key: held.key)] : []
        let segment = (try? read(held)).map(Segment.init)
        // Records that were rejected alone would be rejected alone again: they are sent with later records.
        let isRefused = reason == .refused || reason == .tooLong
        let isDue = !isRefused || segment?.reports.isEmpty == false
        if let segment {
            let leftovers = segment.leftovers(reason, wasSent: held.sentAt != nil)
            records += leftovers.denominators
            // Added up, so that they take no more space than before.
            if isDue {
                tell(leftovers.drops)
            } else {
                records += leftovers.drops.map {
                    .dropped(reason: $0.reason, count: UInt64(clamping: $0.count))
                }
            }
        }
        waiting.removeAll { $0.key == held.key }
        write(records, isDue: isDue, at: now)
        remove(held)
        if let open { holdBack(open.held.key, until: held.successorOf.union([held.fileName])) }
        // Later records need not wait until the file is removed.
        if lingering[held.fileName] != nil { close() }
    }

    /// Discards everything, at the request of the app.
    mutating func deleteAll() {
        drop(waitingSightings, .deleted)
        tally.droppedExplanations += waitingExplanations
        for held in waiting + [open?.held].compactMap(\.self) { remove(held) }
        open = nil
        awayKey = nil
        forgetDrops()
    }
}

extension Segment {
    /// Returns the records of a segment that are still to be sent without its reports.
    fileprivate func leftovers(
        _ reason: LeakReporter.DropReason, wasSent: Bool
    ) -> (denominators: [SegmentRecord], drops: [DroppedReports]) {
        let denominators =
            checkSums.map(SegmentRecord.checks) + sessions.map(SegmentRecord.session)
        let dropped = dropSums
        switch reason {
        // The batch was answered, and nothing of it was counted. Checks and sessions that were rejected alone would be rejected
        // again.
        case .refused, .tooLong: return (reports.isEmpty ? [] : denominators, dropped)
        // If they were kept, they would fill the space that is to be freed.
        case .queueFull: return ([], wasSent ? [] : dropped)
        // It is unknown whether the collector counted them.
        default: return wasSent ? ([], []) : (denominators, dropped)
        }
    }
}
