internal import LeakCauses
internal import LeakMessage
internal import LeakStore

/// The reasons why the objects of one leak stay, aggregated over all its explanations.
struct LeakReasons {
    /// One retain path with its explanations. A cycle is one path, whichever of its objects it was found from.
    struct Variant {
        let path: RetainPath
        /// Number of explanations that found the path, and number of those that proved it.
        var count: Int
        var provenCount: Int
        /// The closures of the path, most frequent first.
        var closures: [ClosureSet] = []

        /// The cause of the path. The names of its most frequent named closures make it more exact.
        var cause: LeakCause? {
            let names = closures.lazy.map(\.names).first { !$0.isEmpty }
            return LeakCause(of: path, closureNames: names ?? [])
        }
    }

    /// Closures of one path that were found together.
    struct ClosureSet {
        let closures: [StoredClosures.Closure]
        var count: Int

        /// The names that symbols give the closures.
        var names: [String] { closures.compactMap(\.name) }
    }

    /// The variants, most frequent first.
    private(set) var variants: [Variant] = []
    /// Number of explanations that found no path, or a path beyond the limit of different paths.
    private(set) var pathlessCount = 0
    /// Number of all explanations.
    private(set) var count = 0
    /// Number of explanations whose bytes are a lower bound.
    private(set) var lowerBoundCount = 0
    /// Median of the bytes that one object keeps, to within 1/32; `nil` if no explanation has bytes.
    let medianBytes: Int?
    /// Bytes that all explained objects keep together, to within 1/32.
    let bytes: Int

    init(_ detail: LeakDetail) {
        var fingerprints: [String] = []
        var variantsByFingerprint: [String: Variant] = [:]
        for value in detail.reasons {
            let reason = StoredReason(text: value.value)
            count += value.reports
            if reason.isByteCountLowerBound { lowerBoundCount += value.reports }
            guard let path = reason.path else {
                pathlessCount += value.reports
                continue
            }
            let fingerprint = path.fingerprint
            if variantsByFingerprint[fingerprint] == nil { fingerprints.append(fingerprint) }
            var variant = variantsByFingerprint[fingerprint] ?? Variant(path: path, count: 0, provenCount: 0)
            variant.count += value.reports
            if reason.isProven { variant.provenCount += value.reports }
            variantsByFingerprint[fingerprint] = variant
        }
        for (fingerprint, closures) in Self.closures(
            detail.closures, of: variantsByFingerprint.mapValues(\.path))
        {
            variantsByFingerprint[fingerprint]?.closures = closures
        }
        variants = fingerprints.compactMap { variantsByFingerprint[$0] }.sorted { $0.count > $1.count }
        let measuredCount = detail.retainedBytes.reduce(0) { $0 + $1.count }
        var cumulativeCount = 0
        medianBytes =
            detail.retainedBytes.first { value in
                cumulativeCount += value.count
                return cumulativeCount * 2 >= measuredCount
            }?.bytes
        bytes = detail.retainedBytes.reduce(0) { sum, value in
            let (product, isLarge) = value.bytes.multipliedReportingOverflow(by: value.count)
            let (total, overflows) = sum.addingReportingOverflow(product)
            return isLarge || overflows ? .max : total
        }
    }

    var isEmpty: Bool { count == 0 }

    /// Returns the closure sets of each path, most frequent first. Equal closures of different builds, or found from
    /// different objects of a cycle, count together.
    ///
    /// - Parameter paths: retain paths by their fingerprints.
    static func closures(
        _ values: [LeakDetail.ValueCount], of paths: [String: RetainPath]
    ) -> [String: [ClosureSet]] {
        var sets: [String: [[String]: ClosureSet]] = [:]
        for value in values {
            guard let stored = StoredClosures(text: value.value), let path = paths[stored.pathFingerprint]
            else {
                continue
            }
            let closures = path.isCycle ? stored.rotated : stored.closures
            let names = closures.map(\.withoutLine.description)
            sets[stored.pathFingerprint, default: [:]][
                names, default: ClosureSet(closures: closures, count: 0)
            ].count +=
                value.reports
        }
        return sets.mapValues { sets in
            sets.sorted { one, other in
                one.value.count != other.value.count
                    ? one.value.count > other.value.count : one.key.lexicographicallyPrecedes(other.key)
            }.map(\.value)
        }
    }
}
