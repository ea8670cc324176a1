import LeakSeededRandom
import Testing

@testable import LeakStore

@Suite struct InstallSetTests {
    @Test(arguments: [0, 1, 2, 100, 255, 256])
    func `a set of installs counts up to 256 installs exactly`(size: Int) throws {
        var random = SeededRandom(seed: 1)
        var set = InstallSet()
        let hashes = (0..<size).map { _ in random.next() }
        let first = hashes.filter { set.insert($0) }
        let again = hashes.filter { set.insert($0) }
        #expect(first.count == size)
        #expect(again.isEmpty)
        #expect(set.count == size)
        #expect(try #require(InstallSet(bytes: set.bytes)) == set)
    }

    @Test(arguments: [257, 500, 1_000, 2_500, 5_000, 20_000, 100_000])
    func `the estimate for more than 256 installs has a root mean square error of less than 4 %`(size: Int)
        throws
    {
        let sets = size <= 2_500 ? 1_000 : max(20, 400_000 / size)
        var random = SeededRandom(seed: UInt64(size))
        var squares = 0.0
        for _ in 0..<sets {
            var set = InstallSet()
            for _ in 0..<size { _ = set.insert(random.next()) }
            let error = Double(set.count - size) / Double(size)
            squares += error * error
            #expect(InstallSet(bytes: set.bytes) == set)
        }
        #expect((squares / Double(sets)).squareRoot() < 0.04)
    }

    /// The newest members of a stored set are in a log, until the log is flushed.
    @Test func `a stored set of 200 installs still counts exactly after 50 installs from a log are added`()
        throws
    {
        var random = SeededRandom(seed: 6)
        let hashes = (0..<200).map { _ in random.next() }.sorted()
        let stored: [UInt8] =
            [1] + hashes.flatMap { hash in (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) } }
        var set = try #require(InstallSet(bytes: stored))
        for _ in 0..<50 { _ = set.insert(random.next()) }
        #expect(set.count == 250)
    }

    @Test func `the estimate is right even if the hashes of the installs are consecutive numbers`() {
        var set = InstallSet()
        for number in 0..<10_000 { _ = set.insert(UInt64(number)) }
        #expect(abs(set.count - 10_000) < 1_000)
    }

    @Test(arguments: [(10, 20), (200, 200), (100, 3_000), (3_000, 100), (3_000, 3_000), (0, 300), (300, 0)])
    func `merging sets of installs gives the union`(one: Int, other: Int) {
        var random = SeededRandom(seed: 3)
        var (first, second, both) = (InstallSet(), InstallSet(), InstallSet())
        for number in 0..<(one + other) {
            let hash = random.next()
            _ = number < one ? first.insert(hash) : second.insert(hash)
            _ = both.insert(hash)
        }
        first.merge(second)
        #expect(first == both)
    }

    @Test(arguments: [
        [], [0], [1, 0], [9], [2, 0], [1] + [UInt8](repeating: 0, count: 16),
        [2] + [UInt8](repeating: 99, count: 1_024),
        [1] + [UInt8](repeating: 0, count: 257 * 8),
    ])
    func `bytes that are not an install set of the current format are refused`(bytes: [UInt8]) {
        #expect(InstallSet(bytes: bytes) == nil)
    }
}
