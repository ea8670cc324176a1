internal import LeakMessage

/// The parts of a report's fingerprint, within the bounds of the wire.
enum Fingerprint {
    /// - Returns: the parts as they are if they fit, else as many as fit and a hash of all.
    static func parts(_ parts: [String]) -> [String] {
        let fits =
            parts.count <= WireLimits.fingerprintCount
            && parts.allSatisfy { $0.utf8.count <= WireLimits.fingerprintBytes }
        guard !fits else { return parts }
        let short = parts.filter { $0.utf8.count <= WireLimits.fingerprintBytes }
        return [hash(parts)] + short.suffix(WireLimits.fingerprintCount - 1)
    }

    /// FNV-1a of 64 bits: the same in every launch and build. http://www.isthe.com/chongo/tech/comp/fnv/
    private static func hash(_ parts: [String]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in parts.joined(separator: "\u{1F}").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return String(hash, radix: 16)
    }
}
