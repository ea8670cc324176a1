import Testing

@testable import LeakHTTPServer

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct ConnectionLimiterTests {
    private let alice = PeerGroup(bits: 1)
    private let bob = PeerGroup(bits: 2)

    private func messageQueue() throws -> MessageQueue { MessageQueue(waker: try Waker()) }

    @Test func `all event loops share one maximum of connections`() throws {
        let limiter = ConnectionLimiter(limit: 2)
        let loops = [limiter.register(try messageQueue()), limiter.register(try messageQueue())]
        #expect(limiter.acquire(in: loops[0], for: alice) == .granted)
        #expect(limiter.acquire(in: loops[1], for: alice) == .granted)
        #expect(limiter.acquire(in: loops[0], for: bob) == .limitReached)
        limiter.release(in: loops[1], for: alice)
        #expect(limiter.acquire(in: loops[0], for: bob) == .granted)
    }

    @Test func `the connections of a peer are counted over all loops, until they are released`() throws {
        let limiter = ConnectionLimiter(limit: 10, limitPerPeer: 2)
        let loops = [limiter.register(try messageQueue()), limiter.register(try messageQueue())]
        #expect(limiter.acquire(in: loops[0], for: alice) == .granted)
        #expect(limiter.acquire(in: loops[1], for: alice) == .granted)
        #expect(limiter.acquire(in: loops[0], for: alice) == .peerLimitReached)
        #expect(limiter.acquire(in: loops[0], for: bob) == .granted)
        for loop in loops { limiter.release(in: loop, for: alice) }
        for _ in 0..<2 { #expect(limiter.acquire(in: loops[0], for: alice) == .granted) }
        #expect(limiter.acquire(in: loops[1], for: alice) == .peerLimitReached)
    }

    @Test func `a proxy's connection is counted for the client of its request`() throws {
        let limiter = ConnectionLimiter(limit: 4, limitPerPeer: 3)
        let loop = limiter.register(try messageQueue())
        for _ in 0..<4 { #expect(limiter.acquire(in: loop, for: .proxy) == .granted) }
        #expect(limiter.dominantPeer == nil)
        for _ in 0..<3 { #expect(limiter.move(from: .proxy, to: alice)) }
        #expect(limiter.dominantPeer == alice)
        #expect(!limiter.move(from: .proxy, to: alice))
        #expect(limiter.move(from: .proxy, to: bob))
        #expect(limiter.move(from: alice, to: .proxy))
        #expect(limiter.dominantPeer == nil)
        #expect(limiter.move(from: .proxy, to: alice))
        for peer in [alice, alice, alice, bob] { limiter.release(in: loop, for: peer) }
        #expect(limiter.acquire(in: loop, for: alice) == .granted)
    }

    @Test func `a loop that needs a connection asks the other loop with the most connections to evict one`()
        throws
    {
        let queues = [try messageQueue(), try messageQueue(), try messageQueue()]
        let limiter = ConnectionLimiter(limit: 10)
        let loops = queues.map { limiter.register($0) }
        #expect(limiter.evictionQueue(besides: loops[0], at: 0) == nil)
        for loop in [0, 0, 0, 1, 2, 2] { _ = limiter.acquire(in: loops[loop], for: alice) }
        #expect(limiter.evictionQueue(besides: loops[0], at: 0) === queues[2])
        #expect(limiter.evictionQueue(besides: loops[2], at: 0) === queues[0])
        limiter.recordNoneToEvict(in: loops[2], until: 50)
        #expect(limiter.evictionQueue(besides: loops[0], at: 49) === queues[1])
        #expect(limiter.evictionQueue(besides: loops[0], at: 50) === queues[2])
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
        ("2001:db8:1:2::1", "192.0.2.1", false),
    ])
    func `IPv4 peers are distinguished by their address, IPv6 peers by their network`(
        one: String, other: String, isSame: Bool
    ) {
        #expect((group(one) == group(other)) == isSame)
    }

    private func group(_ text: String) -> PeerGroup {
        var storage = sockaddr_storage()
        let isIPv6 = text.contains(":")
        storage.ss_family = sa_family_t(isIPv6 ? AF_INET6 : AF_INET)
        unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            let address = unsafe bytes.baseAddress.map { unsafe $0 + (isIPv6 ? 8 : 4) }
            let read = unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, address)
            precondition(read == 1, "not an address: \(text)")
        }
        return PeerGroup(IPAddress(storage))
    }
}

@Suite struct EvictionCandidatesTests {
    @Test(arguments: [0, 1, 255, 256, 257, 511, 512, 513, 5000])
    func `connections with the highest ranks are evicted first, up to the capacity of the candidate list`(
        count: Int
    ) {
        var evictionCandidates = EvictionCandidates()
        // A permutation of 0..<count, because 7919 is prime and greater than all counts.
        let ranks = (0..<count).map { UInt64($0 * 7919 % max(count, 1)) }
        for rank in ranks {
            let id = ConnectionID(index: UInt32(rank), generation: 0)
            evictionCandidates.add(
                .init(id: id, rank: rank, isOnlyForOtherPeers: false, timer: .idle, deadline: 0))
        }
        evictionCandidates.finishScan()
        var taken: [UInt64] = []
        while let candidate = evictionCandidates.first {
            taken.append(candidate.rank)
            evictionCandidates.removeFirst()
        }
        #expect(taken == Array(ranks.sorted(by: >).prefix(EvictionCandidates.capacity)))
        #expect(evictionCandidates.isEmpty)
    }
}
