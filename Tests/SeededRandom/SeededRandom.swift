/// Random numbers that are the same for the same seed, so that a failure can be repeated. SplitMix64:
/// https://prng.di.unimi.it/splitmix64.c
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: some BinaryInteger) { state = UInt64(truncatingIfNeeded: seed) }

    /// Creates a generator whose seed is a hash of `bytes`, FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
    public init(seed bytes: [UInt8]) {
        state = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    public mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

    public mutating func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &self) }

    public mutating func element<Element>(of elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// Returns `true` with the given probability, from 0 to 1.
    public mutating func chance(_ probability: Double) -> Bool {
        .random(in: 0..<1, using: &self) < probability
    }

    /// Returns `true` with a probability of 1 in `times`.
    public mutating func once(in times: Int) -> Bool { number(1...times) == 1 }

    /// Returns random hexadecimal digits, as an address has.
    public mutating func hexadecimal(_ count: Int) -> String {
        String((0..<count).map { _ in element(of: Array("0123456789abcdef")) })
    }
}
