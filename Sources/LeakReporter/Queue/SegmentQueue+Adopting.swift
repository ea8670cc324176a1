import LeakMessage

extension SegmentQueue {
    /// Adopts the files of runs that have ended.
    ///
    /// - Parameter running: the log of the current session, which has not ended.
    mutating func adopt(butNot running: String?, at now: Now) {
        guard let folder else { return }
        let names = folder.adopt()
        let handedOver = adoptSegments(names, in: folder, at: now)
        let logs = names.filter { $0.hasSuffix(SessionLog.fileEnding) && $0 != running }
        adoptSessions(logs, in: folder, handedOver: handedOver, at: now)
    }

    /// - Returns: the ids of the sessions in them.
    private mutating func adoptSegments(_ names: [String], in folder: any SegmentFolder, at now: Now) -> Set<
        String
    > {
        let own = Set(waiting.map(\.fileName) + [open?.held.fileName].compactMap(\.self))
        var found: [(held: HeldSegment, parent: String?)] = []
        var replaced: Set<String> = []
        var sessions: Set<String> = []
        for name in names where name.hasSuffix(Segment.fileEnding) {
            let key = String(name.dropLast(Segment.fileEnding.count))
            guard !own.contains(name), lingering[name] == nil else { continue }
            var held = HeldSegment(key: key, firstTicket: ticket)
            held.hasFile = true
            // A file that cannot be read now may be readable at the next start.
            guard let bytes = try? folder.read(name) else { continue }
            let segment = Segment(bytes)
            held.appID = segment.header.map { $0.app.id } ?? origin.app.id
            held.savedBytes = bytes.count
            held.sightings = segment.sightings
            held.explanations = segment.explanations.count
            held.damaged = segment.damagedSightings
            held.sentAt = segment.seal?.sentAt
            // The segment may have failed repeatedly.
            held.isDeclined = held.sentAt != nil
            // `isContentFixed` stays false: the run that wrote the seal may have ended before it synced it.
            replaced.formUnion(segment.replaced)
            sessions.formUnion(segment.sessions.map(\.id))
            found.append((held, segment.header?.parent))
        }
        let keys = Set(found.map(\.held.key) + waiting.map(\.key))
        var sent: [HeldSegment] = []
        for (held, parent) in found {
            if replaced.contains(held.key) || parent.map(keys.contains) == true {
                remove(held)
            } else {
                waiting.append(held)
                if held.sentAt != nil { sent.append(held) }
            }
        }
        adoptRetries(sent, at: now)
        // Sorted by time, with which the keys begin; segments that failed come after the others.
        waiting.sort { ($0.isDeclined ? 1 : 0, $0.key) < ($1.isDeclined ? 1 : 0, $1.key) }
        return sessions
    }

    private mutating func adoptRetries(_ sent: [HeldSegment], at now: Now) {
        guard let newest = sent.compactMap({ $0.sentAt?.milliseconds }).max() else { return }
        // If the clock was set, the wait is at most the usual one from now on.
        let (age, isOutOfRange) = now.wallTime.milliseconds.subtractingReportingOverflow(newest)
        let wait = Int64(BatchRetries.untriedMilliseconds)
        let since = isOutOfRange ? wait : min(max(age, 0), wait)
        retries.adopt(sent.map(\.key), lastSentAt: now.moment.advanced(byMilliseconds: -Int(since)))
    }

    /// Reports sessions of ended processes. A session that had not ended before its process ended with it.
    ///
    /// - Parameter handedOver: ids of sessions that were already added to a segment before their logs were removed.
    private mutating func adoptSessions(
        _ names: [String], in folder: any SegmentFolder, handedOver: Set<String>, at now: Now
    ) {
        for name in names {
            guard lingering[name] == nil, let bytes = try? folder.read(name) else { continue }
            let session = SessionLog.newest(in: bytes)
            let isNews = session.map { !$0.isUnknown && !handedOver.contains($0.id) } == true
            add(isNews ? session : nil, log: name, of: Segment(bytes).header, at: now)
        }
    }
}
