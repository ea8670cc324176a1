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

    /// A file that is there and cannot be read this often in a row is lost.
    private static let failedReadsLimit = 8

    /// The oldest batch, frozen: it is the same bytes each time, from now on also after a restart.
    ///
    /// - Parameter last: no segment that began with a later record.
    mutating func nextBatch(through last: UInt64, at now: Now) -> NextBatch {
        var failure: FileFailure?
        var position = 0
        while position < waiting.count {
            let held = waiting[position]
            guard held.firstTicket <= last else {
                position += 1
                continue
            }
            if let sentAt = held.sentAt, Self.isTooOld(sentAt, at: now.wallTime) {
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
        for name in held.successorOf where lingering[name] != nil {
            removeFile(name)
            if let failure = lingering[name] { throw failure }
        }
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try read(held)
        } catch {
            waiting[position].failedReads += 1
            guard error.isMissing || held.failedReads + 1 >= Self.failedReadsLimit else { throw error }
            discard(held, .damaged, at: now)
            return nil
        }
        held.failedReads = 0
        let segment = Segment(bytes)
        noteDamage(segment, &held)
        guard !segment.isEmpty else {
            drop(held.damaged, .damaged)
            remove(held)
            return nil
        }
        let seal = segment.seal ?? freeze(segment, bytes, &held, now.wallTime)
        waiting[position] = held
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
        held.sentAt = wallTime
        save(&held)
        if held.unsaved.isEmpty { try? folder?.sync(held.fileName) }
        return seal
    }

    /// Of a segment whose first record is damaged: the app is known, which build of it is not.
    var unknownOrigin: SegmentHeader {
        SegmentHeader(
            key: "", app: AppInfo(id: origin.app.id, module: origin.app.module), device: DeviceInfo())
    }

    /// Remembers what the file no longer tells.
    private func noteDamage(_ segment: Segment, _ held: inout HeldSegment) {
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

    mutating func finishPostponed() { awayKey = nil }

    mutating func away(_ batch: Batch) -> HeldSegment? {
        defer { awayKey = nil }
        return waiting.first { $0.key == batch.key }
    }

    // MARK: Thrown away

    /// Throws a segment's reports away. What else it holds goes on in the open segment, unless the collector may have
    /// counted it.
    mutating func discard(_ held: HeldSegment, _ reason: LeakReporter.DropReason, at now: Now) {
        drop(held.sightings, reason)
        drop(held.damaged, .damaged)
        // Before the file goes: whoever finds both sees which of them counts.
        var records = held.savedBytes > 0 ? [SegmentRecord.replaces(key: held.key)] : []
        let segment = (try? read(held)).map(Segment.init)
        if let segment { records += segment.leftovers(reason, wasSent: held.sentAt != nil) }
        waiting.removeAll { $0.key == held.key }
        // What was refused alone would be refused alone again, and again: it goes with what comes.
        let isRefused = reason == .refused || reason == .tooLong
        write(records, isDue: !isRefused || segment?.reports.isEmpty == false, at: now)
        open?.held.successorOf += held.successorOf + [held.fileName]
        remove(held)
        // What comes need not wait until it is gone.
        if lingering[held.fileName] != nil { close() }
    }

    /// Throws everything away, as the app asks.
    mutating func deleteAll() {
        drop(waitingSightings, .deleted)
        for held in waiting + [open?.held].compactMap(\.self) { remove(held) }
        open = nil
        awayKey = nil
        forgetDrops()
    }
}

extension Segment {
    /// What is to be sent of a segment without its reports.
    fileprivate func leftovers(_ reason: LeakReporter.DropReason, wasSent: Bool) -> [SegmentRecord] {
        let drops = dropped.map {
            SegmentRecord.dropped(reason: $0.reason, count: UInt64(clamping: $0.count))
        }
        let denominators = checks.map(SegmentRecord.checks) + sessions.map(SegmentRecord.session)
        switch reason {
        // It was answered, and nothing of it was counted. Denominators that were refused alone would be again.
        case .refused, .tooLong: return drops + (reports.isEmpty ? [] : denominators)
        // Nobody knows what was counted.
        default: return wasSent ? [] : drops + denominators
        }
    }
}
