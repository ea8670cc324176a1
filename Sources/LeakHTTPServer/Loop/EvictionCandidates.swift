/// Candidates for eviction, found in one scan: the connections that have waited longest.
///
/// One scan serves many new connections: otherwise each new connection would cause a scan of all connections.
struct EvictionCandidates {
    struct Candidate: Hashable {
        let id: ConnectionID
        /// The candidate with the highest rank is evicted first.
        let rank: UInt64
        /// `true` if the connection belongs to the dominant peer, see ``ConnectionLimiter/dominantPeer``, and has not waited
        /// long enough: it may be evicted only for the connection of another peer.
        let isOnlyForOtherPeers: Bool
        /// The timer of the connection at the time of the scan. Like ``deadline``, it changes when the connection makes
        /// progress.
        let timer: Connection.Timer
        let deadline: UInt64
    }

    /// The peer of all candidates; `nil` for any peer.
    private(set) var peer: PeerGroup?

    init(of peer: PeerGroup? = nil) { self.peer = peer }

    /// The most candidates that a scan keeps. A loop accepts fewer connections between two scans.
    static let capacity = 256

    /// The candidates. After ``finishScan()`` they are sorted, with the highest rank last.
    private var candidates: [Candidate] = []
    /// The lowest rank that can still be among the ``capacity`` highest; 0 until the scan has found twice as many candidates.
    private var lowestRank: UInt64 = 0

    var isEmpty: Bool { candidates.isEmpty }

    /// Adds one connection during a scan.
    mutating func add(_ candidate: Candidate) {
        guard candidate.rank >= lowestRank else { return }
        candidates.append(candidate)
        if candidates.count == 2 * Self.capacity { keepHighestRanks() }
    }

    /// Ends a scan.
    mutating func finishScan() {
        keepHighestRanks()
        candidates.reverse()
        lowestRank = 0
    }

    /// The next connection to evict.
    var first: Candidate? { candidates.last }

    mutating func removeFirst() { candidates.removeLast() }

    private mutating func keepHighestRanks() {
        candidates.sort { $0.rank > $1.rank }
        guard candidates.count > Self.capacity else { return }
        candidates.removeLast(candidates.count - Self.capacity)
        lowestRank = candidates[Self.capacity - 1].rank
    }
}
