/// The connections that have waited longest, found in one pass: they go first when there is no room.
///
/// One pass serves many newcomers, so that a flood of them does not make the loop look at all its connections each
/// time.
struct Shortlist {
    struct Candidate: Hashable {
        let id: ConnectionID
        /// Who goes first has the highest.
        let rank: UInt64
        /// What the connection waits for and until when: it has moved on if this has changed.
        let timer: Connection.Timer
        let deadline: UInt64
    }

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

    /// The one that has waited longest of those still here.
    mutating func next() -> Candidate? { candidates.popLast() }

    private mutating func cut() {
        candidates.sort { $0.rank > $1.rank }
        guard candidates.count > Self.capacity else { return }
        candidates.removeLast(candidates.count - Self.capacity)
        leastRank = candidates[Self.capacity - 1].rank
    }
}
