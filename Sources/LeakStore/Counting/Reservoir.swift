/// Which of a leak's reports are kept, so that each has had the same chance: algorithm R, Jeffrey Vitter (1985).
///
/// The draw is a function of the seed, the leak and the report's number: it is the same however reports are cut
/// into calls, and needs no state that a rolled-back transaction would have to restore.
package struct Reservoir: Sendable {
    /// Enough to see what varies, few enough to stay under 12 KiB per leak with reports of 600 bytes.
    package static let size = 16

    package let seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    /// Where the report goes, or `nil` to drop it.
    ///
    /// - Parameter ordinal: the report's number among those of its leak, from 1.
    func slot(forReport ordinal: Int, of leak: LeakID) -> Int? {
        guard ordinal > Self.size else { return ordinal - 1 }
        let draw = SplitMix64.mix(SplitMix64.mix(seed ^ leak.high) ^ leak.low &+ UInt64(ordinal))
        let slot = Int(draw.multipliedFullWidth(by: UInt64(ordinal)).high)
        return slot < Self.size ? slot : nil
    }
}
