import LeakMessage

extension SegmentQueue {
    /// Adopts the files of runs that have ended.
    ///
    /// - Parameter running: the log of the current session, which has not ended.
    mutating func adopt(excluding running: String?, at now: CurrentTime) {
        guard let folder else { return }
        let names = folder.adopt()
        let handedOver = adoptSegments(names, in: folder, at: now)
        let logs = names.filter { $0.hasSuffix(SessionLog.fileEnding) && $0 != running }
        adoptSessions(logs, in: folder, handedOver: handedOver, at: now)
    }

    /// Adds the segments among the adopted files to the queue.
    ///
    /// - Returns: the ids of the sessions in these segments.
    private mutating func adoptSegments(_ names: [String], in folder: any SegmentFolder, at now: CurrentTime)
        -> Set<
            String
        >
    {
        let own = Set(waiting.map(\.fileName) + [open?.queued.fileName].compactMap(\.self))
        var found: [(queued: QueuedSegment, parent: String?)] = []
        var replaced: Set<String> = []
        var sessions: Set<String> = []
        for name in names where name.hasSuffix(Segment.fileEnding) {
            let key = String(name.dropLast(Segment.fileEnding.count))
            guard !own.contains(name), unremovedFiles[name] == nil else { continue }
            var queued = QueuedSegment(key: key, firstSequence: sequence)
            queued.hasFile = true
            // A file that cannot be read now may be readable at the next start.
            guard let bytes = try? folder.read(name) else { continue }
            let segment = Segment(bytes)
            queued.appID = segment.header.map { $0.app.id } ?? origin.app.id
            queued.savedBytes = bytes.count
            queued.sightings = segment.sightings
            queued.explanations = segment.explanations.count
            queued.damaged = segment.damagedSightings
            queued.sentAt = segment.footer?.sentAt
            // The segment may have failed repeatedly, so other segments go first.
            queued.isDeclined = queued.sentAt != nil
            // `isContentFixed` stays false: the run that wrote the footer may have ended before it synced it.
            replaced.formUnion(segment.replaced)
            sessions.formUnion(segment.sessions.map(\.id))
            found.append((queued, segment.header?.parent))
        }
        let keys = Set(found.map(\.queued.key) + waiting.map(\.key))
        var sent: [QueuedSegment] = []
        for (queued, parent) in found {
            if replaced.contains(queued.key) || parent.map(keys.contains) == true {
                remove(queued)
            } else {
                waiting.append(queued)
                if queued.sentAt != nil { sent.append(queued) }
            }
        }
        adoptRetries(sent, at: now)
        // Sorted by time, with which the keys begin; segments that failed come after the others.
        waiting.sort { ($0.isDeclined ? 1 : 0, $0.key) < ($1.isDeclined ? 1 : 0, $1.key) }
        return sessions
    }

    private mutating func adoptRetries(_ sent: [QueuedSegment], at now: CurrentTime) {
        guard let newest = sent.compactMap({ $0.sentAt?.milliseconds }).max() else { return }
        // If the clock was set, the wait is at most the usual one from now on.
        let (age, isOutOfRange) = now.wallTime.milliseconds.subtractingReportingOverflow(newest)
        let wait = Int64(BatchRetries.untriedMilliseconds)
        let since = isOutOfRange ? wait : min(max(age, 0), wait)
        retries.adopt(sent.map(\.key), lastSentAt: now.moment.advanced(byMilliseconds: -Int(since)))
    }

    /// Adds the sessions of ended processes to the open segment. A session that was running when its process ended has ended with
    /// it.
    ///
    /// - Parameter handedOver: ids of sessions that were already added to a segment before their logs were removed.
    private mutating func adoptSessions(
        _ names: [String], in folder: any SegmentFolder, handedOver: Set<String>, at now: CurrentTime
    ) {
        for name in names {
            guard unremovedFiles[name] == nil, let bytes = try? folder.read(name) else { continue }
            let session = SessionLog.newest(in: bytes)
            let isUnreported = session.map { !$0.isUnknown && !handedOver.contains($0.id) } == true
            add(isUnreported ? session : nil, log: name, of: Segment(bytes).header, at: now)
        }
    }
}
