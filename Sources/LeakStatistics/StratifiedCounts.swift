/// Events and trials of several classes in two versions, compared class by class and then added up. A shift of the trials from
/// one class to another does not change the sum.
struct StratifiedCounts: Sendable {
    /// The counts of one class.
    struct Stratum: Sendable {
        let first: BucketedCounts
        let second: BucketedCounts
        let firstTotal: Proportion
        let secondTotal: Proportion

        init(first: BucketedCounts, second: BucketedCounts) {
            (self.first, self.second) = (first, second)
            (firstTotal, secondTotal) = (first.total, second.total)
        }

        /// The weight of the difference of the two rates: n₀·n₁ / (n₀ + n₁). A class with few trials in one of the versions has
        /// a small weight, so that a rate that is hardly known is not multiplied by many trials of the other version.
        ///
        /// Source: N. Mantel and W. Haenszel, Journal of the National Cancer Institute 22 (1959), pp. 719–748; for differences
        /// of rates: S. Greenland and J. M. Robins, Biometrics 41 (1985), pp. 55–68.
        ///
        /// - Parameter growth: a factor that multiplies the trials of the second version.
        func weight(growth: Double = 1) -> Double {
            let (n, m) = (Double(firstTotal.trials), Double(secondTotal.trials) * growth)
            return n + m > 0 ? n * m / (n + m) : 0
        }
    }

    /// Only classes with trials in both versions, which is the condition for a weight above 0.
    let strata: [Stratum]

    init(_ strata: [Stratum]) {
        self.strata = strata.filter { $0.weight() > 0 }
    }

    /// Number of buckets with trials of any class, in the version with fewer such buckets.
    var usedBucketCount: Int {
        func count(_ counts: (Stratum) -> BucketedCounts) -> Int {
            (0..<BucketedCounts.bucketCount).count { bucket in
                strata.contains { counts($0).trials[bucket] > 0 }
            }
        }
        return min(count(\.first), count(\.second))
    }

    private var weightSum: Double { strata.reduce(0) { $0 + $1.weight() } }

    /// The weighted mean of the rises of the rates.
    private var rise: Double {
        strata.reduce(0) { $0 + $1.weight() * ($1.secondTotal.rate - $1.firstTotal.rate) } / weightSum
    }

    /// The variance of ``rise``, estimated from the differences between the buckets as in
    /// ``BucketedCounts/probabilityOfRise(from:to:)``. Each class has its own factor g/(g−1), because its rate is estimated from
    /// its own g buckets.
    private var bucketVariance: Double {
        var residuals = [Double](repeating: 0, count: BucketedCounts.bucketCount)
        let weightSum = weightSum
        for stratum in strata {
            let bucketCount = Double(min(stratum.first.usedBucketCount, stratum.second.usedBucketCount))
            guard bucketCount > 1 else { continue }
            let scale = (bucketCount / (bucketCount - 1)).squareRoot() * stratum.weight() / weightSum
            let (first, second) = (stratum.first.rateResiduals, stratum.second.rateResiduals)
            for bucket in residuals.indices { residuals[bucket] += scale * (second[bucket] - first[bucket]) }
        }
        return residuals.reduce(0) { $0 + $1 * $1 }
    }

    /// The probability that the rates rise by as much as ``rise`` if nothing has changed: the larger of the probabilities of
    /// Fisher's exact test in all classes and of a t test over the buckets. With one class it is
    /// ``BucketedCounts/probabilityOfRise(from:to:)``.
    ///
    /// If the t test gives more than 5 %, the probability is 1 without the exact test, which is slower.
    var probabilityOfRise: Double {
        let (bucketCount, variance) = (usedBucketCount, bucketVariance)
        guard bucketCount >= 2 else { return 1 }
        let rise = rise
        guard rise > 0 else { return 1 }
        let tail =
            variance > 0
            ? StudentT.upperTail(rise / variance.squareRoot(), degreesOfFreedom: bucketCount - 1) : 0
        guard tail <= 0.05 else { return 1 }
        return max(
            tail,
            FisherTest.probabilityOfRise(from: strata.map(\.firstTotal), to: strata.map(\.secondTotal)))
    }

    /// The factor, at least 1, by which the variance of ``rise`` is larger than with independent trials; 1 with fewer than 10
    /// events. See ``BucketedCounts/designEffect(of:)``.
    private var designEffect: Double {
        guard strata.reduce(0, { $0 + $1.firstTotal.events + $1.secondTotal.events }) >= 10 else { return 1 }
        let weightSum = weightSum
        let variance = strata.reduce(0.0) { sum, stratum in
            let weight = stratum.weight() / weightSum
            let variances = [stratum.firstTotal, stratum.secondTotal].map {
                $0.rate * (1 - $0.rate) / Double($0.trials)
            }
            return sum + weight * weight * (variances[0] + variances[1])
        }
        return variance > 0 ? max(1, bucketVariance / variance) : 1
    }

    /// Returns the factor by which the trials of the second version must grow, so that a doubling of all rates is found.
    ///
    /// - Parameters:
    ///   - minRise: the rise that must be found if the rate is lower than this number.
    ///   - significance: the probability of a false alarm that the test allows.
    ///   - power: the probability with which the rise must be found.
    /// - Returns: at most 1 if there are enough trials; `nil` if no number suffices, because the first version has too few.
    func neededGrowth(minRise: Double, significance: Double, power: Double) -> Double? {
        let bucketCount = usedBucketCount
        guard bucketCount >= 2 else { return nil }
        let quantileSum =
            StudentT.upperQuantile(significance, degreesOfFreedom: bucketCount - 1)
            + StudentT.upperQuantile(1 - power, degreesOfFreedom: bucketCount - 1)
        let scale = quantileSum * quantileSum * designEffect
        /// Returns `true` if rise² ≥ scale · variance, where the variance is that of the weighted mean if all classes have the
        /// same rate. Different rates make it smaller.
        func isEnough(growth: Double) -> Bool {
            var (weightSum, rateSum, firstSum, secondSum) = (0.0, 0.0, 0.0, 0.0)
            for stratum in strata {
                let weight = stratum.weight(growth: growth)
                weightSum += weight
                rateSum += weight * stratum.firstTotal.rate
                firstSum += weight * weight / Double(stratum.firstTotal.trials)
                secondSum += weight * weight / (Double(stratum.secondTotal.trials) * growth)
            }
            guard weightSum > 0 else { return false }
            let rate = rateSum / weightSum
            let rise = max(rate, minRise)
            let raisedRate = min(1, rate + rise)
            let variance =
                (rate * (1 - rate) * firstSum + raisedRate * (1 - raisedRate) * secondSum)
                / (weightSum * weightSum)
            return rise * rise >= scale * variance
        }
        let maxGrowth = 1e6
        guard isEnough(growth: maxGrowth) else { return nil }
        if isEnough(growth: 1) { return 1 }
        var (low, high) = (1.0, maxGrowth)
        while high / low > 1.001 {
            let middle = (low * high).squareRoot()
            if isEnough(growth: middle) { high = middle } else { low = middle }
        }
        return high
    }
}
