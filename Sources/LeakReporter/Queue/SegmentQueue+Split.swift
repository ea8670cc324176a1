import LeakMessage

extension SegmentQueue {
    /// Splits a segment that was too long for the collector, which has counted nothing of it, into two. A single report that is too
    /// long is discarded.
    mutating func split(_ batch: Batch, at now: CurrentTime) {
        guard let queued = endInFlight(batch),
            let position = waiting.firstIndex(where: { $0.key == queued.key }),
            let bytes = try? read(queued)
        else { return }
        let segment = Segment(bytes)
        let pieces = segment.pieces
        guard pieces.count > 1 else { return discard(queued, .tooLong, at: now) }
        drop(queued.damaged, .damaged)
        if batch.counts.count > 1 { batchReports = batch.counts.count / 2 }
        var made = pieces.map { piece in
            makePiece(piece, of: queued, segment.header ?? unknownOrigin, at: now)
        }
        // Sightings that are not counted as stored yet keep that state in their pieces.
        var uncounted = queued.unsavedSightings
        for index in made.indices {
            made[index].unsavedSightings = min(uncounted, made[index].sightings)
            uncounted -= made[index].unsavedSightings
            save(&made[index])
            if made[index].unsaved.isEmpty { try? folder?.sync(made[index].fileName) }
        }
        // The pieces replace the segment from here on. A run that finds both ignores the pieces as long as the segment exists.
        waiting.replaceSubrange(position...position, with: made)
        remove(queued)
        for piece in made { block(piece.key, until: queued.blockedBy.union([queued.fileName])) }
    }

    /// Returns `true` if a batch that is too long can be split.
    func isDivisible(_ batch: Batch) -> Bool {
        guard let queued = waiting.first(where: { $0.key == batch.key }), let bytes = try? read(queued) else {
            return true
        }
        return Segment(bytes).pieces.count > 1
    }

    private func makePiece(
        _ records: [SegmentRecord], of parent: QueuedSegment, _ origin: SegmentHeader,
        at now: CurrentTime
    ) -> QueuedSegment {
        var header = origin
        header.key = makeID(now.wallTime)
        header.parent = parent.key
        var queued = QueuedSegment(key: header.key, firstSequence: parent.firstSequence)
        queued.appID = header.app.id
        for record in [.header(header)] + records { record.write(to: &queued.unsaved) }
        for case .report(let report) in records { queued.sightings += Int(report.count) }
        for case .explanation in records { queued.explanations += 1 }
        return queued
    }
}

extension Segment {
    /// The records in two pieces; in one piece if they cannot be split.
    var pieces: [[SegmentRecord]] {
        let lines = ordered.map { entry in
            SegmentReport(
                index: 0, count: UInt32(clamping: entry.report.count),
                alive: entry.report.alive.map { UInt32(clamping: $0) }, json: entry.report.json)
        }
        let others =
            checkSums.map(SegmentRecord.checks) + sessions.map(SegmentRecord.session)
            + explanations.map(SegmentRecord.explanation)
            + dropSums.map { .dropped(reason: $0.reason, count: UInt64(clamping: $0.count)) }
        // Either part may be too long: first the reports are separated from the rest, then each part is halved.
        switch (lines.isEmpty, others.isEmpty) {
        case (false, false): return [others, Self.numbered(lines[...])]
        case (false, true):
            guard lines.count > 1 else { return [Self.numbered(lines[...])] }
            return [
                Self.numbered(lines.prefix(lines.count / 2)), Self.numbered(lines.dropFirst(lines.count / 2)),
            ]
        default:
            guard others.count > 1 else { return [others] }
            return [Array(others.prefix(others.count / 2)), Array(others.dropFirst(others.count / 2))]
        }
    }

    private static func numbered(_ lines: ArraySlice<SegmentReport>) -> [SegmentRecord] {
        lines.enumerated().map { index, line in
            var line = line
            line.index = UInt32(index)
            return .report(line)
        }
    }
}
