import LeakSeededRandom
import Testing

@testable import LeakStore

@Suite struct RecentInstallsTests {
    private func set(_ installs: [(hash: UInt64, day: Int)]) -> RecentInstalls {
        var set = RecentInstalls()
        for install in installs { set.insert(install.hash, day: install.day) }
        return set
    }

    @Test func `an install counts today and on the six days after`() {
        var set = set([(1, 100), (2, 103), (1, 101)])
        #expect((100...112).map { set.count(on: $0) } == [2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 0, 0, 0])
        #expect(!set.insert(1, day: 101) && !set.insert(1, day: 99))
        #expect(set.lastDay == 103)
        set.dropInstalls(before: 109)
        #expect(set.count(on: 103) == 1)
        set.dropInstalls(before: 110)
        #expect(set.isEmpty)
    }

    @Test func `bytes keep what counts on the last day`() throws {
        let set = set([(.max, 100), (3, 106), (9, 99)])
        let copy = try #require(RecentInstalls(bytes: set.bytes))
        #expect(copy == self.set([(.max, 100), (3, 106)]))
        #expect(set.bytes.count == 6 + 2 * 9)
        #expect(RecentInstalls(bytes: RecentInstalls().bytes) == RecentInstalls())
        let damaged: [[UInt8]] = [
            [], [1], [2] + set.bytes.dropFirst(), Array(set.bytes.dropLast()),
            set.bytes + set.bytes.suffix(9),
        ]
        for bytes in damaged { #expect(RecentInstalls(bytes: bytes) == nil) }
    }

    @Test func `up to 512 installs are exact, more are an estimate of bounded size`() {
        var random = SeededRandom(seed: 17)
        for installs in [511, 512, 600, 5_000, 60_000] {
            let hashes = (0..<installs).map { _ in UInt64.random(in: 0...UInt64.max, using: &random) }
            let set = set(hashes.map { ($0, 100 + Int($0 % 7)) })
            let error = abs(Double(set.count(on: 106)) / Double(installs) - 1)
            #expect(error <= (installs <= RecentInstalls.limit ? 0 : 0.2))
            #expect(set.bytes.count <= 6 + 512 * 9)
            // Two of seven days.
            let recent = Double(set.count(on: 111)) / Double(hashes.filter { $0 % 7 >= 5 }.count)
            #expect(abs(recent - 1) < 0.35)
        }
    }

    @Test func `a union has the members of both, and an erased install leaves`() {
        let one = set((0..<300).map { (UInt64($0), 100) })
        let two = set((200..<500).map { (UInt64($0), 102) })
        var union = one
        union.merge(two)
        #expect(union.count(on: 102) == 500 && union.count(on: 107) == 300)
        #expect(union.remove(499) && !union.remove(499))
        #expect(union.count(on: 102) == 499)
        var large = set((0..<5_000).map { (UInt64($0), 100) })
        large.merge(union)
        #expect(abs(Double(large.count(on: 102)) / 5_000 - 1) < 0.2)
    }

    @Test func `installs that are too old make room before any is left out`() {
        var set = set((0..<512).map { (UInt64($0), 100) })
        for install in 1_000..<1_400 { set.insert(UInt64(install), day: 107) }
        #expect(set.level == 0 && set.count(on: 107) == 400)
    }

    @Test func `an install is counted once a day in each set`() {
        var counted = CountedInstalls()
        #expect(counted.insert(7, day: 100, in: 1) && !counted.insert(7, day: 100, in: 1))
        #expect(counted.insert(7, day: 101, in: 1) && counted.insert(7, day: 100, in: 2))
    }
}
