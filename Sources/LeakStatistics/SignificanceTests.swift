#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Fisher's exact test of two proportions.
public enum FisherTest {
    /// Returns the probability of at least as many events as `second` has, if both proportions have the same true rate: the
    /// upper tail of the hypergeometric distribution. With very many events it is approximated: ``maxExactVariance``.
    ///
    /// Source: R. A. Fisher, Journal of the Royal Statistical Society 85 (1922), pp. 87–94.
    ///
    /// - Returns: from 0 to 1; 1 if one of the proportions has no trials.
    public static func probabilityOfRise(from first: Proportion, to second: Proportion) -> Double {
        let events = first.events + second.events
        guard first.trials > 0, second.trials > 0, events > 0 else { return 1 }
        let maxEvents = min(events, second.trials)
        let minEvents = max(0, events - first.trials)
        guard second.events > minEvents else { return 1 }
        let (expectedEvents, variance) = moments(events: events, first.trials, second.trials)
        guard variance <= maxExactVariance else {
            return normalTail(Double(second.events), mean: expectedEvents, variance: variance)
        }
        // Sums the tail on the far side of the mean, because its terms shrink.
        if Double(second.events) > expectedEvents {
            return sum(
                from: second.events, through: maxEvents, events: events, first.trials, second.trials)
        }
        let lowerTail = sum(
            from: second.events - 1, through: minEvents, events: events, first.trials, second.trials)
        return max(0, 1 - lowerTail)
    }

    /// The variance of the number of events above which it is treated as normally distributed, so that a test takes a bounded
    /// time. The exact sum then has about a hundred thousand terms.
    private static let maxExactVariance = 1e8
    /// The variance above which the sum over several strata is treated as normally distributed. It is lower than
    /// ``maxExactVariance``, because the exact distribution of a sum takes longer.
    private static let maxExactStrataVariance = 1e4

    /// Returns the mean and the variance of the hypergeometric distribution of the events in the second proportion.
    private static func moments(
        events: Int, _ firstTrials: Int, _ secondTrials: Int
    ) -> (mean: Double, variance: Double) {
        let trials = Double(firstTrials) + Double(secondTrials)
        let (share, events) = (Double(secondTrials) / trials, Double(events))
        guard trials > 1 else { return (events * share, 0) }
        return (events * share, max(0, events * share * (1 - share) * (trials - events) / (trials - 1)))
    }

    /// Returns the probability of at least `events`, by the normal distribution with a correction for continuity.
    private static func normalTail(_ events: Double, mean: Double, variance: Double) -> Double {
        0.5 * erfc((events - 0.5 - mean) / (2 * variance).squareRoot())
    }

    /// Sums the probabilities of all numbers of events from `start` to `end` in the second proportion. The probabilities must
    /// shrink in this direction.
    private static func sum(
        from start: Int, through end: Int, events: Int, _ firstTrials: Int, _ secondTrials: Int
    ) -> Double {
        var (term, total) = (1.0, 1.0)
        var count = start
        while count != end {
            if end > start {
                term *= ratio(after: count, events: events, firstTrials, secondTrials)
                count += 1
            } else {
                count -= 1
                term /= ratio(after: count, events: events, firstTrials, secondTrials)
            }
            total += term
            if term < total * 1e-17 { break }
        }
        let logStart = logProbability(of: start, events: events, firstTrials, secondTrials)
        return min(1, exp(logStart) * total)
    }

    /// Returns the probability of at least as many events as `second` has in all strata together, if the two rates of each
    /// stratum are equal: the upper tail of a sum of hypergeometric distributions. Probabilities below 1e-15 are not exact. With
    /// many events the sum is treated as normally distributed: ``maxExactStrataVariance``.
    ///
    /// Source: J. J. Gart, Biometrika 57 (1970), pp. 471–475, for an odds ratio of 1.
    ///
    /// - Parameters:
    ///   - first: one proportion for each stratum.
    ///   - second: as many proportions as `first`. A stratum without trials in one of them is left out.
    /// - Returns: from 0 to 1; 1 without strata.
    static func probabilityOfRise(from first: [Proportion], to second: [Proportion]) -> Double {
        var (mean, variance, allEvents) = (0.0, 0.0, 0.0)
        for (first, second) in zip(first, second) where first.trials > 0 && second.trials > 0 {
            let part = moments(events: first.events + second.events, first.trials, second.trials)
            mean += part.mean
            variance += part.variance
            allEvents += Double(second.events)
        }
        guard variance <= maxExactStrataVariance else {
            return normalTail(allEvents, mean: mean, variance: variance)
        }
        // The distribution of the sum, beginning at `offset`.
        var (sum, offset, events) = ([1.0], 0, 0)
        for (first, second) in zip(first, second) where first.trials > 0 && second.trials > 0 {
            events += second.events
            let stratum = distribution(events: first.events + second.events, first.trials, second.trials)
            var product = [Double](repeating: 0, count: sum.count + stratum.probabilities.count - 1)
            for (index, probability) in sum.enumerated() {
                for (other, factor) in stratum.probabilities.enumerated() {
                    product[index + other] += probability * factor
                }
            }
            let start = product.firstIndex { $0 > negligible } ?? 0
            let end = product.lastIndex { $0 > negligible } ?? product.count - 1
            sum = Array(product[start...end])
            offset += stratum.offset + start
        }
        guard events > offset else { return 1 }
        return min(1, sum.dropFirst(events - offset).reversed().reduce(0, +))
    }

