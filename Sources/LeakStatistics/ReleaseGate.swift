/// Decides whether a version leaks more than its baseline, from counts that are split into buckets of installs.
///
/// Each leak of a class that the baseline checked is tested for a rise of its rate, reports by checks of the class. The alarms are
/// corrected for the number of leaks, so that a release without a change fails with a probability of 1 − ``Limits/confidence`` at
/// most. A release passes only if a rise worth an alarm would have been seen.
public struct ReleaseGate: Sendable {
    /// The probabilities and rates by which a release passes or fails.
    public struct Limits: Hashable, Sendable {
        /// The probability with which a release that leaks no more than its baseline raises no alarm.
        public var confidence = 0.99
        /// The probability with which a rise worth an alarm must be found before a release passes.
        public var power = 0.95
        /// The rise of a leak's rate that is worth an alarm, in reports per check. For a leak with a higher former rate, it is that
        /// rate: a doubling. Also the rate that a new leak must have to fail a release if its class has too few checks for a test.
        public var rate = 0.05
        /// Number of devices that a new leak must have to fail a release if its class has too few checks for a test.
        public var devices = 2
        /// Number of reports that such a leak must have.
        public var reports = 3
        /// The most checked classes, which together have this share of the baseline's checks, need enough checks of the version
        /// before a release passes. Rarer classes are tested too, but do not delay a release.
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

        public init(_ className: String, baseline: [Int], version: [Int]) {
            self.className = className
            self.baseline = baseline
            self.version = version
        }
    }

    /// Reports of one leak, by bucket.
    public struct LeakCounts: Hashable, Sendable {
        /// Index in the classes that are passed to ``ReleaseGate/check(_:_:)``.
        public var classIndex: Int
        /// Number of reports in the baseline, for each bucket.
        public var baseline: [Int]
        /// Number of reports in the version, for each bucket.
        public var version: [Int]
        /// Number of devices that reported the leak in the version.
        public var devices: Int
        /// True if no version or build up to the baseline has reports of the leak.
        public var isNew: Bool
        /// True if the leak was marked as fixed in this version or an earlier one, and the version has reports of it since.
        public var isBack: Bool

        public init(
            classIndex: Int, baseline: [Int], version: [Int], devices: Int, isNew: Bool = true,
            isBack: Bool = false
        ) {
            self.classIndex = classIndex
            self.baseline = baseline
            self.version = version
            self.devices = devices
            self.isNew = isNew
            self.isBack = isBack
        }
    }

    public enum LeakResult: Hashable, Sendable {
        /// The rate has risen. `probability` is that of such a rise if nothing has changed, corrected for the number of leaks.
        case worse(probability: Double)
        /// The leak is new: its rate has risen from 0 (`probability` as for `worse`), or it reaches the limits and its class has too
        /// few checks for a test (`nil`).
        case new(probability: Double?)
        /// The leak was fixed and has come back: ``LeakCounts/isBack``.
        case back
        /// The rate has fallen. `probability` is that of such a fall if nothing has changed, corrected for the number of leaks.
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
        /// A rise worth an alarm would have been seen.
        case enough
        /// The version needs this number of checks. `nil`: no number suffices, because the baseline has too few checks.
        case needs(checks: Int?)
        /// Checks are from fewer than ``ReleaseGate/leastBuckets`` buckets of installs: how much devices differ is not known.
        case fewDevices(inBaseline: Bool)
        /// The baseline checked the class, and the version did not.
        case notChecked
        /// The baseline did not check the class.
        case new
    }

    public enum Verdict: String, Hashable, Sendable {
        case passed, failed
        case cannotTell = "cannot_tell"
    }

    public struct Result: Hashable, Sendable {
        public var verdict: Verdict
        /// True if the most checked classes have enough checks, and no class has reports in a version that does not check it any
        /// more. Otherwise a release cannot pass.
        public var isEnough: Bool
        /// One result for each class that was passed to ``ReleaseGate/check(_:_:)``, in the same order.
        public var classes: [ClassResult]
        /// One result for each leak that was passed to ``ReleaseGate/check(_:_:)``, in the same order.
        public var leaks: [LeakResult]
        /// For each class, the probability of such a rise of all its leaks together without a change. `nil`: no rise is shown, or one
        /// of its leaks fails the release by itself.
        public var classRises: [Double?]
    }

