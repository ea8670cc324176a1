// The classes that are judged together, because each of them has few checks.
extension ReleaseGate {
    /// Classes of an app that have at most ``maxPooledShare`` of the baseline's checks each, judged together. An app with a
    /// hundred classes has so few checks of each that most classes cannot be judged by themselves.
    ///
    /// The rates are compared class by class and then added up, so that the sum does not change if users open other screens
    /// more often. The number of checks in the baseline decides which classes belong to the pool. A class that is checked in
    /// hardly any bucket of installs in one of the versions is left out.
    public struct Pool: Hashable, Sendable {
        public enum Result: Hashable, Sendable {
            /// The version has enough checks to show that the rate of all leaks together has doubled, and no rise is shown. If
            /// that rate is very low, the version has enough checks to show the rise that one new leak with the rate
            /// ``Limits/rate`` causes, in a class with an average number of checks.
            case enough
            /// The version needs this many times its checks, a factor above 1. `nil`: no number suffices, because the baseline
            /// has too few checks.
            case needs(growth: Double?)
            /// One of the versions has checks from fewer than ``ReleaseGate/minBucketCount`` buckets of installs.
            case fewDevices
            /// The rate of all leaks together has risen, and no leak or class of the pool fails the release by itself.
            /// `probability` is the probability of such a rise if nothing has changed, corrected for the number of tests.
            case worse(probability: Double)
        }

        public var result: Result
        /// Indices in the array of classes that is passed to ``ReleaseGate/check(_:_:)``; at least two.
        public var classIndices: [Int]
        /// Number of classes of the pool that have too few checks by themselves.
        public var undecidedClassCount = 0

        public var isWorse: Bool { if case .worse = result { true } else { false } }
    }

    /// Returns the indices of the classes of the ``Pool``; `nil` if there are fewer than two.
    func pooledClassIndices(of classes: [ClassCounts]) -> [Int]? {
        let checks = classes.map { $0.isSetAside ? 0 : $0.baseline.reduce(0, +) }
        let limit = Self.maxPooledShare * Double(checks.reduce(0, +))
        let indices = classes.indices.filter { index in
            (1...).contains(checks[index]) && Double(checks[index]) <= limit
                && min(
                    classes[index].baseline.count { $0 > 0 }, classes[index].version.count { $0 > 0 })
                    >= Self.minTestedBucketCount
        }
        return indices.count < 2 ? nil : indices
    }

    func stratifiedCounts(
        of indices: [Int], _ classes: [ClassCounts], _ leaks: [LeakCounts]
    ) -> StratifiedCounts {
        var reports = [Int: (baseline: [Int], version: [Int])]()
        for index in indices {
            reports[index] = (BucketedCounts().events, BucketedCounts().events)
        }
        for leak in leaks {
            for bucket in 0..<BucketedCounts.bucketCount {
                reports[leak.classIndex]?.baseline[bucket] += leak.baseline[bucket]
                reports[leak.classIndex]?.version[bucket] += leak.version[bucket]
            }
        }
        return StratifiedCounts(
            indices.compactMap { index in
                reports[index].map { reports in
                    StratifiedCounts.Stratum(
                        first: BucketedCounts(events: reports.baseline, trials: classes[index].baseline),
                        second: BucketedCounts(events: reports.version, trials: classes[index].version))
                }
            })
    }

    /// Returns the weights by which the probabilities of the tests are divided before they are corrected. Their mean is 1.
    ///
    /// Source: C. R. Genovese, K. Roeder and L. Wasserman, Biometrika 93 (2006), pp. 509–524.
    ///
    /// - Parameter testCount: the number of tests besides that of the pool.
    func testWeights(testCount: Int, hasPool: Bool) -> (test: Double, pool: Double) {
        guard hasPool, testCount > 0 else { return (1, 1) }
        let count = Double(testCount + 1)
        let pool = max(1, Self.poolSignificanceShare * count)
        return ((count - pool) / Double(testCount), pool)
    }

    func poolResult(_ counts: StratifiedCounts, significance: Double) -> Pool.Result {
        guard counts.usedBucketCount >= Self.minBucketCount else { return .fewDevices }
        let growth = counts.neededGrowth(
            minRise: limits.rate / Double(counts.strata.count), significance: significance,
            power: limits.power)
        return growth.map { $0 <= 1 } == true ? .enough : .needs(growth: growth)
    }

    /// Returns ``Result/neededGrowth``.
    func neededGrowth(
        of decidingClasses: [Int], _ classes: [ClassCounts], _ results: [ClassResult], pool: Pool?
    ) -> Double? {
        // The largest factor that a class needs, for classes of the pool and for other classes.
        var (pooledGrowth, otherGrowth) = (1.0, 1.0)
        for index in decidingClasses {
            let growth: Double
            switch results[index] {
            case .enough, .pooled: continue
            case .needs(let checks?): growth = Double(checks) / Double(classes[index].version.reduce(0, +))
            case .needs(nil), .fewDevices, .notChecked, .new, .setAside: growth = .infinity
            }
            if pool?.classIndices.contains(index) == true {
                pooledGrowth = max(pooledGrowth, growth)
            } else {
                otherGrowth = max(otherGrowth, growth)
            }
        }
        if case .needs(let growth?) = pool?.result { pooledGrowth = min(pooledGrowth, growth) }
        let growth = max(pooledGrowth, otherGrowth)
        return growth.isFinite ? growth : nil
    }
}
