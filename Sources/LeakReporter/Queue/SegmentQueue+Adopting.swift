import LeakMessage

extension SegmentQueue {
    /// Takes over what runs that have ended left behind.
    mutating func adopt(at now: Now) {
        guard let folder else { return }
        let names = folder.adopt()
        adoptSegments(names, folder)
        adoptSessions(names, folder, at: now)
    }

    private mutating func adoptSegments(_ names: [String], _ folder: any SegmentFolder) {
        let own = Set(waiting.map(\.fileName) + [open?.held.fileName].compactMap(\.self))
        var found: [(held: HeldSegment, parent: String?)] = []
        var replaced: Set<String> = []
        for name in names where name.hasSuffix(HeldSegment.fileEnding) && !own.contains(name) {
            let key = String(name.dropLast(HeldSegment.fileEnding.count))
            var held = HeldSegment(key: key, firstTicket: 0)
            // What cannot be read today may be readable at the next start.
            guard let bytes = try? folder.read(name) else { continue }
            let segment = Segment(bytes)
            held.savedBytes = bytes.count
            held.sightings = segment.sightings
            held.damaged = segment.damagedSightings
            held.sentAt = segment.seal?.sentAt
            replaced.formUnion(segment.replaced)
            found.append((held, segment.header?.parent))
        }
        let keys = Set(found.map(\.held.key))
        for (held, parent) in found {
            if replaced.contains(held.key) || parent.map(keys.contains) == true {
                remove(held)
            } else {
                waiting.append(held)
            }
        }
        // By time, which the keys begin with.
        waiting.sort { $0.key < $1.key }
    }

    /// A session that did not end before its process did ended with it.
    private mutating func adoptSessions(_ names: [String], _ folder: any SegmentFolder, at now: Now) {
        for name in names where name.hasSuffix(SessionLog.fileEnding) {
            guard let bytes = try? folder.read(name) else { continue }
            if let session = SessionLog.newest(in: bytes), !session.isUnknown, !holds(session) {
                add(session, at: now)
                write([], at: now)
            }
            try? folder.remove(name)
        }
    }

    /// Whether the session was handed over before its log went.
    private func holds(_ session: EndedSession) -> Bool {
        waiting.contains { held in
            guard let bytes = read(held) else { return false }
            return Segment(bytes).sessions.contains { $0.id == session.id }
        }
    }
}
