// Who has to go when there is no room for a newcomer.
extension Loop {
    /// Milliseconds that a connection keeps its place even when it is idle. The first request comes with the end of
    /// the handshake, so that this is enough on the slowest line.
    private static let graceTime: UInt64 = 50
    /// Milliseconds from one look at all connections to the next.
    private static let scanPause: UInt64 = 10

    /// Closes the connection that has waited longest: one that is idle, else one whose peer is behind with a head, a
    /// body or with reading its answer.
    ///
    /// A peer that has more than half of all places is not worth those of others: it only takes its own, and others
    /// take its places before those of anybody else, busy ones too, save while we owe it an answer.
    ///
    /// Idle connections are closed without a word, as they may be at any time (RFC 9112 §9.5).
    ///
    /// - Parameter newcomer: who needs the place; `nil` when that is not known yet.
    /// - Returns: whether one was closed.
    func makeRoom(for newcomer: PeerGroup?) -> Bool {
        let dominant = budget.dominant
        if shortlist.peer != dominant { shortlist = Shortlist(of: dominant) }
        while true {
            if shortlist.isEmpty { scan(for: dominant) }
            guard let candidate = shortlist.first else { return false }
            if candidate.isForced && (newcomer == nil || newcomer == dominant) {
                // Since the last look one may have waited long enough.
                guard now >= nextScan else { return false }
                shortlist = Shortlist(of: dominant)
                continue
            }
            shortlist.removeFirst()
            guard let connection = connection(candidate.id), isStill(connection, candidate) else { continue }
            // What it waits for may have come and not been reported yet.
            guard receive(connection) else { return true }
            settle(connection)
            guard connections[Int(candidate.id.slot)] === connection else { return true }
            guard isStill(connection, candidate) else { continue }
            counters.evicted += 1
            if mayBeExcused(connection) {
                if isObserved { noteEviction(connection) }
                count(.serviceUnavailable)
                excuse(connection.socket.number)
            }
            close(connection)
            return true
        }
    }

    /// Returns whether a 503 would be read as the answer to the request of which a part has come: nothing is owed before it.
    private func mayBeExcused(_ connection: Connection) -> Bool {
        guard connection.phase == .open, connection.outgoing == nil else { return false }
        guard connection.upload == nil else { return connection.unanswered == 1 }
        return connection.unanswered == 0 && connection.partialHead?.parser.hasBegun == true
    }

    private func isStill(_ connection: Connection, _ candidate: Shortlist.Candidate) -> Bool {
        // Bytes that a refused peer still sends are no reason to keep it.
        connection.timer == candidate.timer
            && (connection.timer == .linger || connection.deadline == candidate.deadline)
    }

    private func scan(for dominant: PeerGroup?) {
        guard now >= nextScan else { return }
        nextScan = now + Self.scanPause
        for index in connections.indices {
            guard let connection = connections[index], dominant == nil || connection.peer == dominant,
                let (rank, isFit) = rank(of: connection), isFit || dominant != nil
            else { continue }
            shortlist.add(
                .init(
                    id: connection.id, rank: rank, isForced: !isFit, timer: connection.timer,
                    deadline: connection.deadline))
        }
        shortlist.seal()
        if shortlist.isEmpty { budget.hasNobodyToEvict(in: place, until: now + Self.graceTime) }
    }

    /// - Returns: who goes first has the highest, and whether it has waited long enough to go for anybody; `nil` is to
    ///   stay whatever comes.
    private func rank(of connection: Connection) -> (UInt64, isFit: Bool)? {
        // What it has asked is here and waits for its turn.
        guard !connection.isQueued else { return nil }
        let allowance: Duration
        var isIdle = false
        switch connection.timer {
        // It waits for us.
        case .none: return nil
        case .fresh: (allowance, isIdle) = (limits.headTime, true)
        case .idle: (allowance, isIdle) = (limits.idleTime, true)
        case .linger: (allowance, isIdle) = (limits.lingerTotalTime, true)
        case .head: allowance = limits.headTime
        case .body:
            // Earlier requests of it may be with the service.
            guard connection.unanswered == (connection.upload == nil ? 0 : 1) else { return nil }
            allowance = limits.bodyTime
        case .write: allowance = limits.writeTime
        }
        // How much of its time is used up. What peers do in between, body bytes or reading, has moved the deadline.
        let end = now + allowance.milliseconds
        let deadline = connection.timer == .linger ? connection.lingerEnd : connection.deadline
        let waited = end > deadline ? end - deadline : 0
        // Behind by a tenth of what it may take.
        let patience = isIdle ? Self.graceTime : max(allowance.milliseconds / 10, Self.graceTime)
        guard waited >= patience else { return (waited, false) }
        return (waited + (isIdle ? 1 << 62 : 1 << 61), true)
    }
}
