import LeakSeededRandom
import Testing

@testable import LeakStore

@Suite struct RecentInstallsTests {
    private func set(_ installs: [(hash: UInt64, day: Int)]) -> RecentInstalls {
        var set = RecentInstalls()
        for install in installs { set.insert(install.hash, day: install.day) }
        return set
    }

    @Test func `an install counts on the day on which it was last seen, and on the six days after it`() {
        var set = set([(1, 100), (2, 103), (1, 101)])
        #expect((100...112).map { set.count(on: $0) } == [2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 0, 0, 0])
        #expect(!set.insert(1, day: 101) && !set.insert(1, day: 99))
        #expect(set.lastDay == 103)
        set.removeInstalls(notCountedOn: 109)
        #expect(set.count(on: 103) == 1)
        set.removeInstalls(notCountedOn: 110)
        #expect(set.isEmpty)
    }

    @Test func `a set of recent installs is emptied if its last day is after the last possible day`() {
        for (ahead, isKept) in [(6, true), (13, true), (14, false), (4_000, false)] {
            var set = set([(1, 100 + ahead), (2, 100 + ahead)])
            set.removeInstalls(notCountedOn: 100, lastPossibleDay: 113)
            #expect(set.isEmpty != isKept, "\(ahead) days ahead")
        }
    }

