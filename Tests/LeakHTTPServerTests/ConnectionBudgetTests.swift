import Testing

@testable import LeakHTTPServer

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct ConnectionBudgetTests {
    private let alice = PeerGroup(bits: 1)
    private let bob = PeerGroup(bits: 2)

    private func mailbox() throws -> Mailbox { Mailbox(waker: try Waker()) }

    @Test func `all loops share one number of places`() throws {
        let budget = ConnectionBudget(limit: 2)
        let loops = [budget.register(try mailbox()), budget.register(try mailbox())]
        #expect(budget.acquire(in: loops[0], for: alice) == .granted)
        #expect(budget.acquire(in: loops[1], for: alice) == .granted)
        #expect(budget.acquire(in: loops[0], for: bob) == .limitReached)
        budget.release(in: loops[1], for: alice)
        #expect(budget.acquire(in: loops[0], for: bob) == .granted)
    }

    @Test func `a peer is counted over all loops and forgotten when it has gone`() throws {
        let budget = ConnectionBudget(limit: 10, limitPerPeer: 2)
        let loops = [budget.register(try mailbox()), budget.register(try mailbox())]
        #expect(budget.acquire(in: loops[0], for: alice) == .granted)
        #expect(budget.acquire(in: loops[1], for: alice) == .granted)
        #expect(budget.acquire(in: loops[0], for: alice) == .crowded)
        #expect(budget.acquire(in: loops[0], for: bob) == .granted)
        for loop in loops { budget.release(in: loop, for: alice) }
        for _ in 0..<2 { #expect(budget.acquire(in: loops[0], for: alice) == .granted) }
        #expect(budget.acquire(in: loops[1], for: alice) == .crowded)
    }

    @Test func `a proxy's connection counts for the client whose request it brings`() throws {
        let budget = ConnectionBudget(limit: 4, limitPerPeer: 3)
        let loop = budget.register(try mailbox())
        for _ in 0..<4 { #expect(budget.acquire(in: loop, for: .proxy) == .granted) }
        #expect(budget.dominant == nil)
        for _ in 0..<3 { #expect(budget.move(from: .proxy, to: alice)) }
        #expect(budget.dominant == alice)
        #expect(!budget.move(from: .proxy, to: alice))
        #expect(budget.move(from: .proxy, to: bob))
        #expect(budget.move(from: alice, to: .proxy))
        #expect(budget.dominant == nil)
        #expect(budget.move(from: .proxy, to: alice))
        for peer in [alice, alice, alice, bob] { budget.release(in: loop, for: peer) }
        #expect(budget.acquire(in: loop, for: alice) == .granted)
    }

    @Test func `room is asked of the fullest other loop that may have some`() throws {
        let boxes = [try mailbox(), try mailbox(), try mailbox()]
        let budget = ConnectionBudget(limit: 10)
        let loops = boxes.map { budget.register($0) }
        #expect(budget.partner(besides: loops[0], at: 0) == nil)
        for loop in [0, 0, 0, 1, 2, 2] { _ = budget.acquire(in: loops[loop], for: alice) }
        #expect(budget.partner(besides: loops[0], at: 0) === boxes[2])
        #expect(budget.partner(besides: loops[2], at: 0) === boxes[0])
        budget.hasNobodyToEvict(in: loops[2], until: 50)
        #expect(budget.partner(besides: loops[0], at: 49) === boxes[1])
        #expect(budget.partner(besides: loops[0], at: 50) === boxes[2])
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
        ("2001:db8:1:2::1", "192.0.2.1", false),
    ])
    func `IPv4 peers are told apart by their address, IPv6 peers by their network`(
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

@Suite struct ShortlistTests {
    @Test(arguments: [0, 1, 255, 256, 257, 511, 512, 513, 5000])
    func `the highest ranks come first, as many as it holds`(count: Int) {
        var shortlist = Shortlist()
        // A permutation of 0..<count, since 7919 is prime and greater.
        let ranks = (0..<count).map { UInt64($0 * 7919 % max(count, 1)) }
        for rank in ranks {
            let id = ConnectionID(slot: UInt32(rank), generation: 0)
            shortlist.add(.init(id: id, rank: rank, isForced: false, timer: .idle, deadline: 0))
        }
        shortlist.seal()
        var taken: [UInt64] = []
        while let candidate = shortlist.first {
            taken.append(candidate.rank)
            shortlist.removeFirst()
        }
        #expect(taken == Array(ranks.sorted(by: >).prefix(Shortlist.capacity)))
        #expect(shortlist.isEmpty)
    }
}