    /// Buckets of installs with checks that both versions must have before a release passes: about 20 devices.
    public static let leastBuckets = 16
    /// Buckets that both versions must have before a leak is tested: two or three devices that always leak, or never, are no
    /// evidence.
    static let testedBuckets = 4
    /// Checks that a version must have at least before it passes.
    public static let leastChecks = 30

    public var limits: Limits

    public init(limits: Limits = Limits()) { self.limits = limits }

    /// Compares the rates of all leaks in the version with those in the baseline.
    public func check(_ classes: [ClassCounts], _ leaks: [LeakCounts]) -> Result {
        let rates = leaks.map { leak in
            let checks = classes[leak.classIndex]
            return (
                baseline: BucketedCounts(events: leak.baseline, trials: checks.baseline),
                version: BucketedCounts(events: leak.version, trials: checks.version)
            )
        }
        let tested = leaks.indices.filter { index in
            let checks = classes[leaks[index].classIndex]
            return min(checks.baseline.count { $0 > 0 }, checks.version.count { $0 > 0 })
                >= Self.testedBuckets
        }
        // A class whose leaks have many stacks may leak more although no stack is seen much more often.
        let families = classes.indices.filter { index in
            tested.count { leaks[$0].classIndex == index } > 1
        }
        let risesOfAll = BenjaminiHochberg.adjusted(
            tested.map { BucketedCounts.probabilityOfRise(from: rates[$0].baseline, to: rates[$0].version) }
                + families.map { probabilityOfRise(ofClass: $0, classes[$0], tested.map { leaks[$0] }) })
        let rises = risesOfAll.prefix(tested.count)
        let falls = BenjaminiHochberg.adjusted(
            tested.map { BucketedCounts.probabilityOfRise(from: rates[$0].version, to: rates[$0].baseline) })
        var results = leaks.map { leak in
            leak.isBack ? LeakResult.back : resultWithoutTest(of: leak, checks: classes[leak.classIndex])
        }
        for (place, index) in tested.enumerated() where results[index] == .unchanged {
            if rises[place] <= 1 - limits.confidence {
                let isNew = leaks[index].isNew && !leaks[index].baseline.contains { $0 > 0 }
                results[index] =
                    isNew ? .new(probability: rises[place]) : .worse(probability: rises[place])
            } else if falls[place] <= 1 - limits.confidence {
                results[index] = .better(probability: falls[place])
            }
        }
        var byClass = [[Int]](repeating: [], count: classes.count)
        for index in tested { byClass[leaks[index].classIndex].append(index) }
        let classResults = classes.indices.map { index in
            classResult(
                of: classes[index], rates: byClass[index].map { rates[$0] },
                tests: max(1, tested.count + families.count))
        }
        // Reports of a class that is no longer checked say that something is wrong with its checks.
        let isNoLongerChecked = leaks.contains { leak in
            classResults[leak.classIndex] == .notChecked && leak.version.contains { $0 > 0 }
        }
        let isEnough = !isNoLongerChecked && isEnough(classes, classResults)
        var classRises = [Double?](repeating: nil, count: classes.count)
        for (family, rise) in zip(families, risesOfAll.dropFirst(tested.count)) {
            let isFailed = results.indices.contains {
                leaks[$0].classIndex == family && results[$0].failsRelease
            }
            if rise <= 1 - limits.confidence, !isFailed { classRises[family] = rise }
        }
        let isFailed = results.contains(where: \.failsRelease) || classRises.contains { $0 != nil }
        let verdict: Verdict = isFailed ? .failed : isEnough ? .passed : .cannotTell
        return Result(
            verdict: verdict, isEnough: isEnough, classes: classResults, leaks: results,
            classRises: classRises)
    }