    @Test
    func `a set read from its bytes has the installs of its last seven days, and damaged bytes are refused`()
        throws
    {
        let set = set([(.max, 100), (3, 106), (9, 99)])
        let copy = try #require(RecentInstalls(bytes: set.bytes))
        #expect(copy == self.set([(.max, 100), (3, 106)]))
        #expect(set.bytes.count == 12 + 2 * 9)
        #expect(RecentInstalls(bytes: RecentInstalls().bytes) == RecentInstalls())
        let damaged: [[UInt8]] = [
            [], [1], [2], [3] + set.bytes.dropFirst(), Array(set.bytes.dropLast()),
            set.bytes + set.bytes.suffix(9), [2, 60] + set.bytes.dropFirst(2),
            [2, 1] + set.bytes.dropFirst(2),
        ]
        for bytes in damaged { #expect(RecentInstalls(bytes: bytes) == nil) }
    }

    @Test func `up to 256 recent installs are counted exactly, more are estimated by a set of bounded size`()
    {
        var random = SeededRandom(seed: 17)
        for installs in [255, 256, 300, 5_000, 60_000] {
            let hashes = (0..<installs).map { _ in UInt64.random(in: 0...UInt64.max, using: &random) }
            let set = set(hashes.map { ($0, 100 + Int($0 % 7)) })
            let error = abs(Double(set.count(on: 106)) / Double(installs) - 1)
            #expect(error <= (installs <= RecentInstalls.limit ? 0 : 0.2))
            #expect(set.bytes.count <= 12 + 256 * 9)
            // On day 111 only the installs of the last two days, 105 and 106, still count.
            let recent = Double(set.count(on: 111)) / Double(hashes.filter { $0 % 7 >= 5 }.count)
            #expect(abs(recent - 1) < 0.35)
        }
    }

    @Test func `a set in the format of schema 18, with one sampling level for all days, is read`() throws {
        var random = SeededRandom(seed: 3)
        var installs: [(hash: UInt64, day: Int)] = []
        while installs.count < 100 {
            let hash = UInt64.random(in: 0...UInt64.max, using: &random)
            if SplitMix64.mix(hash).leadingZeroBitCount >= 3 {
                installs.append((hash, 100 - installs.count % 3))
            }
        }
        var bytes: [UInt8] = [1, 3, 100, 0, 0, 0]
        for install in installs.sorted(by: { $0.hash < $1.hash }) {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: install.hash >> (8 * $0)) }
            bytes.append(UInt8(100 - install.day))
        }
        let set = try #require(RecentInstalls(bytes: bytes))
        #expect(set.count(on: 100) == 800 && set.levels == [3, 3, 3, 3, 3, 3, 3])
        #expect(RecentInstalls(bytes: set.bytes) == set)
    }

    @Test func `a week after an app has lost most of its installs, their number is exact again`() {
        var random = SeededRandom(seed: 4)
        var set = RecentInstalls()
        for _ in 0..<40_000 { set.insert(random.next(), day: 100 + Int.random(in: 0..<7, using: &random)) }
        #expect(set.levels[0] > 4)
        // From day 107 on, 20 installs are seen on each day.
        for day in 107..<120 {
            for _ in 0..<20 { set.insert(random.next(), day: day) }
            set.removeInstalls(notCountedOn: day)
        }
        #expect(set.count(on: 119) == 7 * 20)
    }

    @Test func `installs that are seen on several days are counted once`() {
        var random = SeededRandom(seed: 5)
        for installs in [200, 3_000, 20_000] {
            let hashes = (0..<installs).map { _ in random.next() }
            var set = RecentInstalls()
            for day in 100..<110 {
                // Each day sees a random half of the installs, in random order: 127 of 128 are seen at least once in 7 days.
                for hash in hashes.shuffled(using: &random) where Bool.random(using: &random) {
                    set.insert(hash, day: day)
                }
                guard day >= 106 else { continue }
                let error = abs(Double(set.count(on: day)) / (Double(installs) * 127 / 128) - 1)
                #expect(
                    error < (installs <= RecentInstalls.limit ? 0.02 : 0.2),
                    "\(installs) installs, day \(day)")
            }
        }
    }

    @Test func `estimates of merged sets are right on average, within 8 %`() {
        var random = SeededRandom(seed: 6)
        for (first, second) in [(100, 5_000), (5_000, 100), (3_000, 3_000), (0, 2_000), (2_000, 0)] {
            // On day 109, the first set's installs of days 103 to 106 still count, and all installs of the second set.
            let expected = Double(first) * 4 / 7 + Double(second)
            let errors = (0..<16).map { _ in
                var one = RecentInstalls()
                var two = RecentInstalls()
                for _ in 0..<first {
                    one.insert(random.next(), day: 100 + Int.random(in: 0..<7, using: &random))
                }
                for _ in 0..<second {
                    two.insert(random.next(), day: 103 + Int.random(in: 0..<7, using: &random))
                }
                one.merge(two)
                return Double(one.count(on: 109)) / expected - 1
            }
            #expect(abs(errors.reduce(0, +) / 16) < 0.08, "\(first) and \(second) installs: \(errors)")
        }
    }

    @Test func `a merged set has the installs of both sets, and loses an install that is removed`() {
        let one = set((0..<150).map { (UInt64($0), 100) })
        let two = set((100..<250).map { (UInt64($0), 102) })
        var union = one
        union.merge(two)
        #expect(union.count(on: 102) == 250 && union.count(on: 107) == 150)
        #expect(union.remove(249) && !union.remove(249))
        #expect(union.count(on: 102) == 249)
        var large = set((0..<5_000).map { (UInt64($0), 100) })
        large.merge(union)
        #expect(abs(Double(large.count(on: 102)) / 5_000 - 1) < 0.2)
    }

    @Test func `installs that are too old to count are removed before the set begins to estimate`() {
        var set = set((0..<256).map { (UInt64($0), 100) })
        for install in 1_000..<1_200 { set.insert(UInt64(install), day: 107) }
        #expect(set.levels.allSatisfy { $0 == 0 } && set.count(on: 107) == 200)
    }

    @Test func `an install is recognized as counted only in the same set and on the same day`() {
        var counted = CountedInstalls()
        #expect(counted.insert(7, day: 100, in: 1) && !counted.insert(7, day: 100, in: 1))
        #expect(counted.insert(7, day: 101, in: 1) && counted.insert(7, day: 100, in: 2))
    }

    @Test
    func `skipping many installs that a full set of recent installs would not keep does not change the set`()
    {
        var random = SeededRandom(seed: 18)
        var counted = CountedInstalls()
        var sets = [RecentInstalls](repeating: RecentInstalls(), count: 20)
        var all = sets
        var passed = 0
        for index in 0..<100_000 {
            let (set, install) = (Int.random(in: 0..<20, using: &random), random.next())
            let day = 100 + index / 40_000
            all[set].insert(install, day: day)
            guard counted.insert(install, day: day, in: UInt64(set)) else { continue }
            passed += 1
            sets[set].insert(install, day: day)
            counted.rememberLevel(of: sets[set], set: UInt64(set))
        }
        #expect(sets == all)
        #expect(passed < 60_000)
    }
}
