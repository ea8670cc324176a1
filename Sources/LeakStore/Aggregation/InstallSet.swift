/// The set of different installs that were seen: exact up to 256 installs, an estimate beyond.
///
/// The estimate is HyperLogLog with 1,024 registers (root mean square error 3.3 %), read with the estimator of
/// Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017), which needs no bias tables
/// and is as good just above 256 as in the millions. The result does not depend on the order of insertion.
package struct InstallSet: Hashable, Sendable {
    /// Maximum number of hashes of an exact set, which then has 2 KiB. This limit must never become lower, because stored sets
    /// with more hashes could not be read any more.
    static let exactLimit = LeakRow.maxExactInstalls
    static let registerCount = 1 << indexBits
    private static let indexBits = 10
    /// Number of bits of a hash that determine the rank: those after the index of the register.
    private static let rankBits = 64 - indexBits

    /// The hashes of an exact set, ascending. Empty if the set is an estimate.
    private var hashes: [UInt64] = []
    /// The registers of an estimate, with their ranks. Empty while the set is exact.
    private var registers: [UInt8] = []
    /// The number of registers by rank, so that ``count`` does not read all registers. Empty while the set is exact.
    private var rankCounts: [UInt16] = []

    private var isExact: Bool { registers.isEmpty }

    package init() {}

    /// Adds a hash.
    ///
    /// - Returns: `true` if the set changed. If `false`, the hash would not change any superset of this set either.
    package mutating func insert(_ hash: UInt64) -> Bool {
        guard isExact else { return insertIntoEstimate(hash) }
        let index = Self.insertionIndex(of: hash, in: hashes)
        if index < hashes.count, hashes[index] == hash { return false }
        hashes.insert(hash, at: index)
        if hashes.count > Self.exactLimit { convertToEstimate() }
        return true
    }

    /// Removes a hash.
    ///
    /// - Returns: `true` if the hash was removed. Nothing can be removed from an estimate, because it does not contain the
    ///   hashes.
    package mutating func remove(_ hash: UInt64) -> Bool {
        let index = Self.insertionIndex(of: hash, in: hashes)
        guard index < hashes.count, hashes[index] == hash else { return false }
        hashes.remove(at: index)
        return true
    }

    package mutating func merge(_ other: InstallSet) {
        if other.isExact {
            for hash in other.hashes { _ = insert(hash) }
            return
        }
        if isExact { convertToEstimate() }
        for index in registers.indices { raiseRegister(index, to: other.registers[index]) }
    }

    /// Removes the installs of another set that this set contains, except those of a third set. An estimate cannot lose single
    /// installs: where a register has the rank of `other`, it gets the rank of `kept`, which is too low if a later install has
    /// the same rank.
    ///
    /// - Parameter kept: a set that this set contains.
    package mutating func remove(_ other: InstallSet, keeping kept: InstallSet) {
        var known = kept
        known.merge(other)
        guard known != self else {
            self = kept
            return
        }
        guard !isExact else {
            let removed = Set(other.hashes).subtracting(kept.hashes)
            hashes.removeAll { removed.contains($0) }
            return
        }
        var (other, kept) = (other, kept)
        if other.isExact { other.convertToEstimate() }
        if kept.isExact { kept.convertToEstimate() }
        let ranks = registers.indices.map { index in
            registers[index] > other.registers[index] ? registers[index] : kept.registers[index]
        }
        self = InstallSet(bytes: [Self.estimatedTag] + ranks) ?? kept
    }

    var isEmpty: Bool { isExact && hashes.isEmpty }

    package var count: Int { isExact ? hashes.count : Self.estimate(rankCounts) }

    private mutating func convertToEstimate() {
        registers = [UInt8](repeating: 0, count: Self.registerCount)
        rankCounts = [UInt16](repeating: 0, count: Self.rankBits + 2)
        rankCounts[0] = UInt16(Self.registerCount)
        for hash in hashes { _ = insertIntoEstimate(hash) }
        hashes = []
    }

    private static let exactTag: UInt8 = 1
    private static let estimatedTag: UInt8 = 2

    /// The stored form of the set: a tag, then 8 bytes per hash, ascending, little-endian; or a tag and 1,024 registers.
    package var bytes: [UInt8] {
        guard isExact else { return [Self.estimatedTag] + registers }
        var bytes = [Self.exactTag]
        bytes.reserveCapacity(1 + hashes.count * 8)
        for hash in hashes {
            for shift: UInt64 in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: hash >> shift))
            }
        }
        return bytes
    }

    /// Parses ``bytes``; `nil` for invalid bytes.
    package init?(bytes: [UInt8]) {
        guard let tag = bytes.first else { return nil }
        switch tag {
        case Self.exactTag:
            guard bytes.count % 8 == 1, bytes.count / 8 <= Self.exactLimit else { return nil }
            hashes.reserveCapacity(bytes.count / 8)
            for start in stride(from: 1, to: bytes.count, by: 8) {
                var hash: UInt64 = 0
                for offset in 0..<8 { hash |= UInt64(bytes[start + offset]) << (8 * offset) }
                if let last = hashes.last, last >= hash { return nil }
                hashes.append(hash)
            }
        case Self.estimatedTag:
            guard bytes.count == 1 + Self.registerCount else { return nil }
            registers = Array(bytes[1...])
            rankCounts = [UInt16](repeating: 0, count: Self.rankBits + 2)
            for rank in registers {
                guard rankCounts.indices.contains(Int(rank)) else { return nil }
                rankCounts[Int(rank)] += 1
            }
        default: return nil
        }
    }

    private mutating func insertIntoEstimate(_ hash: UInt64) -> Bool {
        // The bits of a caller's hash may be unevenly distributed; mixing makes every bit depend on every other.
        let mixed = SplitMix64.mix(hash)
        let leadingZeros = min((mixed << Self.indexBits).leadingZeroBitCount, Self.rankBits)
        return raiseRegister(Int(mixed >> Self.rankBits), to: UInt8(leadingZeros + 1))
    }

    /// - Returns: `true` if the register held a lower rank.
    @discardableResult
    private mutating func raiseRegister(_ index: Int, to rank: UInt8) -> Bool {
        let oldRank = registers[index]
        guard oldRank < rank else { return false }
        registers[index] = rank
        rankCounts[Int(oldRank)] -= 1
        rankCounts[Int(rank)] += 1
        return true
    }

    private static func estimate(_ counts: [UInt16]) -> Int {
        let registerTotal = Double(registerCount)
        var sum = registerTotal * tau(1 - Double(counts[rankBits + 1]) / registerTotal)
        for rank in stride(from: rankBits, to: 0, by: -1) { sum = 0.5 * (sum + Double(counts[rank])) }
        sum += registerTotal * sigma(Double(counts[0]) / registerTotal)
        let naturalLogarithmOf2 = 0.693_147_180_559_945_3
        let estimate = registerTotal * registerTotal / (2 * naturalLogarithmOf2 * sum)
        return estimate < 1e15 ? Int(estimate.rounded()) : 1_000_000_000_000_000
    }

    /// The function σ of the estimator, for the part of the registers that is 0.
    private static func sigma(_ start: Double) -> Double {
        guard start < 1 else { return .infinity }
        var (power, weight, sum) = (start, 1.0, start)
        while true {
            power *= power
            let next = sum + power * weight
            weight += weight
            if next == sum { return sum }
            sum = next
        }
    }

    /// The function τ of the estimator, for the part of the registers without the highest rank.
    private static func tau(_ start: Double) -> Double {
        guard start > 0, start < 1 else { return 0 }
        var (root, weight, sum) = (start, 1.0, 1 - start)
        while true {
            root = root.squareRoot()
            weight *= 0.5
            let next = sum - (1 - root) * (1 - root) * weight
            if next == sum { return sum / 3 }
            sum = next
        }
    }

    /// Returns the first index whose hash is not smaller than `hash`.
    private static func insertionIndex(of hash: UInt64, in hashes: [UInt64]) -> Int {
        var (low, high) = (0, hashes.count)
        while low < high {
            let middle = (low + high) / 2
            if hashes[middle] < hash { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
