import Testing

@testable import LeakCollector

@Suite struct ByteHashTests {
    private let hash = ByteHash(seed: 1)

    @Test(arguments: [1, 7, 8, 9, 31, 32, 33, 64, 100])
    func `each bit of each byte changes the hash, and so does the length`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        var hashes: Set = [hash.hash(bytes), hash.hash(bytes + [0]), hash.hash([9] + bytes)]
        for bit in 0..<8 * count {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            hashes.insert(hash.hash(changed))
        }
        #expect(hashes.count == 3 + 8 * count)
    }

    @Test func `strings of zeros or of one repeated byte have different hashes`() {
        let zeros = (0..<300).map { [UInt8](repeating: 0, count: $0) }
        let strings = zeros + (1..<256).map { [UInt8](repeating: UInt8($0), count: 64) }
        #expect(Set(strings.map { hash.hash($0) }).count == strings.count)
    }

    @Test func `one flipped bit changes about half of the bits of the hash`() {
        var changes = 0
        for number in 0..<1_000 {
            let bytes = (0..<40).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0 &* 7) }
            var changed = bytes
            changed[number % 40] ^= 1 << (number % 8)
            changes += (hash.hash(bytes) ^ hash.hash(changed)).nonzeroBitCount
        }
        #expect((31_000...33_000).contains(changes))
    }

    @Test func `different seeds give different hashes`() {
        let bytes = Array("Shop.CartModel".utf8)
        #expect(hash.hash(bytes) == ByteHash(seed: 1).hash(bytes))
        #expect(hash.hash(bytes) != ByteHash(seed: 2).hash(bytes))
    }

    /// The store keeps this hash of each batch for seven days, also when the collector is updated.
    @Test func `the hash of a request body is the same in each version of the collector`() {
        let body = Array("VIEWCONTROLLER STILL IN MEMORY <CartViewController: 0x7f88acc69260>".utf8)
        #expect(ByteHash(seed: 0).hash(body) == 6_513_743_752_801_325_775)
    }
}