    /// Probabilities below this number are left out of the sum of distributions.
    private static let negligible = 1e-20

    /// Returns the hypergeometric distribution of the events in the second proportion, without negligible probabilities.
    ///
    /// - Returns: the probabilities of `offset` events, of `offset + 1` events, and so on.
    private static func distribution(
        events: Int, _ firstTrials: Int, _ secondTrials: Int
    ) -> (offset: Int, probabilities: [Double]) {
        let (least, most) = (max(0, events - firstTrials), min(events, secondTrials))
        let mode = (Double(events) + 1) * (Double(secondTrials) + 1) / Double(firstTrials + secondTrials + 2)
        let start = min(max(Int(mode), least), most)
        let probability = exp(logProbability(of: start, events: events, firstTrials, secondTrials))
        var (lower, upper): ([Double], [Double]) = ([], [probability])
        var (count, term) = (start, probability)
        while count < most, term > negligible {
            term *= ratio(after: count, events: events, firstTrials, secondTrials)
            count += 1
            upper.append(term)
        }
        (count, term) = (start, probability)
        while count > least, term > negligible {
            count -= 1
            term /= ratio(after: count, events: events, firstTrials, secondTrials)
            lower.append(term)
        }
        return (start - lower.count, lower.reversed() + upper)
    }

    /// Returns the natural logarithm of the probability of `count` events in the second proportion.
    private static func logProbability(
        of count: Int, events: Int, _ firstTrials: Int, _ secondTrials: Int
    ) -> Double {
        func logChoose(_ n: Int, _ k: Int) -> Double {
            SpecialFunctions.logGamma(Double(n) + 1) - SpecialFunctions.logGamma(Double(k) + 1)
                - SpecialFunctions.logGamma(Double(n - k) + 1)
        }
        return logChoose(secondTrials, count) + logChoose(firstTrials, events - count)
            - logChoose(firstTrials + secondTrials, events)
    }

    /// Returns the ratio of the probabilities of `count + 1` and of `count` events in the second proportion.
    private static func ratio(
        after count: Int, events: Int, _ firstTrials: Int, _ secondTrials: Int
    ) -> Double {
        Double(secondTrials - count) * Double(events - count)
            / (Double(count + 1) * Double(firstTrials - events + count + 1))
    }
}

/// Student's t distribution.
public enum StudentT {
    /// Returns the probability of a value of at least `t`.
    ///
    /// Source: NIST Digital Library of Mathematical Functions, 8.17; the distribution is I_x(ν/2, 1/2)/2 with x = ν/(ν + t²):
    /// M. Abramowitz and I. Stegun, Handbook of Mathematical Functions (1964), 26.7.1.
    ///
    /// - Parameter degreesOfFreedom: 1 or more.
    public static func upperTail(_ t: Double, degreesOfFreedom: Int) -> Double {
        guard !t.isNaN else { return 1 }
        let degrees = Double(max(1, degreesOfFreedom))
        let x = t.isInfinite ? 0 : degrees / (degrees + t * t)
        let tail = SpecialFunctions.incompleteBeta(x, a: degrees / 2, b: 0.5) / 2
        return t > 0 ? tail : 1 - tail
    }

    /// Returns the value that is exceeded with the given probability: the inverse of ``upperTail(_:degreesOfFreedom:)``, by
    /// bisection.
    ///
    /// - Parameters:
    ///   - probability: above 0, at most 0.5.
    ///   - degreesOfFreedom: 1 or more.
    public static func upperQuantile(_ probability: Double, degreesOfFreedom: Int) -> Double {
        var (low, high) = (0.0, 1.0)
        while high < 1e12, upperTail(high, degreesOfFreedom: degreesOfFreedom) > probability { high *= 2 }
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if upperTail(middle, degreesOfFreedom: degreesOfFreedom) > probability {
                low = middle
            } else {
                high = middle
            }
        }
        return high
    }
}

/// Control of the share of false alarms among several tests.
public enum BenjaminiHochberg {
    /// Returns the adjusted probabilities, in the order of `probabilities`. If each test with an adjusted probability of at
    /// most q counts as an alarm, the expected share of false alarms among the alarms is at most q.
    ///
    /// Source: Y. Benjamini and Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995), pp. 289–300.
    public static func adjusted(_ probabilities: [Double]) -> [Double] {
        let order = probabilities.indices.sorted { probabilities[$0] > probabilities[$1] }
        var adjusted = probabilities
        var smallest = 1.0
        for (position, index) in order.enumerated() {
            let rank = probabilities.count - position
            smallest = min(smallest, probabilities[index] * Double(probabilities.count) / Double(rank))
            adjusted[index] = smallest
        }
        return adjusted
    }
}
