/// Decides whether a version leaks more than its baseline, from counts that are split into buckets of installs.
///
/// The rate of a leak is its reports divided by the checks of its class. A leak is tested for a rise of its rate if both
/// versions have checks of its class from several buckets. The probabilities are corrected for the number of tests, so that a
/// release whose rates did not change fails these tests with a probability of at most 1 − ``Limits/confidence``. A release
/// passes only if it has enough checks to show a rise that is worth an alarm.
public struct ReleaseGate: Sendable {
    /// The probabilities and rates by which a release passes or fails.
    public struct Limits: Hashable, Sendable {
        /// The probability with which a release that leaks no more than its baseline raises no alarm.
        public var confidence = 0.99
        /// The probability with which a rise worth an alarm must be found before a release passes.
        public var power = 0.95
        /// The rise of a leak's rate that is worth an alarm, in reports per check. If the leak's rate in the baseline is higher
        /// than this number, only a doubling of that rate is worth an alarm. Also the rate that a new leak must have to fail a
        /// release if its class has too few checks for a test.
        public var rate = 0.05
        /// Number of devices that a new leak must have to fail a release if its class has too few checks for a test.
        public var devices = 2
        /// Number of reports that a new leak must have to fail a release if its class has too few checks for a test.
        public var reports = 3
        /// A share of the baseline's checks, from 0 to 1. The most checked classes that have this share together need enough
        /// checks in the version before a release passes, each by itself or as part of the ``Pool``. Rarer classes are tested
        /// too, but do not delay a release.
        public var share = 0.8

        public init() {}
    }

    /// Checks of one class, by bucket.
    public struct ClassCounts: Hashable, Sendable {
        public var className: String
        /// Number of checks in the baseline, for each bucket.
        public var baseline: [Int]
        /// Number of checks in the version, for each bucket.
        public var version: [Int]
        /// `true` if all leaks of the class are ignored or known, so that a release needs no checks of it.
        public var isSetAside: Bool

        public init(_ className: String, baseline: [Int], version: [Int], isSetAside: Bool = false) {
            self.className = className
            self.baseline = baseline
            self.version = version
            self.isSetAside = isSetAside
        }
    }

    /// Reports of one leak, by bucket.
    public struct LeakCounts: Hashable, Sendable {
        /// Index in the array of classes that is passed to ``ReleaseGate/check(_:_:)``.
        public var classIndex: Int
        /// Number of reports in the baseline, for each bucket.
        public var baseline: [Int]
        /// Number of reports in the version, for each bucket.
        public var version: [Int]
        /// Number of devices that reported the leak in the version.
        public var devices: Int
        /// True if no version or build up to the baseline has reports of the leak.
        public var isNew: Bool
        /// True if the leak was resolved in this version or an earlier version, and was then reported again from this version.
        public var isRegressed: Bool

        public init(
            classIndex: Int, baseline: [Int], version: [Int], devices: Int, isNew: Bool = true,
            isRegressed: Bool = false
        ) {
            self.classIndex = classIndex
            self.baseline = baseline
            self.version = version
            self.devices = devices
            self.isNew = isNew
            self.isRegressed = isRegressed
        }
    }

    public enum LeakResult: Hashable, Sendable {
        /// The rate has risen. `probability` is the probability of such a rise if nothing has changed, corrected for the number
        /// of tests.
        case worse(probability: Double)
        /// The leak is new: its rate has risen from 0, with a probability as for `worse`. Or it reaches the ``Limits`` and its
        /// class has too few checks for a test; then `probability` is `nil`.
        case new(probability: Double?)
        /// The leak was fixed and has come back: ``LeakCounts/isRegressed``.
        case back
        /// The rate has fallen. `probability` is the probability of such a fall if nothing has changed, corrected for the
        /// number of leaks.
        case better(probability: Double)
        /// The counts show no change.
        case unchanged

        /// A result without its numbers.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            case worse, new, back, better, unchanged
        }

        public var kind: Kind {
            switch self {
            case .worse: .worse
            case .new: .new
            case .back: .back
            case .better: .better
            case .unchanged: .unchanged
            }
        }

