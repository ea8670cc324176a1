internal import LeakCauses
internal import LeakMessage
internal import LeakStore

/// The reasons why the objects of one leak stay, aggregated over all its explanations.
struct LeakReasons {
    /// One retain path with its explanations. A cycle is one path, even if it was found from different objects.
    struct Variant {
        let path: RetainPath
        /// Number of explanations with the path.
        var explanationCount: Int
        /// Number of explanations with the path in which it is proven.
        var provenCount: Int
        /// The closures of the path, most frequent first.
        var closureSets: [ClosureSet] = []

        /// The programming mistake behind the path. Names of closures make it more exact: those of the most frequent closure
        /// set in which any closure has a name.
        var cause: LeakCause? {
            let names = closureSets.lazy.map(\.names).first { !$0.isEmpty }
            return LeakCause(of: path, closureNames: names ?? [])
        }
    }

    /// Closures that explanations found together on one path.
    struct ClosureSet {
        let closures: [StoredClosures.Closure]
        /// Number of explanations with exactly these closures.
        var explanationCount: Int

        /// The names that symbols give the closures.
        var names: [String] { closures.compactMap(\.name) }
    }

    /// The variants, most frequent first.
    private(set) var variants: [Variant] = []
    /// Number of explanations that found no path, or whose path was not stored because the leak already had too many different
    /// paths.
    private(set) var pathlessCount = 0
    /// Number of all explanations.
    private(set) var explanationCount = 0
    /// Number of explanations whose bytes are a lower bound.
    private(set) var lowerBoundCount = 0
    /// Median of the bytes that one object keeps, with an error of at most 1/32; `nil` if no explanation has bytes.
    let medianBytes: Int?
    /// Bytes that all explained objects keep together, with an error of at most 1/32.
    let bytes: Int

    init(_ detail: LeakDetail) {
        var fingerprints: [String] = []
        var variantsByFingerprint: [String: Variant] = [:]
        for value in detail.reasons {
            let reason = StoredReason(text: value.value)
            explanationCount += value.reports
            if reason.isByteCountLowerBound { lowerBoundCount += value.reports }
            guard let path = reason.path else {
                pathlessCount += value.reports
                continue
            }
            let fingerprint = path.fingerprint
            if variantsByFingerprint[fingerprint] == nil { fingerprints.append(fingerprint) }
            var variant =
                variantsByFingerprint[fingerprint] ?? Variant(path: path, explanationCount: 0, provenCount: 0)
            variant.explanationCount += value.reports
            if reason.isProven { variant.provenCount += value.reports }
            variantsByFingerprint[fingerprint] = variant
        }
        for (fingerprint, closureSets) in Self.closureSets(
            detail.closures, of: variantsByFingerprint.mapValues(\.path))
        {
            variantsByFingerprint[fingerprint]?.closureSets = closureSets
        }
        variants = fingerprints.compactMap { variantsByFingerprint[$0] }.sorted {
            $0.explanationCount > $1.explanationCount
        }
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

    var isEmpty: Bool { explanationCount == 0 }

    /// Returns the closure sets of each path, most frequent first, by the path's fingerprint. Equal closures count together,
    /// even if they are from different builds, or if the cycle was found from different objects.
    ///
    /// - Parameters:
    ///   - values: counted texts in the form of ``StoredClosures/text``.
    ///   - paths: retain paths by their fingerprints.
    static func closureSets(
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
                names, default: ClosureSet(closures: closures, explanationCount: 0)
            ].explanationCount +=
                value.reports
        }
        return sets.mapValues { sets in
            sets.sorted { one, other in
                one.value.explanationCount != other.value.explanationCount
                    ? one.value.explanationCount > other.value.explanationCount
                    : one.key.lexicographicallyPrecedes(other.key)
            }.map(\.value)
        }
    }
}
