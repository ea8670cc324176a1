#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Events among trials, such as reports of a leak among the checks of its class.
public struct Proportion: Hashable, Sendable {
    public var events: Int
    public var trials: Int

    /// - Parameters:
    ///   - events: 0 or more; a larger number than `trials` counts as `trials`.
    ///   - trials: 0 or more.
    public init(events: Int, trials: Int) {
        self.trials = max(0, trials)
        self.events = min(max(0, events), self.trials)
    }

    /// Events per trial, from 0 to 1; 0 without trials.
    public var rate: Double { trials == 0 ? 0 : Double(events) / Double(trials) }

    /// Returns the interval of Wilson's score test, which covers the true rate with about the probability `confidence`, even
    /// for small numbers.
    ///
    /// Source: E. B. Wilson, Journal of the American Statistical Association 22 (1927), pp. 209–212.
    ///
    /// - Parameters:
    ///   - confidence: between 0 and 1.
    ///   - effect: ``BucketedCounts/designEffect(of:)``. The interval is computed for the number of independent trials that
    ///     would have the same variance, which need not be whole. Source: L. Kish, Survey Sampling (1965), section 5.4.
    /// - Returns: 0 to 1 if there are no trials.
    public func wilsonInterval(confidence: Double, effect: Double = 1) -> ClosedRange<Double> {
        guard trials > 0 else { return 0...1 }
        let (n, p) = (Double(trials) / max(1, effect), rate)
        let z = SpecialFunctions.normalQuantile((1 + confidence) / 2)
        let scale = 1 + z * z / n
        let middle = (p + z * z / (2 * n)) / scale
        let halfWidth = z / scale * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
        // The formula gives exactly 0 without events, and exactly 1 if each trial has an event. Rounding must not exclude these
        // rates.
        let low = events == 0 ? 0 : max(0, middle - halfWidth)
        let high = events == trials ? 1 : min(1, middle + halfWidth)
        return low...max(low, high)
    }

    /// Returns the exact interval, which covers the true rate with at least the probability `confidence`.
    ///
    /// Source: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934), pp. 404–413.
    ///
    /// - Parameter confidence: between 0 and 1.
    /// - Returns: 0 to 1 if there are no trials.
    public func exactInterval(confidence: Double) -> ClosedRange<Double> {
        guard trials > 0 else { return 0...1 }
        let tail = (1 - confidence) / 2
        let (x, n) = (Double(events), Double(trials))
        let low = events == 0 ? 0 : SpecialFunctions.incompleteBetaInverse(tail, a: x, b: n - x + 1)
        return low...max(low, exactUpperBound(confidence: 1 - tail))
    }

    /// Returns an upper bound of the true rate that holds with at least the probability `confidence`, by Clopper and Pearson.
    ///
    /// - Parameter confidence: between 0 and 1.
    public func exactUpperBound(confidence: Double) -> Double {
        guard events < trials else { return 1 }
        // Without events the bound has a formula: (1 - bound)^trials = 1 - confidence.
        guard events > 0 else { return -expm1(log1p(-confidence) / Double(trials)) }
        return SpecialFunctions.incompleteBetaInverse(
            confidence, a: Double(events) + 1, b: Double(trials - events))
    }

    /// Returns the number of successive trials without an event that shows, with the probability `confidence`, that the rate is
    /// below `rate`.
    ///
    /// - Parameters:
    ///   - rate: the rate to exclude, such as the rate before a fix, from 0 to 1.
    ///   - confidence: between 0 and 1.
    /// - Returns: `nil` for a rate of 0, because no rate is lower, and for a rate that needs 10¹⁵ trials or more.
    public static func trialsWithoutEvents(excluding rate: Double, confidence: Double) -> Int? {
        guard rate > 0 else { return nil }
        guard rate < 1 else { return 1 }
        let trials = (log1p(-confidence) / log1p(-rate)).rounded(.up)
        return trials < 1e15 ? max(1, Int(trials)) : nil
    }
}
