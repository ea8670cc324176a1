internal import LeakMessage

/// The parts of a report's fingerprint, within the limits of the wire format.
enum Fingerprint {
    /// - Returns: the parts unchanged if they fit; else a hash of all parts, followed by the last parts that fit.
    static func limitedParts(_ parts: [String]) -> [String] {
        let fits =
            parts.count <= WireLimits.fingerprintCount
            && parts.allSatisfy { $0.utf8.count <= WireLimits.fingerprintBytes }
        guard !fits else { return parts }
        let short = parts.filter { $0.utf8.count <= WireLimits.fingerprintBytes }
        let hash = String(FNV1a(parts.joined(separator: "\u{1F}")).value, radix: 16)
        return [hash] + short.suffix(WireLimits.fingerprintCount - 1)
    }
}