        /// The probability of such a change if nothing has changed; `nil` for results that do not come from a test.
        public var probability: Double? {
            switch self {
            case .worse(let probability), .better(let probability): probability
            case .new(let probability): probability
            case .back, .unchanged: nil
            }
        }

        public var failsRelease: Bool {
            switch self {
            case .worse, .new, .back: true
            case .better, .unchanged: false
            }
        }
    }

    public enum ClassResult: Hashable, Sendable {
        /// The version has enough checks to show a rise that is worth an alarm.
        case enough
        /// The version needs this number of checks. `nil`: no number suffices, because the baseline has too few checks.
        case needs(checks: Int?)
        /// The baseline, or else the version, has checks from fewer than ``ReleaseGate/minBucketCount`` buckets of installs:
        /// too few to estimate the differences between devices.
        case fewDevices(inBaseline: Bool)
        /// The baseline checked the class, and the version did not.
        case notChecked
        /// The baseline did not check the class.
        case new
        /// The class has too few checks by itself, and is judged together with the other classes of the ``Pool``.
        case pooled
        /// The class has too few checks, but needs none: ``ClassCounts/isSetAside``.
        case setAside
    }

    public enum Verdict: String, Hashable, Sendable {
        case passed, failed
        case cannotTell = "cannot_tell"
    }

    public struct Result: Hashable, Sendable {
        public var verdict: Verdict
        /// True if the most checked classes have enough checks, by themselves or together, and the version checks every class
        /// that the baseline checked and that has reports in the version. Otherwise a release cannot pass.
        public var hasEnoughData: Bool
        /// One result for each class that was passed to ``ReleaseGate/check(_:_:)``, in the same order.
        public var classes: [ClassResult]
        /// One result for each leak that was passed to ``ReleaseGate/check(_:_:)``, in the same order.
        public var leaks: [LeakResult]
        /// For each class, the probability that the rate of all its leaks together rises as much as it did although nothing has
        /// changed. `nil` if no rise is shown, or if one of the leaks fails the release by itself.
        public var classRiseProbabilities: [Double?]
        /// `nil` if fewer than two classes are rare enough for it.
        public var pool: Pool?
        /// The factor, above 1, by which the checks of the version must grow, and so its sessions, before it has enough of them.
        /// `nil` if it has enough, or if the factor is unknown: for example because the baseline has too few checks, or too few
        /// devices have the version.
        public var neededGrowth: Double?
    }

    /// Number of buckets with checks that both versions must have before a release passes: about 20 devices.
    public static let minBucketCount = 16
    /// Number of buckets with checks that both versions must have before a leak is tested. Two or three devices that always
    /// leak, or never leak, are no evidence.
    static let minTestedBucketCount = 4
    /// Minimum number of checks of a class that a version needs.
    public static let minCheckCount = 30
    /// The largest share of the baseline's checks, from 0 to 1, that a class of the ``Pool`` can have. Classes with more checks
    /// are always judged by themselves.
    public static let maxPooledShare = 0.1
    /// The share of the permitted probability of false alarms that the test of the ``Pool`` has if there are ten tests or more.
    /// With the same share as each of hundreds of other tests, it would need twice as many checks.
    static let poolSignificanceShare = 0.1

    public var limits: Limits

    public init(limits: Limits = Limits()) { self.limits = limits }

    /// Compares the rates of all leaks in the version with those in the baseline.
    public func check(_ classes: [ClassCounts], _ leaks: [LeakCounts]) -> Result {
        let rates = leaks.map { self.rates(of: $0, classes) }
        let testedLeaks = testedIndices(of: leaks, classes)
        // The rate of all leaks of a class together may rise although the rate of no single leak rises much.
        let multiLeakClasses = classes.indices.filter { index in
            testedLeaks.count { leaks[$0].classIndex == index } > 1
        }
        let pooledClasses = pooledClassIndices(of: classes)
        let poolCounts = pooledClasses.map { stratifiedCounts(of: $0, classes, leaks) }
        let (testWeight, poolWeight) = testWeights(
            testCount: testedLeaks.count + multiLeakClasses.count, hasPool: poolCounts != nil)
        let testProbabilities =
            testedLeaks.map {
                BucketedCounts.probabilityOfRise(from: rates[$0].baseline, to: rates[$0].version)
            }
            + multiLeakClasses.map {
                probabilityOfRise(ofClass: $0, classes[$0], testedLeaks.map { leaks[$0] })
            }
        let poolProbabilities = [poolCounts].compactMap(\.self).map { counts in
            counts.usedBucketCount < Self.minTestedBucketCount ? 1 : counts.probabilityOfRise
        }
        let riseProbabilities = BenjaminiHochberg.adjusted(
            testProbabilities.map { min(1, $0 / testWeight) }
                + poolProbabilities.map { min(1, $0 / poolWeight) })
        let testCount = Double(max(1, riseProbabilities.count))
        let leakRiseProbabilities = riseProbabilities.prefix(testedLeaks.count)
        let fallProbabilities = self.fallProbabilities(testedLeaks.map { rates[$0] })
        var results = leaks.map { leak in
            leak.isRegressed ? LeakResult.back : resultWithoutTest(of: leak, checks: classes[leak.classIndex])
        }
        for (testIndex, index) in testedLeaks.enumerated() where results[index] == .unchanged {
            if leakRiseProbabilities[testIndex] <= 1 - limits.confidence {
                let isNew = leaks[index].isNew && !leaks[index].baseline.contains { $0 > 0 }
                results[index] =
                    isNew
                    ? .new(probability: leakRiseProbabilities[testIndex])
                    : .worse(probability: leakRiseProbabilities[testIndex])
            } else if fallProbabilities[testIndex] <= 1 - limits.confidence {
                results[index] = .better(probability: fallProbabilities[testIndex])
            }
        }
        var testedLeaksByClass = [[Int]](repeating: [], count: classes.count)
        for index in testedLeaks { testedLeaksByClass[leaks[index].classIndex].append(index) }
        var classResults = classes.indices.map { index in
            classResult(
                of: classes[index], rates: testedLeaksByClass[index].map { rates[$0] },
                significance: (1 - limits.confidence) * testWeight / testCount)
        }
        // A class that has reports but no checks any more shows that its checks do not work.
        let isNoLongerChecked = leaks.contains { leak in
            classResults[leak.classIndex] == .notChecked && leak.version.contains { $0 > 0 }
        }
        var classRiseProbabilities = [Double?](repeating: nil, count: classes.count)
        for (classIndex, rise) in zip(multiLeakClasses, riseProbabilities.dropFirst(testedLeaks.count)) {
            let hasFailingLeak = results.indices.contains {
                leaks[$0].classIndex == classIndex && results[$0].failsRelease
            }
            if rise <= 1 - limits.confidence, !hasFailingLeak { classRiseProbabilities[classIndex] = rise }
        }
        var pool = pooledClasses.map { Pool(result: .fewDevices, classIndices: $0) }
        if let classIndices = pooledClasses, let poolCounts, let rise = riseProbabilities.last {
            let hasFailingPart =
                classIndices.contains { classRiseProbabilities[$0] != nil }
                || results.indices.contains {
                    results[$0].failsRelease && classIndices.contains(leaks[$0].classIndex)
                }
            let result =
                rise <= 1 - limits.confidence && !hasFailingPart
                ? .worse(probability: rise)
                : poolResult(
                    poolCounts, significance: (1 - limits.confidence) * poolWeight / testCount)
            let undecidedClasses = classIndices.filter { classResults[$0] != .enough }
            pool = Pool(
                result: result, classIndices: classIndices, undecidedClassCount: undecidedClasses.count)
            switch result {
            case .enough, .worse: for index in undecidedClasses { classResults[index] = .pooled }
            case .needs, .fewDevices: break
            }
        }
        let decidingClasses = decidingClassIndices(of: classes, classResults)
        let hasEnoughData =
            !isNoLongerChecked
            && decidingClasses?.allSatisfy { [.enough, .pooled].contains(classResults[$0]) } == true
        let isFailed =
            results.contains(where: \.failsRelease) || classRiseProbabilities.contains { $0 != nil }
            || pool?.isWorse == true
        let verdict: Verdict = isFailed ? .failed : hasEnoughData ? .passed : .cannotTell
        return Result(
            verdict: verdict, hasEnoughData: hasEnoughData, classes: classResults, leaks: results,
            classRiseProbabilities: classRiseProbabilities, pool: pool,
            neededGrowth: hasEnoughData || isNoLongerChecked
                ? nil : decidingClasses.flatMap { neededGrowth(of: $0, classes, classResults, pool: pool) })
    }

    /// Returns the leaks whose rate fell: ``LeakResult/better(probability:)`` or `nil`, in the order of `leaks`. The probabilities
    /// are corrected for the number of these leaks alone.
    public func improvements(_ classes: [ClassCounts], _ leaks: [LeakCounts]) -> [LeakResult?] {
        let testedLeaks = testedIndices(of: leaks, classes)
        let probabilities = fallProbabilities(testedLeaks.map { rates(of: leaks[$0], classes) })
        var results = [LeakResult?](repeating: nil, count: leaks.count)
        for (index, fall) in zip(testedLeaks, probabilities) where fall <= 1 - limits.confidence {
            results[index] = .better(probability: fall)
        }
        return results
    }

    private typealias Rates = (baseline: BucketedCounts, version: BucketedCounts)

    private func rates(of leak: LeakCounts, _ classes: [ClassCounts]) -> Rates {
        let checks = classes[leak.classIndex]
        return (
            baseline: BucketedCounts(events: leak.baseline, trials: checks.baseline),
            version: BucketedCounts(events: leak.version, trials: checks.version)
        )
    }

    /// Returns the indices of the leaks that are tested, because both versions have checks of their class from several buckets.
    private func testedIndices(of leaks: [LeakCounts], _ classes: [ClassCounts]) -> [Int] {
        leaks.indices.filter { index in
            let checks = classes[leaks[index].classIndex]
            return min(checks.baseline.count { $0 > 0 }, checks.version.count { $0 > 0 })
                >= Self.minTestedBucketCount
        }
    }

    private func fallProbabilities(_ rates: [Rates]) -> [Double] {
        BenjaminiHochberg.adjusted(
            rates.map { BucketedCounts.probabilityOfRise(from: $0.version, to: $0.baseline) })
    }

    /// Returns ``BucketedCounts/probabilityOfRise(from:to:)`` for the leaks of a class together.
    private func probabilityOfRise(ofClass index: Int, _ checks: ClassCounts, _ leaks: [LeakCounts]) -> Double
    {
        var (baselineReports, versionReports) = (BucketedCounts().events, BucketedCounts().events)
        for leak in leaks where leak.classIndex == index {
            for bucket in baselineReports.indices {
                baselineReports[bucket] += leak.baseline[bucket]
                versionReports[bucket] += leak.version[bucket]
            }
        }
        return BucketedCounts.probabilityOfRise(
            from: BucketedCounts(events: baselineReports, trials: checks.baseline),
            to: BucketedCounts(events: versionReports, trials: checks.version))
    }

    /// Returns the result of a leak without a test. A new leak whose class has too few checks for a reliable test is compared
    /// with the limits. Too few means that the baseline has checks from fewer than ``minBucketCount`` buckets, or the version
    /// from fewer than ``minTestedBucketCount``.
    ///
    /// - Parameter checks: the checks of the leak's class.
    /// - Returns: ``LeakResult/new(probability:)`` without a probability, or ``LeakResult/unchanged``.
    private func resultWithoutTest(of leak: LeakCounts, checks: ClassCounts) -> LeakResult {
        let hasTooFewChecks =
            checks.baseline.count { $0 > 0 } < Self.minBucketCount
            || checks.version.count { $0 > 0 } < Self.minTestedBucketCount
        guard leak.isNew, hasTooFewChecks else { return .unchanged }
        let reports = leak.version.reduce(0, +)
        // A detector that reports no checks leaves the rate unknown: the other limits decide.
        let checkCount = checks.version.reduce(0, +)
        let rate = checkCount > 0 ? Double(reports) / Double(checkCount) : 1
        let reachesLimits =
            leak.devices >= limits.devices && reports >= limits.reports && rate >= limits.rate
        return reachesLimits ? .new(probability: nil) : .unchanged
    }

    /// Returns the indices of the most checked classes of the baseline that have ``Limits/share`` of its checks together. A
    /// release needs enough checks of them.
    ///
    /// A class with at most ``maxPooledShare`` of the checks that the version does not check is left out: its screen may have
    /// been removed. A class that is set aside is left out if it has too few checks.
    ///
    /// - Returns: `nil` if the baseline has no checks, or if the classes that are left have less than that share.
    private func decidingClassIndices(of classes: [ClassCounts], _ results: [ClassResult]) -> [Int]? {
        let checks = classes.indices.map { index in
            results[index] == .setAside ? 0 : Double(classes[index].baseline.reduce(0, +))
        }
        let totalChecks = checks.reduce(0, +)
        guard totalChecks > 0 else { return nil }
        var coveredChecks = 0.0
        var indices: [Int] = []
        for index in classes.indices.sorted(by: { checks[$0] > checks[$1] }) {
            guard coveredChecks < limits.share * totalChecks else { break }
            if results[index] == .notChecked, checks[index] <= Self.maxPooledShare * totalChecks { continue }
            indices.append(index)
            coveredChecks += checks[index]
        }
        return coveredChecks < limits.share * totalChecks ? nil : indices
    }

    /// Returns the result of a class: whether the version has enough checks to show a rise of any of its leaks that is worth an
    /// alarm.
    ///
    /// - Parameters:
    ///   - rates: reports and checks of the tested leaks of the class.
    ///   - significance: the strictest threshold of the correction: the probability that a test may have if no other test shows
    ///     a change.
    private func classResult(
        of checks: ClassCounts, rates: [(baseline: BucketedCounts, version: BucketedCounts)],
        significance: Double
    ) -> ClassResult {
        let result = unpooledResult(of: checks, rates: rates, significance: significance)
        return checks.isSetAside && result != .enough && result != .new ? .setAside : result
    }

    private func unpooledResult(
        of checks: ClassCounts, rates: [(baseline: BucketedCounts, version: BucketedCounts)],
        significance: Double
    ) -> ClassResult {
        let (baselineChecks, versionChecks) = (checks.baseline.reduce(0, +), checks.version.reduce(0, +))
        guard baselineChecks > 0 else { return .new }
        guard versionChecks > 0 else { return .notChecked }
        let bucketCounts = (
            baseline: checks.baseline.count { $0 > 0 }, version: checks.version.count { $0 > 0 }
        )
        guard bucketCounts.baseline >= Self.minBucketCount else { return .fewDevices(inBaseline: true) }
        guard bucketCounts.version >= Self.minBucketCount else { return .fewDevices(inBaseline: false) }
        let degreesOfFreedom = min(bucketCounts.baseline, bucketCounts.version) - 1
        let quantileSum =
            StudentT.upperQuantile(significance, degreesOfFreedom: degreesOfFreedom)
            + StudentT.upperQuantile(1 - limits.power, degreesOfFreedom: degreesOfFreedom)
        let designEffect = BucketedCounts.designEffect(of: rates.flatMap { [$0.baseline, $0.version] })
        var neededChecks = Self.minCheckCount
        // The rate 0 stands for a leak that the baseline does not have.
        // A rise is shown if rise² ≥ scale · (rate · (1 − rate) / baselineChecks + raisedRate · (1 − raisedRate) / checks).
        for rate in rates.map({ $0.baseline.total.rate }) + [0] {
            let rise = max(rate, limits.rate)
            let raisedRate = min(1, rate + rise)
            let scale = quantileSum * quantileSum * designEffect
            let remainingVariance = rise * rise - scale * rate * (1 - rate) / Double(baselineChecks)
            guard remainingVariance > 0 else { return .needs(checks: nil) }
            let checks = (scale * raisedRate * (1 - raisedRate) / remainingVariance).rounded(.up)
            guard checks < 1e15 else { return .needs(checks: nil) }
            neededChecks = max(neededChecks, Int(checks))
        }
        return versionChecks >= neededChecks ? .enough : .needs(checks: neededChecks)
    }
}
