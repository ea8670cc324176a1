/// Events and trials of one version, split by a hash of the install, so that differences between devices can be measured.
///
/// Devices differ: a device that leaks once leaks often. A test that treats each trial as independent therefore raises
/// false alarms.
public struct BucketedCounts: Hashable, Sendable {
    /// Number of buckets that installs are hashed into.
    public static let bucketCount = 64

    /// Events in each bucket.
    public private(set) var events: [Int]
    /// Trials in each bucket.
    public private(set) var trials: [Int]

    public init() {
        events = [Int](repeating: 0, count: Self.bucketCount)
        trials = events
    }

    /// - Parameters:
    ///   - events: one count for each of the ``bucketCount`` buckets.
    ///   - trials: one count for each of the ``bucketCount`` buckets.
    public init(events: [Int], trials: [Int]) {
        precondition(
            events.count == Self.bucketCount && trials.count == Self.bucketCount,
            "events and trials need one count for each of the \(Self.bucketCount) buckets")
        self.events = events
        self.trials = trials
    }

    /// Returns the bucket of an install.
    ///
    /// - Parameter hash: a hash of the install's id.
    public static func bucket(ofInstall hash: UInt64) -> Int { Int(hash % UInt64(bucketCount)) }

    public mutating func add(events: Int, trials: Int, bucket: Int) {
        self.events[bucket] += events
        self.trials[bucket] += trials
    }

    public var total: Proportion {
        Proportion(events: events.reduce(0, +), trials: trials.reduce(0, +))
    }

    /// Number of buckets with trials.
    public var usedBucketCount: Int { trials.count { $0 > 0 } }

    /// The contribution of each bucket to the error of the rate: (x − p·n)/N for a bucket with x events in n trials, where p is
    /// the rate of all N trials.
    var rateResiduals: [Double] {
        let total = total
        guard total.trials > 0 else { return trials.map { _ in 0 } }
        return zip(events, trials).map { events, trials in
            (Double(events) - total.rate * Double(trials)) / Double(total.trials)
        }
    }

    /// Returns the probability that the rate rises by at least the difference between `first` and `second` if nothing has
    /// changed.
    ///
    /// The result is the larger of two probabilities: that of Fisher's exact test of the totals, and that of a t test over the
    /// buckets, which allows events of one bucket to depend on each other.
    ///
    /// The t test uses the cluster-robust variance of a difference of two ratio estimates whose clusters are the buckets: W. G.
    /// Cochran, Sampling Techniques (1977), section 6.3 for the ratio, with the factor g/(g−1) for g clusters.
    ///
    /// - Returns: from 0 to 1; 1 if `first` or `second` has fewer than two buckets with trials.
    public static func probabilityOfRise(from first: BucketedCounts, to second: BucketedCounts) -> Double {
        let bucketCount = min(first.usedBucketCount, second.usedBucketCount)
        guard bucketCount >= 2 else { return 1 }
        let fisher = FisherTest.probabilityOfRise(from: first.total, to: second.total)
        let rise = second.total.rate - first.total.rate
        let squareSum = zip(first.rateResiduals, second.rateResiduals).reduce(0) {
            $0 + ($1.1 - $1.0) * ($1.1 - $1.0)
        }
        let standardError = (Double(bucketCount) / Double(bucketCount - 1) * squareSum).squareRoot()
        guard standardError > 0 else { return rise > 0 ? fisher : 1 }
        return max(fisher, StudentT.upperTail(rise / standardError, degreesOfFreedom: bucketCount - 1))
    }

    /// ``designEffect(of:)`` of these counts; `nil` if trials are in fewer than ``ReleaseGate/minTestedBucketCount`` buckets:
    /// so few devices do not show how much the rate differs between devices.
    public var knownDesignEffect: Double? {
        usedBucketCount < ReleaseGate.minTestedBucketCount ? nil : Self.designEffect(of: [self])
    }

    /// Returns the factor, at least 1, by which the variance of rates is larger than with independent trials, because events of
    /// one device depend on each other.
    ///
    /// Counts with fewer than 10 events, or with trials in fewer than 2 buckets, are left out. If none are left, the factor is
    /// 1.
    ///
    /// Source: L. Kish, Survey Sampling (1965), section 5.4, with buckets as clusters.
    public static func designEffect(of counts: [BucketedCounts]) -> Double {
        var (weightedEffect, weightSum) = (0.0, 0.0)
        for counts in counts {
            let (total, bucketCount) = (counts.total, counts.usedBucketCount)
            guard total.events >= 10, bucketCount >= 2 else { continue }
            let squareSum = counts.rateResiduals.reduce(0) { $0 + $1 * $1 }
            // A rate is more exact if it has more events.
            let weight = Double(total.events)
            let variance = total.rate * (1 - total.rate) / Double(total.trials)
            guard variance > 0 else { continue }
            weightedEffect += weight * Double(bucketCount) / Double(bucketCount - 1) * squareSum / variance
            weightSum += weight
        }
        return weightSum > 0 ? max(1, weightedEffect / weightSum) : 1
    }
}
