/// Numbers that are the same in each run. SplitMix64, https://prng.di.unimi.it/splitmix64.c
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func element<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

    /// Digits of an address.
    mutating func hexadecimal(_ count: Int) -> String {
        String((0..<count).map { _ in element(of: Array("0123456789abcdef")) })
    }
}
