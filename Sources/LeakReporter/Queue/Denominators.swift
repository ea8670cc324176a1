import LeakMessage

/// What the number of leaks is divided by: how often each class was checked since the last batch, and which sessions
/// ended.
struct Denominators: Hashable, Sendable {
    private(set) var counts: [String: Int] = [:]
    private(set) var sessions: [EndedSession] = []

    /// One batch carries this many classes; a large app has a few hundred.
    static let classLimit = WireLimits.checksCount
    /// And this many sessions, the newest of them.
    static let sessionLimit = WireLimits.sessionsCount

    var isEmpty: Bool { counts.isEmpty && sessions.isEmpty }

    /// Adds to what is there. Classes beyond ``classLimit`` are left out: their share is then unknown, not wrong.
    mutating func add(_ checks: [ClassChecks]) {
        for check in checks where check.count > 0 && !check.className.isEmpty {
            if let old = counts[check.className] {
                let (sum, isTooLarge) = old.addingReportingOverflow(check.count)
                counts[check.className] = isTooLarge ? .max : sum
            } else if counts.count < Self.classLimit {
                counts[check.className.prefix(utf8: WireLimits.classBytes)] = check.count
            }
        }
    }

    mutating func add(_ session: EndedSession) {
        var session = session
        session.id = session.id.prefix(utf8: WireLimits.sessionIDBytes)
        sessions.append(session)
        if sessions.count > Self.sessionLimit { sessions.removeFirst(sessions.count - Self.sessionLimit) }
    }

    /// Takes back what a batch could not deliver, which is older than what is here.
    mutating func restore(_ older: Denominators) {
        add(older.list)
        sessions = Array((older.sessions + sessions).suffix(Self.sessionLimit))
    }

    /// The checks by name, so that the same counts are the same bytes.
    var list: [ClassChecks] {
        counts.sorted { $0.key < $1.key }.map { ClassChecks(className: $0.key, count: $0.value) }
    }
}
