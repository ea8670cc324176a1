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
    /// Idle connections are closed without a word, as they may be at any time (RFC 9112 §9.5).
    ///
    /// - Returns: whether one was closed.
    func makeRoom() -> Bool {
        while true {
            if shortlist.isEmpty { scan() }
            guard let candidate = shortlist.next() else { return false }
            guard let connection = connection(candidate.id), isStill(connection, candidate) else { continue }
            // What it waits for may have come and not been reported yet.
            guard receive(connection) else { return true }
            settle(connection)
            guard connections[Int(candidate.id.slot)] === connection else { return true }
            guard isStill(connection, candidate) else { continue }
            counters.evicted += 1
            if connection.upload != nil || connection.partialHead?.parser.hasBegun == true {
                excuse(connection.socket.number)
            }
            close(connection)
            return true
        }
    }

    private func isStill(_ connection: Connection, _ candidate: Shortlist.Candidate) -> Bool {
        connection.timer == candidate.timer && connection.deadline == candidate.deadline
    }

    private func scan() {
        guard now >= nextScan else { return }
        nextScan = now + Self.scanPause
        for index in connections.indices {
            guard let connection = connections[index], let rank = rank(of: connection) else { continue }
            shortlist.add(
                .init(id: connection.id, rank: rank, timer: connection.timer, deadline: connection.deadline))
        }
        shortlist.seal()
        if shortlist.isEmpty { budget.hasNobodyToEvict(in: place, until: now + Self.graceTime) }
    }

    /// - Returns: who goes first has the highest; `nil` is to stay.
    private func rank(of connection: Connection) -> UInt64? {
        let allowance: Duration
        var isIdle = false
        switch connection.timer {
        // It waits for us.
        case .none: return nil
        case .fresh: (allowance, isIdle) = (limits.headTime, true)
        case .idle: (allowance, isIdle) = (limits.idleTime, true)
        case .linger: (allowance, isIdle) = (limits.lingerTime, true)
        case .head: allowance = limits.headTime
        case .body:
            // Earlier requests of it may be with the service.
            guard connection.unanswered == (connection.upload == nil ? 0 : 1) else { return nil }
            allowance = limits.bodyTime
        case .write: allowance = limits.writeTime
        }
        // How much of its time is used up. What peers do in between, body bytes or reading, has moved the deadline.
        let end = now + allowance.milliseconds
        let waited = end > connection.deadline ? end - connection.deadline : 0
        if isIdle { return waited >= Self.graceTime ? 1 << 62 + waited : nil }
        // Behind by a tenth of what it may take.
        return waited >= max(allowance.milliseconds / 10, Self.graceTime) ? waited : nil
    }
}
