import LeakMessage

extension SegmentQueue {
    /// Six days, see ``LeakReporter/DropReason/tooOld``.
    static let longestRetryMilliseconds: Int64 = 6 * 86_400_000
    /// A wall clock that goes back by more than this was set, and no longer tells how old a batch is.
    static let longestStepBackMilliseconds: Int64 = 86_400_000

    enum NextBatch: Hashable {
        case batch(Batch)
        /// No closed segment waits that may be sent.
        case none
        /// What waits is not to be had from the disk right now.
        case failure(FileFailure)
    }

    /// An app that is out of descriptors for so long has died otherwise; a file that cannot be read for so long is lost.
    private static let longestUnreadableMilliseconds = 6 * 3_600_000

    /// The oldest batch, frozen: it is the same bytes each time, from now on also after a restart.
    ///
    /// - Parameter last: no segment that began with a later record.
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
                // Nobody knows whether the collector counted the batch, so nothing of it goes under another key.
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

    /// - Returns: `nil` when there is nothing in the segment, which is gone then.
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
        let seal = segment.seal ?? freeze(segment, bytes, &held, now.wallTime)
        waiting[position] = held
        try keepSeal(at: position)
        awayKey = held.key
        return Batch(key: held.key, body: segment.body(seal), counts: segment.ordered.map(\.report.count))
    }

    /// Writes down the bytes that are to be sent, and has them survive a power cut: a batch that the collector has and
    /// that came back otherwise would be refused, and then be counted as lost.
    private mutating func freeze(
        _ segment: Segment, _ bytes: [UInt8], _ held: inout HeldSegment, _ wallTime: WireTime
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

    /// What the disk has in part it must have whole before it is sent: in the next run it would be other bytes otherwise.
    private mutating func keepSeal(at position: Int) throws(FileFailure) {
        var held = waiting[position]
        guard let folder, !held.isContentFixed else { return }
        save(&held)
        waiting[position] = held
        if held.savedBytes == 0 {
            // Nothing of it is on the disk, and it stays in memory: a part of it in a file would be another batch under
            // the same key in the next run.
            waiting[position].isContentFixed = true
            return
        }
        if !held.unsaved.isEmpty, let saveFailure { throw saveFailure }
        try folder.sync(held.fileName)
        waiting[position].isContentFixed = true
    }

    /// Of a segment whose first record is damaged: the app is known, which build of it is not.
    var unknownOrigin: SegmentHeader {
        SegmentHeader(
            key: "", app: AppInfo(id: origin.app.id, module: origin.app.module), device: DeviceInfo())
    }

    /// Remembers what the file no longer tells.
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

    // MARK: What came of it

    /// The collector has it.
    ///
    /// - Parameter rejected: indexes of the reports that it did not take.
    mutating func finishAccepted(_ batch: Batch, rejected: [Int]) {
        guard let held = away(batch) else { return }
        let lost = Set(rejected).reduce(0) { $0 + (batch.counts.indices.contains($1) ? batch.counts[$1] : 0) }
        tally.batches += 1
        tally.sent += batch.sightings - lost
        tally.sentExplanations += held.explanations
        // The collector knows of these; telling it as dropped would count them twice.
        drop(lost, .rejected)
        tally.stored += held.unsavedSightings
        drop(held.damaged, .damaged)
        batchReports = min(batchReports * 2, bounds.batchReports)
        remove(held)
    }

    /// The collector will never take it, and has counted nothing of it.
    mutating func finishRefused(_ batch: Batch, _ reason: LeakReporter.DropReason, at now: Now) {
        guard let held = away(batch) else { return }
        discard(held, reason, at: now)
    }

    /// The collector may have counted it.
    mutating func finishPostponed() { awayKey = nil }

    /// The collector may have counted it, and the others are sent before it is sent again.
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

    /// It was not counted.
    ///
    /// - Parameter isLast: whether the others are sent before it is sent again.
    mutating func finishUncounted(_ batch: Batch, isLast: Bool) {
        guard away(batch) != nil, let position = waiting.firstIndex(where: { $0.key == batch.key }) else {
            return
        }
        removeSeal(at: position)
        if isLast { moveBehindOthers(position) }
    }

    /// Removes the seal that the last attempt wrote, if no attempt before may have been counted: how old the batch is
    /// counts from the next one on. Where the file cannot be changed the seal stays, which is the cautious side.
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

    // MARK: Thrown away

    /// Throws a segment's reports and explanations away. What else it holds goes on in the open segment, unless the collector
    /// may have counted it.
    ///
    /// Explanations do not go on: most are of the reports that go, they are not summed, and with each batch that is refused
    /// the next one would be longer by those of all before.
    mutating func discard(_ held: HeldSegment, _ reason: LeakReporter.DropReason, at now: Now) {
        drop(held.sightings, reason)
        tally.droppedExplanations += held.explanations
        drop(held.damaged, .damaged)
        // Before the file goes: whoever finds both sees which of them counts.
        var records = held.savedBytes > 0 ? [SegmentRecord.replaces(key: held.key)] : []
        let segment = (try? read(held)).map(Segment.init)
        // What was refused alone would be refused alone again, and again: it goes with what comes.
        let isRefused = reason == .refused || reason == .tooLong
        let isDue = !isRefused || segment?.reports.isEmpty == false
        if let segment {
            let leftovers = segment.leftovers(reason, wasSent: held.sentAt != nil)
            records += leftovers.denominators
            // Added up, so that they take no more room than before.
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
        // What comes need not wait until it is gone.
        if lingering[held.fileName] != nil { close() }
    }

    /// Throws everything away, as the app asks.
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
    /// What is to be sent of a segment without its reports.
    fileprivate func leftovers(
        _ reason: LeakReporter.DropReason, wasSent: Bool
    ) -> (denominators: [SegmentRecord], drops: [DroppedReports]) {
        let denominators =
            checkSums.map(SegmentRecord.checks) + sessions.map(SegmentRecord.session)
        let dropped = dropSums
        switch reason {
        // It was answered, and nothing of it was counted. Denominators that were refused alone would be again.
        case .refused, .tooLong: return (reports.isEmpty ? [] : denominators, dropped)
        // Kept, they would fill the room that is to be made.
        case .queueFull: return ([], wasSent ? [] : dropped)
        // Nobody knows what was counted.
        default: return wasSent ? ([], []) : (denominators, dropped)
        }
    }
}
