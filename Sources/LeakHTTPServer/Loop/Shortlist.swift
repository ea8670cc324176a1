/// The connections that go first when there is no room, found in one pass: those that have waited longest.
///
/// One pass serves many newcomers, so that a flood of them does not make the loop look at all its connections each
/// time.
struct Shortlist {
    struct Candidate: Hashable {
        let id: ConnectionID
        /// Who goes first has the highest.
        let rank: UInt64
        /// Whether it goes only for a newcomer that is not of the same, dominant peer.
        let isForced: Bool
        /// What the connection waits for and until when: it has moved on if this has changed.
        let timer: Connection.Timer
        let deadline: UInt64
    }

    /// The one peer that candidates are of; `nil` for any.
    private(set) var peer: PeerGroup?

    init(of peer: PeerGroup? = nil) { self.peer = peer }

    /// More than a loop accepts before the next pass.
    static let capacity = 256

    /// Sorted once sealed, the highest rank last.
    private var candidates: [Candidate] = []
    /// What a candidate needs to have to be one of the ``capacity`` first.
    private var leastRank: UInt64 = 0

    var isEmpty: Bool { candidates.isEmpty }

    /// Takes note of one connection during a pass.
    mutating func add(_ candidate: Candidate) {
        guard candidate.rank >= leastRank else { return }
        candidates.append(candidate)
        if candidates.count == 2 * Self.capacity { cut() }
    }

    /// Ends a pass.
    mutating func seal() {
        cut()
        candidates.reverse()
        leastRank = 0
    }

    /// Who goes first of those still here.
    var first: Candidate? { candidates.last }

    mutating func removeFirst() { candidates.removeLast() }

    private mutating func cut() {
        candidates.sort { $0.rank > $1.rank }
        guard candidates.count > Self.capacity else { return }
        candidates.removeLast(candidates.count - Self.capacity)
        leastRank = candidates[Self.capacity - 1].rank
    }
}
