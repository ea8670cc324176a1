import Foundation
import LeakSeededRandom
import LeakStatistics

/// The difference between the two releases of a pair.
enum Change {
    case unchanged, doubled, newLeak
    /// The rates of all leaks double.
    case allDoubled
}

/// The number of classes of a simulated app.
enum AppSize {
    /// 1 to 12 classes.
    case small
    /// 50 to 150 classes, most of which have too few checks to be judged by themselves.
    case large

    /// The changes that follow each other in the pairs of releases of such apps.
    var changes: [Change] {
        switch self {
        case .small: [.unchanged, .doubled, .newLeak]
        case .large: [.unchanged, .unchanged, .unchanged, .doubled, .newLeak, .allDoubled]
        }
    }
}

struct Simulation {
    /// The correlations of two checks on one device. Each pair has one of them.
    static let correlations = [0, 0.005, 0.02, 0.05]

    /// For each pair of large apps there are this many pairs of small apps.
    static let smallPairsPerLargePair = 5

    /// Number of pairs of releases of small apps.
    var pairs: Int
    var seed: Int

    /// A pair of releases, with the facts that tell whether the gate's result is right.
    struct Pair {
        var size: AppSize
        var change: Change
        var classes: [ReleaseGate.ClassCounts] = []
        var leaks: [ReleaseGate.LeakCounts] = []
        /// Index in ``leaks`` of the leak that differs between the releases.
        var changed: Int?
        var correlation = 0.0
        /// Checks of the class of the changed leak, in the release that has fewer of them.
        var checks = 0
        /// `true` if the classes have other shares of the checks in the second release.
        var isShifting = false
    }

    func run() -> SimulationTable {
        var random = SeededRandom(seed: seed)
        let gate = ReleaseGate()
        var table = SimulationTable(seed: seed)
        for (size, pairs) in [(AppSize.small, pairs), (.large, pairs / Self.smallPairsPerLargePair)] {
            for number in 0..<pairs {
                let change = size.changes[number % size.changes.count]
                let pair =
                    size == .small ? makePair(change, &random) : makeLargePair(change, &random)
                table.add(SimulationTable.Outcome(pair: pair, result: gate.check(pair.classes, pair.leaks)))
            }
        }
        return table
    }

    // MARK: Drawing

    private func makePair(_ change: Change, _ random: inout SeededRandom) -> Pair {
        var pair = Pair(size: .small, change: change)
        pair.correlation = random.element(of: Self.correlations)
        pair.isShifting = random.chance(0.5)
        let installs = Int(logUniform(40, 4_000, &random))
        let classCount = random.number(1...12)
        let checks = logUniform(200, 20_000, &random)
        // The share of the devices of the first release that also use the second release.
        let staying = random.element(of: [0, 0.8, 1.0])
        let changedClass = random.below(classCount)
        let buckets = (0..<2 * installs).map { _ in BucketedCounts.bucket(ofInstall: random.next()) }
        for index in 0..<classCount {
            let share = index == 0 ? 1 : Double.random(in: 0.1...1, using: &random)
            let second = pair.isShifting ? Double.random(in: 0.3...3, using: &random) : 1
            let before = usage(installs, total: max(200, checks * share), &random)
            let now = usage(installs, total: max(200, min(20_000, checks * share * second)), &random)
            var first = [Int](repeating: 0, count: BucketedCounts.bucketCount)
            var later = first
            let newDevices = (0..<installs).map { _ in !random.chance(staying) }
            for device in 0..<installs {
                first[buckets[device]] += before[device]
                later[buckets[newDevices[device] ? installs + device : device]] += now[device]
            }
            pair.classes.append(
                ReleaseGate.ClassCounts("Class\(index)", baseline: first, version: later))
            for leak in 0..<random.number(1...3) {
                let isChanged = change != .unchanged && index == changedClass && leak == 0
                let isNew = isChanged && change == .newLeak
                var rate = logUniform(0.001, 0.2, &random)
                if isNew { rate = 0.05 }
                if isChanged, change == .doubled { rate = max(rate, logUniform(0.05, 0.2, &random)) }
                let risen = isChanged && change == .doubled ? 2 * rate : rate
                var (old, new) = (
                    [Int](repeating: 0, count: BucketedCounts.bucketCount),
                    [Int](repeating: 0, count: BucketedCounts.bucketCount)
                )
                var devices = 0
                for device in 0..<installs {
                    let tendency = makeTendency(&random)
                    if !isNew {
                        old[buckets[device]] += tendency.events(
                            before[device], rate: rate, correlation: pair.correlation, &random)
                    }
                    let other = newDevices[device] ? makeTendency(&random) : tendency
                    let events = other.events(
                        now[device], rate: risen, correlation: pair.correlation, &random)
                    new[buckets[newDevices[device] ? installs + device : device]] += events
                    if events > 0 { devices += 1 }
                }
                if isChanged {
                    pair.changed = pair.leaks.count
                    pair.checks = min(before.reduce(0, +), now.reduce(0, +))
                }
                pair.leaks.append(
                    ReleaseGate.LeakCounts(classIndex: index, baseline: old, version: new, devices: devices))
            }
        }
        return pair
    }

