/// A small generator with a seed, so that a failure comes again. https://prng.di.unimi.it/splitmix64.c
struct SplitMix {
    var state: UInt64

    /// A seed that is decided by `bytes`. FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/
    init(seed bytes: [UInt8]) {
        state = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    init(state: UInt64) { self.state = state }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
