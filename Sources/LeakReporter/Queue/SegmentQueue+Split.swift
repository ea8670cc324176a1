import LeakMessage

extension SegmentQueue {
    /// Splits a segment into two, because its batch was too long for the collector, which counted nothing of it. A report or
    /// another record that alone is too long is discarded.
    mutating func split(_ batch: Batch, at now: CurrentTime) {
        guard let queuedSegment = endInFlight(batch),
            let position = waitingSegments.firstIndex(where: { $0.key == queuedSegment.key }),
            let bytes = try? read(queuedSegment)
        else { return }
        let segment = Segment(bytes)
        let pieces = segment.pieces
        guard pieces.count > 1 else { return discard(queuedSegment, .tooLong, at: now) }
        drop(queuedSegment.damagedSightingCount, .damaged)
        if batch.counts.count > 1 { nextBatchReportLimit = batch.counts.count / 2 }
        var pieceSegments = pieces.map { piece in
            makePiece(piece, of: queuedSegment, segment.header ?? unknownOrigin, at: now)
        }
        // Sightings that do not count as stored yet do not count as stored in their pieces either.
        var unstoredSightings = queuedSegment.unsavedSightingCount
        for index in pieceSegments.indices {
            pieceSegments[index].unsavedSightingCount = min(
                unstoredSightings, pieceSegments[index].sightingCount)
            unstoredSightings -= pieceSegments[index].unsavedSightingCount
            save(&pieceSegments[index])
            if pieceSegments[index].unsavedBytes.isEmpty { try? folder?.sync(pieceSegments[index].fileName) }
        }
        // The pieces replace the segment from here on. If the app starts again and finds both, it ignores the pieces as long as
        // the segment exists.
        waitingSegments.replaceSubrange(position...position, with: pieceSegments)
        remove(queuedSegment)
        for piece in pieceSegments {
            block(piece.key, until: queuedSegment.blockedBy.union([queuedSegment.fileName]))
        }
    }

    /// Returns `true` if a batch that is too long can be split, or its segment cannot be read now.
    func isDivisible(_ batch: Batch) -> Bool {
        guard let queuedSegment = waitingSegments.first(where: { $0.key == batch.idempotencyKey }),
            let bytes = try? read(queuedSegment)
        else {
            return true
        }
        return Segment(bytes).pieces.count > 1
    }

    private func makePiece(
        _ records: [SegmentRecord], of wholeSegment: QueuedSegment, _ origin: SegmentHeader,
        at now: CurrentTime
    ) -> QueuedSegment {
        var header = origin
        header.key = makeID(now.wallTime)
        header.wholeSegmentKey = wholeSegment.key
        var queuedSegment = QueuedSegment(key: header.key, firstSequence: wholeSegment.firstSequence)
        queuedSegment.appID = header.app.id
        for record in [.header(header)] + records { record.write(to: &queuedSegment.unsavedBytes) }
        for case .report(_, let count, _, _) in records { queuedSegment.sightingCount += Int(count) }
        for case .explanation in records { queuedSegment.explanationCount += 1 }
        return queuedSegment
    }
}

extension Segment {
    /// The records in two pieces; in one piece if they cannot be split.
    var pieces: [[SegmentRecord]] {
        let reports = inBodyOrder.map(\.report)
        let otherRecords =
            checkSums.map(SegmentRecord.checks) + sessions.map(SegmentRecord.session)
            + explanations.map(SegmentRecord.explanation)
            + dropSums.map { .dropped(reason: $0.reason, count: UInt64(clamping: $0.count)) }
        // Either part may be too long: first the reports are separated from the rest, then each part is halved.
        switch (reports.isEmpty, otherRecords.isEmpty) {
        case (false, false): return [otherRecords, Self.numbered(reports[...])]
        case (false, true):
            guard reports.count > 1 else { return [Self.numbered(reports[...])] }
            return [
                Self.numbered(reports.prefix(reports.count / 2)),
                Self.numbered(reports.dropFirst(reports.count / 2)),
            ]
        default:
            guard otherRecords.count > 1 else { return [otherRecords] }
            return [
                Array(otherRecords.prefix(otherRecords.count / 2)),
                Array(otherRecords.dropFirst(otherRecords.count / 2)),
            ]
        }
    }

    private static func numbered(_ reports: ArraySlice<Report>) -> [SegmentRecord] {
        reports.enumerated().map { index, report in
            .report(
                index: UInt32(index), count: UInt32(clamping: report.sightingCount),
                alive: report.alive.map { UInt32(clamping: $0) }, json: report.json)
        }
    }
}
