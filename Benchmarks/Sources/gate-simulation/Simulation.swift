import Foundation
import LeakSeededRandom
import LeakStatistics

/// The difference between the two releases of a pair.
enum Change: CaseIterable {
    case unchanged, doubled, newLeak
}

struct Simulation {
    /// The correlations of two checks on one device. Each pair has one of them.
    static let correlations = [0, 0.005, 0.02, 0.05]

    var pairs: Int
    var seed: Int

    /// A pair of releases, with the facts that tell whether the gate's result is right.
    struct Pair {
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
        for number in 0..<pairs {
            let pair = makePair(Change.allCases[number % Change.allCases.count], &random)
            table.add(SimulationTable.Outcome(pair: pair, result: gate.check(pair.classes, pair.leaks)))
        }
        return table
    }

    // MARK: Drawing

    private func makePair(_ change: Change, _ random: inout SeededRandom) -> Pair {
        var pair = Pair(change: change)
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
