/// Events and trials of one version, split by a hash of the install, so that differences between devices can be measured.
///
/// Devices differ: one that leaks once leaks often. A test that treats each close as independent therefore raises false alarms.
public struct BucketedCounts: Hashable, Sendable {
    /// Number of buckets that installs are hashed into.
    public static let bucketCount = 64

    /// Events in each bucket.
    public private(set) var events: [Int]
    public private(set) var trials: [Int]

    public init() {
        events = [Int](repeating: 0, count: Self.bucketCount)
        trials = events
    }

    /// - Parameters:
    ///   - events: by bucket.
    ///   - trials: by bucket.
    public init(events: [Int], trials: [Int]) {
        precondition(events.count == Self.bucketCount && trials.count == Self.bucketCount, "wrong buckets")
        self.events = events
        self.trials = trials
    }

    /// - Parameter install: a hash of the install's id.
    public static func bucket(ofInstall install: UInt64) -> Int { Int(install % UInt64(bucketCount)) }

    public mutating func add(events: Int, trials: Int, bucket: Int) {
        self.events[bucket] += events
        self.trials[bucket] += trials
    }

    public var total: Proportion {
        Proportion(events: events.reduce(0, +), trials: trials.reduce(0, +))
    }

    /// Number of buckets with trials.
    public var bucketsInUse: Int { trials.count { $0 > 0 } }

    /// Each bucket's part of the error of the rate: (x − p·n)/N.
    fileprivate var errors: [Double] {
        let total = total
        guard total.trials > 0 else { return trials.map { _ in 0 } }
        return zip(events, trials).map { events, trials in
            (Double(events) - total.rate * Double(trials)) / Double(total.trials)
        }
    }

    /// Returns the probability of a rise of the rate at least this large if nothing has changed: the larger of two probabilities,
    /// that of Fisher's exact test of the totals and that of a t test over buckets, in which the devices of a bucket may depend on
    /// each other.
    ///
    /// The variance is the cluster-robust one of a difference of two ratio estimates whose clusters are the buckets:
    /// W. G. Cochran, Sampling Techniques (1977), section 6.3 for the ratio, with g/(g−1) for the number of clusters.
    ///
    /// - Returns: from 0 to 1; 1 if fewer than two buckets are in use in one of them.
    public static func probabilityOfRise(from first: BucketedCounts, to second: BucketedCounts) -> Double {
        let buckets = min(first.bucketsInUse, second.bucketsInUse)
        guard buckets >= 2 else { return 1 }
        let fisher = FisherTest.probability(of: second.total, atLeastAfter: first.total)
        let rise = second.total.rate - first.total.rate
        let squares = zip(first.errors, second.errors).reduce(0) { $0 + ($1.1 - $1.0) * ($1.1 - $1.0) }
        let error = (Double(buckets) / Double(buckets - 1) * squares).squareRoot()
        guard error > 0 else { return rise > 0 ? fisher : 1 }
        return max(fisher, StudentT.upperTail(rise / error, degreesOfFreedom: buckets - 1))
    }

    /// Returns the factor by which the variance of rates is larger because events of one device depend on each other: at least 1,
    /// and 1 if the counts are too few: counts with fewer than 10 events or 2 buckets are left out.
    ///
    /// Source: L. Kish, Survey Sampling (1965), section 5.4, with buckets as clusters.
    public static func designEffect(of counts: [BucketedCounts]) -> Double {
        var (clustered, simple) = (0.0, 0.0)
        for counts in counts {
            let (total, buckets) = (counts.total, counts.bucketsInUse)
            guard total.events >= 10, buckets >= 2 else { continue }
            let squares = counts.errors.reduce(0) { $0 + $1 * $1 }
            let scale = Double(total.events)
            // Weighted by events: the more events, the more exact the rate.
            let variance = total.rate * (1 - total.rate) / Double(total.trials)
            guard variance > 0 else { continue }
            clustered += scale * Double(buckets) / Double(buckets - 1) * squares / variance
            simple += scale
        }
        return simple > 0 ? max(1, clustered / simple) : 1
    }
}
