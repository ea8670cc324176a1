/// Chooses ranks with the frequencies of Zipf's law. Rank 0 is the most frequent.
public struct Zipf: Sendable {
    /// Cumulative weights. The last one is the sum of all weights.
    private let weights: [Double]

    public init(ranks: Int) {
        var sum = 0.0
        weights = (1...ranks).map { rank in
            sum += 1 / Double(rank)
            return sum
        }
    }

    /// - Parameter random: 64 random bits.
    public func rank(fromRandomBits random: UInt64) -> Int {
        let point = Double(random >> 11) / Double(1 << 53) * weights[weights.count - 1]
        var low = 0
        var high = weights.count - 1
        while low < high {
            let middle = (low + high) / 2
            if weights[middle] < point { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A pseudorandom generator. Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
public struct SplitMix64: Sendable {
    var state: UInt64

    public init(state: UInt64) { self.state = state }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