    /// Returns the probability of a rise of all leaks of a class together, as ``BucketedCounts/probabilityOfRise(from:to:)``.
    private func probabilityOfRise(ofClass index: Int, _ checks: ClassCounts, _ leaks: [LeakCounts]) -> Double
    {
        var (before, now) = (BucketedCounts().events, BucketedCounts().events)
        for leak in leaks where leak.classIndex == index {
            for bucket in before.indices {
                before[bucket] += leak.baseline[bucket]
                now[bucket] += leak.version[bucket]
            }
        }
        return BucketedCounts.probabilityOfRise(
            from: BucketedCounts(events: before, trials: checks.baseline),
            to: BucketedCounts(events: now, trials: checks.version))
    }

    /// Returns the result of a new leak by its numbers alone if its class has too few checks for a test: the baseline has checks
    /// from few devices or none, or the version has none.
    ///
    /// - Parameter checks: the checks of the leak's class.
    private func resultWithoutTest(of leak: LeakCounts, checks: ClassCounts) -> LeakResult {
        let hasTooFewChecks =
            checks.baseline.count { $0 > 0 } < Self.leastBuckets || !checks.version.contains { $0 > 0 }
        guard leak.isNew, hasTooFewChecks else { return .unchanged }
        let reports = leak.version.reduce(0, +)
        // A detector that reports no checks leaves the rate unknown: the other limits decide.
        let checked = checks.version.reduce(0, +)
        let rate = checked > 0 ? Double(reports) / Double(checked) : 1
        let reachesLimits =
            leak.devices >= limits.devices && reports >= limits.reports && rate >= limits.rate
        return reachesLimits ? .new(probability: nil) : .unchanged
    }

    /// Returns `true` if the most checked classes of the baseline, up to ``Limits/share`` of its checks, have enough checks.
    private func isEnough(_ classes: [ClassCounts], _ results: [ClassResult]) -> Bool {
        let checks = classes.map { Double($0.baseline.reduce(0, +)) }
        let all = checks.reduce(0, +)
        guard all > 0 else { return false }
        var seen = 0.0
        for index in classes.indices.sorted(by: { checks[$0] > checks[$1] }) {
            guard seen < limits.share * all else { break }
            guard results[index] == .enough else { return false }
            seen += checks[index]
        }
        return true
    }

    /// - Parameter tests: the number of leaks that are tested together.
    private func classResult(
        of checks: ClassCounts, rates: [(baseline: BucketedCounts, version: BucketedCounts)], tests: Int
    ) -> ClassResult {
        let (before, now) = (checks.baseline.reduce(0, +), checks.version.reduce(0, +))
        guard before > 0 else { return .new }
        guard now > 0 else { return .notChecked }
        let buckets = (
            baseline: checks.baseline.count { $0 > 0 }, version: checks.version.count { $0 > 0 }
        )
        guard buckets.baseline >= Self.leastBuckets else { return .fewDevices(inBaseline: true) }
        guard buckets.version >= Self.leastBuckets else { return .fewDevices(inBaseline: false) }
        // The strictest threshold of the correction: the smallest of several probabilities must be at most
        // (1 − confidence) / tests.
        let freedom = min(buckets.baseline, buckets.version) - 1
        let distance =
            StudentT.upperQuantile((1 - limits.confidence) / Double(tests), degreesOfFreedom: freedom)
            + StudentT.upperQuantile(1 - limits.power, degreesOfFreedom: freedom)
        let inflation = BucketedCounts.designEffect(of: rates.flatMap { [$0.baseline, $0.version] })
        var needed = Self.leastChecks
        // The rate 0 stands for a leak that the baseline does not have.
        for rate in rates.map({ $0.baseline.total.rate }) + [0] {
            let rise = max(rate, limits.rate)
            let risen = min(1, rate + rise)
            let scale = distance * distance * inflation
            let room = rise * rise - scale * rate * (1 - rate) / Double(before)
            guard room > 0 else { return .needs(checks: nil) }
            let checks = (scale * risen * (1 - risen) / room).rounded(.up)
            guard checks < 1e15 else { return .needs(checks: nil) }
            needed = max(needed, Int(checks))
        }
        return now >= needed ? .enough : .needs(checks: needed)
    }
}
