internal import LeakPlatform

/// How many connections all loops together may hold, and how many of them one peer. Asked once for each connection.
final class ConnectionBudget: Sendable {
    enum Verdict: Hashable {
        /// There is room for one more, which is now counted.
        case granted
        /// All places are taken.
        case full
        /// This peer has all it may have.
        case crowded
    }

    /// What one loop does with the budget.
    private struct Share {
        let mailbox: Mailbox
        var open = 0
        /// Until then, in milliseconds on the monotonic clock, it is of no use to ask the loop for room.
        var hasNobodyToEvictUntil: UInt64 = 0
    }

    private struct State {
        var open = 0
        var shares: [Share] = []
        var peers: [PeerGroup: Int] = [:]
        /// The one peer, if any, that has more than half of the places.
        var dominant: PeerGroup?
    }

    private let state = Guarded(State())
    private let limit: Int
    private let limitPerPeer: Int?

    /// - Parameter limitPerPeer: `nil` is as many as there are places.
    init(limit: Int, limitPerPeer: Int? = nil) {
        self.limit = limit
        self.limitPerPeer = limitPerPeer
    }

    /// Makes a loop a partner.
    ///
    /// - Returns: its number.
    func join(_ mailbox: Mailbox) -> Int {
        state.with { state in
            state.shares.append(Share(mailbox: mailbox))
            return state.shares.count - 1
        }
    }

    /// Asks for room for one connection of `peer` in `loop`.
    func take(in loop: Int, for peer: PeerGroup) -> Verdict {
        state.with { state in
            guard mayTake(peer, state) else { return .crowded }
            guard state.open < limit else { return .full }
            state.open += 1
            state.shares[loop].open += 1
            add(peer, to: &state)
            return .granted
        }
    }

    /// Counts an open connection for another peer: that of a proxy, for the client whose request it brings.
    ///
    /// - Returns: false when the other peer has all it may have; it is still counted for the first one then.
    func move(from peer: PeerGroup, to other: PeerGroup) -> Bool {
        state.with { state in
            guard mayTake(other, state) else { return false }
            remove(peer, from: &state)
            add(other, to: &state)
            return true
        }
    }

    private func mayTake(_ peer: PeerGroup, _ state: State) -> Bool {
        guard let limitPerPeer, peer != .proxy else { return true }
        return state.peers[peer, default: 0] < limitPerPeer
    }

    private func add(_ peer: PeerGroup, to state: inout State) {
        guard peer != .proxy else { return }
        let count = state.peers[peer, default: 0] + 1
        state.peers[peer] = count
        if 2 * count > limit { state.dominant = peer }
    }

    private func remove(_ peer: PeerGroup, from state: inout State) {
        guard peer != .proxy else { return }
        let count = state.peers[peer, default: 1] - 1
        // A peer that has gone is forgotten: the table never has more entries than there are connections.
        state.peers[peer] = count > 0 ? count : nil
        if state.dominant == peer && 2 * count <= limit { state.dominant = nil }
    }

    func give(in loop: Int, for peer: PeerGroup) {
        state.with { state in
            state.open -= 1
            state.shares[loop].open -= 1
            remove(peer, from: &state)
        }
    }

    /// The one peer, if any, that has more than half of the places: whoever needs one takes it from there.
    var dominant: PeerGroup? { state.with { $0.dominant } }

    /// Says that `loop` found none of its connections fit to go, so that others do not ask it before `time`.
    func hasNobodyToEvict(in loop: Int, until time: UInt64) {
        state.with { $0.shares[loop].hasNobodyToEvictUntil = time }
    }

    /// The mailbox of the fullest loop besides `loop` that may have a connection fit to go.
    func partner(besides loop: Int, at now: UInt64) -> Mailbox? {
        state.with { state in
            let others = state.shares.enumerated().filter { index, share in
                index != loop && share.open > 0 && share.hasNobodyToEvictUntil <= now
            }
            return others.max { $0.element.open < $1.element.open }?.element.mailbox
        }
    }
}
