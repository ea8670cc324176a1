// Evicting connections, so that new ones can be accepted.
extension Loop {
    /// Milliseconds during which even an idle connection is not evicted. The first request arrives with the end of the handshake,
    /// so this is enough on the slowest connection.
    private static let graceMilliseconds: UInt64 = 50
    /// Milliseconds between two scans of all connections.
    private static let scanPauseMilliseconds: UInt64 = 10

    /// Closes the connection that has waited longest: an idle connection, or else a connection whose peer is slow in sending or in
    /// reading its response.
    ///
    /// A peer that has more than half of the allowed connections can evict only its own connections. Other peers evict the
    /// connections of this peer first, even if they are busy, except connections on which the server still owes a response.
    ///
    /// Idle connections are closed without a response, which is allowed at any time (RFC 9112 §9.5).
    ///
    /// - Parameter incoming: the peer whose new connection needs room; `nil` if it is not known yet.
    /// - Returns: `true` if a connection was closed.
    func evictConnection(for incoming: PeerGroup?) -> Bool {
        let dominantPeer = limiter.dominantPeer
        if evictionCandidates.peer != dominantPeer {
            evictionCandidates = EvictionCandidates(of: dominantPeer)
        }
        while true {
            if evictionCandidates.isEmpty { scan(for: dominantPeer) }
            guard let candidate = evictionCandidates.first else { return false }
            if candidate.isOnlyForOtherPeers && (incoming == nil || incoming == dominantPeer) {
                // Another connection may have waited long enough since the last scan.
                guard now >= nextScan else { return false }
                evictionCandidates = EvictionCandidates(of: dominantPeer)
                continue
            }
            evictionCandidates.removeFirst()
            guard let connection = connection(candidate.id), isUnchanged(connection, candidate) else {
                continue
            }
            // The expected bytes may have arrived without having been reported yet.
            guard receive(connection) else { return true }
            finishTurn(connection)
            guard connections[Int(candidate.id.index)] === connection else { return true }
            guard isUnchanged(connection, candidate) else { continue }
            counters.evicted += 1
            if canSendUnavailable(connection) {
                if isObserved { recordEviction(connection) }
                countResponse(.serviceUnavailable)
                sendUnavailable(connection.socket.number)
            }
            close(connection)
            return true
        }
    }

    /// Returns `true` if the peer would read a 503 as the response to its incomplete request, because no earlier response is
    /// pending.
    private func canSendUnavailable(_ connection: Connection) -> Bool {
        guard connection.phase == .open, connection.pendingOutput == nil else { return false }
        guard connection.upload == nil else { return connection.unansweredCount == 1 }
        return connection.unansweredCount == 0 && connection.partialHead?.parser.hasBegun == true
    }

    private func isUnchanged(_ connection: Connection, _ candidate: EvictionCandidates.Candidate) -> Bool {
        // Bytes that a rejected peer still sends do not protect its connection from eviction.
        connection.timer == candidate.timer
            && (connection.timer == .linger || connection.deadline == candidate.deadline)
    }

    private func scan(for dominantPeer: PeerGroup?) {
        guard now >= nextScan else { return }
        nextScan = now + Self.scanPauseMilliseconds
        for index in connections.indices {
            guard let connection = connections[index],
                dominantPeer == nil || connection.peer == dominantPeer,
                let (rank, hasWaitedLongEnough) = rank(of: connection),
                hasWaitedLongEnough || dominantPeer != nil
            else { continue }
            evictionCandidates.add(
                .init(
                    id: connection.id, rank: rank, isOnlyForOtherPeers: !hasWaitedLongEnough,
                    timer: connection.timer,
                    deadline: connection.deadline))
        }
        evictionCandidates.finishScan()
        if evictionCandidates.isEmpty {
            limiter.recordNoneToEvict(in: loopNumber, until: now + Self.graceMilliseconds)
        }
    }

    /// - Returns: the rank, highest for the connection to evict first, and whether the connection has waited long enough to be
    ///   evicted for any peer; `nil` if the connection must stay.
    private func rank(of connection: Connection) -> (UInt64, hasWaitedLongEnough: Bool)? {
        // The requests of this connection have arrived and wait for their turn.
        guard !connection.isDeferred else { return nil }
        let allowance: Duration
        var isIdle = false
        switch connection.timer {
        // The connection waits for the server.
        case .none: return nil
        case .fresh: (allowance, isIdle) = (limits.headTime, true)
        case .idle: (allowance, isIdle) = (limits.idleTime, true)
        case .linger: (allowance, isIdle) = (limits.lingerTotalTime, true)
        case .head: allowance = limits.headTime
        case .body:
            // The service may still have earlier requests of this connection.
            guard connection.unansweredCount == (connection.upload == nil ? 0 : 1) else { return nil }
            allowance = limits.bodyTime
        case .write: allowance = limits.writeTime
        }
        // The part of the allowed time that has passed. Progress of the peer, such as body bytes or reading, has moved the
        // deadline.
        let end = now + allowance.milliseconds
        let deadline = connection.timer == .linger ? connection.lingerEnd : connection.deadline
        let waitedMilliseconds = end > deadline ? end - deadline : 0
        // A connection that is not idle may be evicted after a tenth of its allowed time.
        let waitMilliseconds =
            isIdle ? Self.graceMilliseconds : max(allowance.milliseconds / 10, Self.graceMilliseconds)
        guard waitedMilliseconds >= waitMilliseconds else { return (waitedMilliseconds, false) }
        return (waitedMilliseconds + (isIdle ? 1 << 62 : 1 << 61), true)
    }
}
