internal import LeakPlatform

/// The limit of open connections for all loops together, and the limit per peer. A loop asks the limiter once per connection,
/// again after it has evicted a connection, and again when the client of a trusted proxy's connection changes.
final class ConnectionLimiter: Sendable {
    enum Outcome: Hashable {
        /// The connection is granted and counted.
        case granted
        /// The limit for all loops together is reached.
        case limitReached
        /// The limit of this peer is reached.
        case peerLimitReached
    }

    /// The state of one loop in the limiter.
    private struct LoopState {
        let messageQueue: MessageQueue
        var openCount = 0
        /// The time, in milliseconds on the monotonic clock, before which the loop has no connection to evict.
        var noneToEvictUntil: UInt64 = 0
    }

    private struct State {
        var openCount = 0
        var loops: [LoopState] = []
        var connectionsByPeer: [PeerGroup: Int] = [:]
        /// The peer that has more than half of the allowed connections, if there is one.
        var dominantPeer: PeerGroup?
    }

    private let state = Guarded(State())
    private let limit: Int
    private let limitPerPeer: Int?

    /// - Parameter limitPerPeer: `nil` sets no limit per peer.
    init(limit: Int, limitPerPeer: Int? = nil) {
        self.limit = limit
        self.limitPerPeer = limitPerPeer
    }

    /// Registers a loop.
    ///
    /// - Returns: the number of the loop.
    func register(_ messageQueue: MessageQueue) -> Int {
        state.with { state in
            state.loops.append(LoopState(messageQueue: messageQueue))
            return state.loops.count - 1
        }
    }

    /// Counts a new connection of `peer` in `loop`, unless a limit is reached.
    func acquire(in loop: Int, for peer: PeerGroup) -> Outcome {
        state.with { state in
            guard mayAcquire(peer, state) else { return .peerLimitReached }
            guard state.openCount < limit else { return .limitReached }
            state.openCount += 1
            state.loops[loop].openCount += 1
            add(peer, to: &state)
            return .granted
        }
    }

    /// Counts an open connection for another peer: a connection of a proxy for the client whose request it carries.
    ///
    /// - Returns: `false` if the other peer has reached its limit; the connection still counts for the first peer then.
    func move(from peer: PeerGroup, to other: PeerGroup) -> Bool {
        state.with { state in
            guard mayAcquire(other, state) else { return false }
            remove(peer, from: &state)
            add(other, to: &state)
            return true
        }
    }

    private func mayAcquire(_ peer: PeerGroup, _ state: State) -> Bool {
        guard let limitPerPeer, peer != .proxy else { return true }
        return state.connectionsByPeer[peer, default: 0] < limitPerPeer
    }

    private func add(_ peer: PeerGroup, to state: inout State) {
        guard peer != .proxy else { return }
        let count = state.connectionsByPeer[peer, default: 0] + 1
        state.connectionsByPeer[peer] = count
        if 2 * count > limit { state.dominantPeer = peer }
    }

    private func remove(_ peer: PeerGroup, from state: inout State) {
        guard peer != .proxy else { return }
        let count = state.connectionsByPeer[peer, default: 1] - 1
        // The entry of a peer without connections is removed: the table never has more entries than there are connections.
        state.connectionsByPeer[peer] = count > 0 ? count : nil
        if state.dominantPeer == peer && 2 * count <= limit { state.dominantPeer = nil }
    }

    /// Stops counting a closed connection that is counted for `peer`.
    func release(in loop: Int, for peer: PeerGroup) {
        state.with { state in
            state.openCount -= 1
            state.loops[loop].openCount -= 1
            remove(peer, from: &state)
        }
    }

    /// The peer that has more than half of the allowed connections, if there is one. Its connections are evicted first.
    var dominantPeer: PeerGroup? { state.with { $0.dominantPeer } }

    /// Records that `loop` has no connection to evict, so that other loops do not ask it before `time`, in milliseconds on the
    /// monotonic clock.
    func recordNoneToEvict(in loop: Int, until time: UInt64) {
        state.with { $0.loops[loop].noneToEvictUntil = time }
    }

    /// Returns the message queue of the loop with the most connections, except `loop` and loops that have none to evict at
    /// `now`.
    func evictionQueue(besides loop: Int, at now: UInt64) -> MessageQueue? {
        state.with { state in
            let otherLoops = state.loops.enumerated().filter { index, loopState in
                index != loop && loopState.openCount > 0 && loopState.noneToEvictUntil <= now
            }
            return otherLoops.max { $0.element.openCount < $1.element.openCount }?.element.messageQueue
        }
    }
}
