/// A sampler that selects the objects to wait for when there are too many: a fair share of all expected objects.
///
/// Each time the room is full, the share is halved, and every object that waits is left out with a probability of one half. So
/// all objects that are expected in one burst have the same chance, whether they come early or late. The share doubles while
/// there is room.
///
/// Source: Gibbons and Matias, “New Sampling-Based Summary Statistics for Improving Approximate Query Answers”, concise samples.
/// https://doi.org/10.1145/276304.276334
struct Sampler {
    /// The inverse of the share: one of this number of objects is waited for. A power of two.
    private(set) var inverseShare: UInt64 = 1
    private var random: UInt64?

    var acceptsAll: Bool { inverseShare == 1 }

    mutating func halve() { inverseShare = min(inverseShare * 2, 1 << 32) }
    mutating func double() { inverseShare = max(inverseShare / 2, 1) }
    mutating func reset() { inverseShare = 1 }

    /// Returns `true` if the next expected object is to be waited for.
    mutating func shouldAcceptNext() -> Bool { inverseShare == 1 || next() & (inverseShare - 1) == 0 }

    /// Returns `true` if a waiting object is to be left out because the share was halved.
    mutating func shouldDropNext() -> Bool { next() & 1 == 0 }

    /// Returns the next random number of SplitMix64. The system's generator may make a system call for each number.
    private mutating func next() -> UInt64 {
        let state = (random ?? UInt64.random(in: .min ... .max)) &+ 0x9E37_79B9_7F4A_7C15
        random = state
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