    /// Draws a pair of releases of an app with 50 to 150 classes. In half of the pairs the classes are used about equally often;
    /// in the others a few classes have most of the checks. 5 to 100 % of the classes have leaks. A leak that does not change
    /// was seen in earlier versions, even if the first release of the pair has no report of it.
    private func makeLargePair(_ change: Change, _ random: inout SeededRandom) -> Pair {
        var pair = Pair(size: .large, change: change)
        pair.correlation = random.element(of: Self.correlations)
        pair.isShifting = random.chance(0.5)
        let installs = Int(logUniform(40, 4_000, &random))
        let classCount = random.number(50...150)
        let checks = logUniform(10_000, 300_000, &random)
        let isEqual = random.chance(0.5)
        let leakyShare = logUniform(0.05, 1, &random)
        let staying = random.element(of: [0, 0.8, 1.0])
        let changedClass = random.below(classCount)
        let buckets = (0..<2 * installs).map { _ in BucketedCounts.bucket(ofInstall: random.next()) }
        // The device of each place in the second release: a new device, or one that used the first release.
        let laterDevices = (0..<installs).map { random.chance(staying) ? $0 : installs + $0 }
        let activity = (0..<2 * installs).map { _ in exp(normal(&random)) }
        let (first, later) = (
            Population(devices: Array(0..<installs), activity),
            Population(devices: laterDevices, activity)
        )
        func weights() -> [Double] {
            (0..<classCount).map { _ in
                isEqual ? Double.random(in: 0.5...1, using: &random) : exp(normal(&random))
            }
        }
        let shares = weights()
        let laterShares = shares.map {
            pair.isShifting ? $0 * Double.random(in: 0.3...3, using: &random) : $0
        }
        let totals = (shares.reduce(0, +), laterShares.reduce(0, +))
        // The second release has a quarter of the checks of the first, or as many.
        let laterChecks = checks * random.element(of: [0.25, 1.0])
        for index in 0..<classCount {
            let before = first.checks(Int(checks * shares[index] / totals.0), &random)
            let now = later.checks(Int(laterChecks * laterShares[index] / totals.1), &random)
            pair.classes.append(
                ReleaseGate.ClassCounts(
                    "Class\(index)", baseline: byBucket(before, buckets), version: byBucket(now, buckets)))
            let isChangedClass = change != .unchanged && change != .allDoubled && index == changedClass
            let leakCount =
                isChangedClass || random.chance(leakyShare) || index == 0 ? random.number(1...2) : 0
            for leak in 0..<leakCount {
                let isChanged = isChangedClass && leak == 0
                let isNew = isChanged && change == .newLeak
                var rate = logUniform(0.001, 0.2, &random)
                if isNew { rate = 0.05 }
                if isChanged, change == .doubled { rate = max(rate, logUniform(0.05, 0.2, &random)) }
                let isDoubled = change == .allDoubled || (isChanged && change == .doubled)
                let tendencies = random.next()
                func events(_ checks: [Int: Int], rate: Double) -> [Int: Int] {
                    var events: [Int: Int] = [:]
                    for (device, trials) in checks.sorted(by: { $0.key < $1.key }) {
                        events[device] = DeviceTendency(
                            seed: tendencies &+ UInt64(device) &* 0x9E37_79B9_7F4A_7C15
                        )
                        .events(trials, rate: rate, correlation: pair.correlation, &random)
                    }
                    return events
                }
                let old = isNew ? [:] : events(before, rate: rate)
                let new = events(now, rate: isDoubled ? 2 * rate : rate)
                if isChanged {
                    pair.changed = pair.leaks.count
                    pair.checks = min(before.values.reduce(0, +), now.values.reduce(0, +))
                }
                pair.leaks.append(
                    ReleaseGate.LeakCounts(
                        classIndex: index, baseline: byBucket(old, buckets), version: byBucket(new, buckets),
                        devices: new.values.count { $0 > 0 }, isNew: isNew))
            }
        }
        return pair
    }

