import LeakMessage

extension SegmentQueue {
    /// Adopts the files of runs that have ended.
    ///
    /// - Parameter currentSessionLog: the log of the current session, which has not ended.
    mutating func adopt(excluding currentSessionLog: String?, at now: CurrentTime) {
        guard let folder else { return }
        let names = folder.adopt()
        let reportedSessionIDs = adoptSegments(names, in: folder, at: now)
        let logNames = names.filter { $0.hasSuffix(SessionLog.fileEnding) && $0 != currentSessionLog }
        adoptSessions(logNames, in: folder, reportedSessionIDs: reportedSessionIDs, at: now)
    }

    /// Adds the segments among the adopted files to the queue.
    ///
    /// - Returns: the ids of the sessions in these segments.
    private mutating func adoptSegments(_ names: [String], in folder: any SegmentFolder, at now: CurrentTime)
        -> Set<
            String
        >
    {
        let ownFileNames = Set(
            waitingSegments.map(\.fileName) + [activeSegment?.queuedSegment.fileName].compactMap(\.self))
        var foundSegments: [(queuedSegment: QueuedSegment, wholeSegmentKey: String?)] = []
        var replacedKeys: Set<String> = []
        var sessions: Set<String> = []
        for name in names where name.hasSuffix(Segment.fileEnding) {
            let key = String(name.dropLast(Segment.fileEnding.count))
            guard !ownFileNames.contains(name), unremovedFiles[name] == nil else { continue }
            var queuedSegment = QueuedSegment(key: key, firstSequence: sequence)
            queuedSegment.hasFile = true
            // A file that cannot be read now may be readable at the next start.
            guard let bytes = try? folder.read(name) else { continue }
            let segment = Segment(bytes)
            queuedSegment.appID = segment.header.map { $0.app.id } ?? origin.app.id
            queuedSegment.savedByteCount = bytes.count
            queuedSegment.sightingCount = segment.sightingCount
            queuedSegment.explanationCount = segment.explanations.count
            queuedSegment.damagedSightingCount = segment.damagedSightingCount
            queuedSegment.sentAt = segment.footer?.sentAt
            // The segment may have failed repeatedly, so other segments go first.
            queuedSegment.isRetry = queuedSegment.sentAt != nil
            // `isContentFixed` stays false: the run that wrote the footer may have ended before it synced the file.
            replacedKeys.formUnion(segment.replacedKeys)
            sessions.formUnion(segment.sessions.map(\.id))
            foundSegments.append((queuedSegment, segment.header?.wholeSegmentKey))
        }
        let keys = Set(foundSegments.map(\.queuedSegment.key) + waitingSegments.map(\.key))
        var sentSegments: [QueuedSegment] = []
        for (queuedSegment, wholeSegmentKey) in foundSegments {
            if replacedKeys.contains(queuedSegment.key) || wholeSegmentKey.map(keys.contains) == true {
                remove(queuedSegment)
            } else {
                waitingSegments.append(queuedSegment)
                if queuedSegment.sentAt != nil { sentSegments.append(queuedSegment) }
            }
        }
        adoptRetries(sentSegments, at: now)
        // Sorted by key, which begins with the time; segments that failed come last.
        waitingSegments.sort { ($0.isRetry ? 1 : 0, $0.key) < ($1.isRetry ? 1 : 0, $1.key) }
        return sessions
    }

    private mutating func adoptRetries(_ sentSegments: [QueuedSegment], at now: CurrentTime) {
        guard let newest = sentSegments.compactMap({ $0.sentAt?.milliseconds }).max() else { return }
        // If the clock was set, the batches wait at most the usual time from now on.
        let (age, isOutOfRange) = now.wallTime.milliseconds.subtractingReportingOverflow(newest)
        let maxWait = Int64(BatchRetries.untriedMilliseconds)
        let elapsed = isOutOfRange ? maxWait : min(max(age, 0), maxWait)
        retries.adopt(
            sentSegments.map(\.key),
            newestFirstSentAt: now.monotonicTime.advanced(byMilliseconds: -Int(elapsed)))
    }

    /// Adds the sessions of ended processes to the active segment. A session that was running when its process ended has ended with
    /// it.
    ///
    /// - Parameter reportedSessionIDs: ids of sessions that were already added to a segment before their logs were removed.
    private mutating func adoptSessions(
        _ names: [String], in folder: any SegmentFolder, reportedSessionIDs: Set<String>, at now: CurrentTime
    ) {
        for name in names {
            guard unremovedFiles[name] == nil, let bytes = try? folder.read(name) else { continue }
            let session = SessionLog.newest(in: bytes)
            let isUnreported = session.map { !$0.isEmpty && !reportedSessionIDs.contains($0.id) } == true
            add(isUnreported ? session : nil, log: name, of: Segment(bytes).header, at: now)
        }
    }
}
