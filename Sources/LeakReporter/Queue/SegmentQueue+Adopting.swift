import LeakMessage

extension SegmentQueue {
    /// Takes over what runs that have ended left behind.
    ///
    /// - Parameter running: the file of the session that goes on, which is not over.
    mutating func adopt(butNot running: String?, at now: Now) {
        guard let folder else { return }
        let names = folder.adopt()
        let handedOver = adoptSegments(names, folder, at: now)
        let logs = names.filter { $0.hasSuffix(SessionLog.fileEnding) && $0 != running }
        adoptSessions(logs, folder, handedOver, at: now)
    }

    /// - Returns: the sessions that stand in them.
    private mutating func adoptSegments(_ names: [String], _ folder: any SegmentFolder, at now: Now) -> Set<
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
            // What cannot be read today may be readable at the next start.
            guard let bytes = try? folder.read(name) else { continue }
            let segment = Segment(bytes)
            held.appID = segment.header.map { $0.app.id } ?? origin.app.id
            held.savedBytes = bytes.count
            held.sightings = segment.sightings
            held.explanations = segment.explanations.count
            held.damaged = segment.damagedSightings
            held.sentAt = segment.seal?.sentAt
            // It may have failed again and again.
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
        // By time, which the keys begin with; those that failed stay behind the others.
        waiting.sort { ($0.isDeclined ? 1 : 0, $0.key) < ($1.isDeclined ? 1 : 0, $1.key) }
        return sessions
    }

    private mutating func adoptRetries(_ sent: [HeldSegment], at now: Now) {
        guard let newest = sent.compactMap({ $0.sentAt?.milliseconds }).max() else { return }
        // A clock that was set leaves no more than the wait that follows now.
        let (age, isOutOfRange) = now.wallTime.milliseconds.subtractingReportingOverflow(newest)
        let wait = Int64(BatchRetries.untriedMilliseconds)
        let since = isOutOfRange ? wait : min(max(age, 0), wait)
        retries.adopt(sent.map(\.key), lastSentAt: now.moment.advanced(byMilliseconds: -Int(since)))
    }

    /// A session that did not end before its process did ended with it.
    ///
    /// - Parameter handedOver: sessions that were handed over before their logs went.
    private mutating func adoptSessions(
        _ names: [String], _ folder: any SegmentFolder, _ handedOver: Set<String>, at now: Now
    ) {
        for name in names {
            guard lingering[name] == nil, let bytes = try? folder.read(name) else { continue }
            let session = SessionLog.newest(in: bytes)
            let isNews = session.map { !$0.isUnknown && !handedOver.contains($0.id) } == true
            add(isNews ? session : nil, log: name, of: Segment(bytes).header, at: now)
        }
    }
}
