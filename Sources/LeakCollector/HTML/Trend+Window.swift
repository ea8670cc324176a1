import LeakStore

extension Trend {
    /// Only the last hours, up to the one that is passing; versions that were not seen in them are left out.
    ///
    /// - Parameter now: milliseconds since 1970.
    func lastHours(_ count: Int, now: Int64) -> Trend {
        let first = Int(now / 3_600_000) - count + 1
        let versions = versions.compactMap { version -> Series? in
            let counts = (first..<first + count).map { hour in
                version.counts.indices.contains(hour - from) ? version.counts[hour - from] : 0
            }
            return counts.contains { $0 > 0 } ? Series(version: version.version, counts: counts) : nil
        }
        return Trend(step: step, from: first, versions: versions)
    }
}