    /// Returns the sums of the counts of the devices in each bucket.
    private func byBucket(_ counts: [Int: Int], _ buckets: [Int]) -> [Int] {
        var sums = [Int](repeating: 0, count: BucketedCounts.bucketCount)
        for (device, count) in counts { sums[buckets[device]] += count }
        return sums
    }

    /// The devices that use a release. A few devices make most of the checks.
    private struct Population {
        let devices: [Int]
        /// For each device, the activity of all devices up to this one.
        let sums: [Double]

        /// - Parameter activity: of each device, by its number.
        init(devices: [Int], _ activity: [Double]) {
            self.devices = devices
            var sum = 0.0
            sums = devices.map { device in
                sum += activity[device]
                return sum
            }
        }

        /// Returns the number of checks of each device that has any.
        func checks(_ total: Int, _ random: inout SeededRandom) -> [Int: Int] {
            var checks: [Int: Int] = [:]
            for _ in 0..<total {
                let point = Double.random(in: 0..<(sums.last ?? 1), using: &random)
                var (low, high) = (0, sums.count - 1)
                while low < high {
                    let middle = (low + high) / 2
                    if sums[middle] > point { high = middle } else { low = middle + 1 }
                }
                checks[devices[low], default: 0] += 1
            }
            return checks
        }
    }

    /// Returns the number of checks of one class on each device. A few devices make most of the checks.
    private func usage(_ installs: Int, total: Double, _ random: inout SeededRandom) -> [Int] {
        let weights = (0..<installs).map { _ in exp(normal(&random)) }
        let sum = weights.reduce(0, +)
        return weights.map { weight in
            let mean = total * weight / sum
            let whole = mean.rounded(.down)
            return Int(whole) + (random.chance(mean - whole) ? 1 : 0)
        }
    }

    private func logUniform(_ low: Double, _ high: Double, _ random: inout SeededRandom) -> Double {
        exp(Double.random(in: log(low)...log(high), using: &random))
    }

    private func normal(_ random: inout SeededRandom) -> Double {
        (-2 * log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random))).squareRoot()
            * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
    }

    /// The tendency of one device to leak: a seed for the random numbers that determine the rate of the device. A device that
    /// leaks more often than another device also does so at other rates.
    private struct DeviceTendency {
        var seed: UInt64

        /// Draws the number of events from a beta-binomial distribution: the rate of the device is drawn from a beta
        /// distribution with the mean `rate`. `correlation` is that of two checks on one device.
        func events(_ trials: Int, rate: Double, correlation: Double, _ random: inout SeededRandom) -> Int {
            guard trials > 0 else { return 0 }
            var own = rate
            if correlation > 0 {
                var generator = SeededRandom(seed: seed)
                let scale = (1 - correlation) / correlation
                let (a, b) = (gamma(rate * scale, &generator), gamma((1 - rate) * scale, &generator))
                own = a + b > 0 ? a / (a + b) : (generator.chance(rate) ? 1 : 0)
            }
            return (0..<trials).count { _ in random.chance(own) }
        }

        /// Draws from a gamma distribution. Source: G. Marsaglia and W. W. Tsang, ACM Transactions on Mathematical Software 26
        /// (2000), pp. 363–372.
        private func gamma(_ shape: Double, _ random: inout SeededRandom) -> Double {
            guard shape >= 1 else {
                let power = pow(
                    Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random), 1 / shape)
                return gamma(shape + 1, &random) * power
            }
            let d = shape - 1.0 / 3
            let c = 1 / (9 * d).squareRoot()
            while true {
                let x =
                    (-2 * log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random)))
                    .squareRoot()
                    * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
                let v = pow(1 + c * x, 3)
                guard v > 0 else { continue }
                let u = Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random)
                if log(u) < x * x / 2 + d - d * v + d * log(v) { return d * v }
            }
        }
    }

    private func makeTendency(_ random: inout SeededRandom) -> DeviceTendency {
        DeviceTendency(seed: random.next())
    }
}
