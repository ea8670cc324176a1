/// Decides whether a fix removed a leak, from the rates of the leak before the fix and since.
///
/// A resolved leak that is not seen any more is not fixed yet: perhaps the fixed code was not used. It is fixed once so many
/// checks passed without a report that its rate has fallen to less than a tenth with 95 % confidence. To show only that the
/// rate has fallen, a tenth of these checks would be enough, but then a leak that only became rarer would count as fixed.
public struct FixProgress: Hashable, Sendable {
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// The leak was not seen since the fix. More is not known, because the earlier versions have no checks to compare with.
        case notSeen = "not_seen"
        /// The leak was not seen since the fix, but there are too few checks yet, or checks of too few devices.
        case proving
        /// The leak was not seen since the fix, in enough checks of enough devices.
        case fixed
        /// The leak was seen again since the fix, with a rate that is lower than before the fix.
        case halfFixed = "half_fixed"
        /// The leak was seen again since the fix, with a rate that is not shown to be lower, or after the fix was proven.
        case regressed
    }

    /// The confidence level at which the rate counts as lower, and of ``upperBound``.
    public static let confidence = 0.95
    /// A share of the rate before the fix. The fix is proven once the checks without a report show that the rate has fallen
    /// below this share.
    static let remainingShare = 0.1

    public let stage: Stage
    /// Reports and checks in the versions before the fix.
    public let before: Proportion
    /// Reports and checks since the fix. For a leak that was seen again: in the versions in which it was seen again; empty if
    /// they have more reports than checks, because then the rate is not known.
    public let since: Proportion
    /// Reports in the versions of ``since``, even if there are more reports than checks and ``since`` is therefore empty.
    public let reportsSince: Int
    /// Checks in the versions of ``since``, even if there are more reports than checks and ``since`` is therefore empty.
    public let checksSince: Int
    /// Number of checks without a report, on enough devices, after which the leak is ``Stage/fixed``; `nil` if the rate before
    /// the fix is not known.
    public let neededChecks: Int?
    /// The rate since the fix is lower than this number with the probability ``confidence``; 1 without checks.
    public let upperBound: Double
    /// True if fewer than about four devices have checks before or since the fix: they do not show that other devices are rid
    /// of the leak.
    public let hasFewDevices: Bool

    /// - Parameters:
    ///   - before: reports and checks in the versions before the fix.
    ///   - withoutLeak: reports and checks in the versions since the fix, before the first version in which the leak was seen
    ///     again.
    ///   - seenAgain: reports and checks in the versions in which the leak was seen again; `nil` if it was not seen again.
    public init(before: BucketedCounts, withoutLeak: BucketedCounts, seenAgain: BucketedCounts? = nil) {
        let effect = BucketedCounts.designEffect(of: [before])
        let neededChecks = before.isRate ? Self.neededChecks(rateBefore: before.total, effect: effect) : nil
        // A leak of one device may be gone because that device has not updated.
        let hasFewDevicesBefore = before.usedBucketCount < ReleaseGate.minTestedBucketCount
        let hasFewDevices =
            hasFewDevicesBefore || withoutLeak.usedBucketCount < ReleaseGate.minTestedBucketCount
        let isProven = !hasFewDevices && neededChecks.map { withoutLeak.total.trials >= $0 } ?? false
        if let seenAgain {
            stage = !isProven && Self.hasFallen(from: before, to: seenAgain) ? .halfFixed : .regressed
        } else {
            stage = neededChecks == nil ? .notSeen : isProven ? .fixed : .proving
        }
        let counted = seenAgain ?? withoutLeak
        (reportsSince, checksSince) = (counted.events.reduce(0, +), counted.trials.reduce(0, +))
        let since = reportsSince > checksSince ? BucketedCounts() : counted
        self.before = before.isRate ? before.total : Proportion(events: 0, trials: 0)
        self.since = since.total
        self.neededChecks = neededChecks
        self.hasFewDevices =
            hasFewDevicesBefore || since.usedBucketCount < ReleaseGate.minTestedBucketCount
        // Checks of one device depend on each other. The bound is computed for the number of independent checks that
        // would have the same variance.
        // Source: L. Kish, Survey Sampling (1965), section 5.4.
        upperBound = Proportion(
            events: Int((Double(since.total.events) / effect).rounded(.up)),
            trials: Int(Double(since.total.trials) / effect)
        ).exactUpperBound(confidence: Self.confidence)
    }

    /// If there are fewer reports than this before the fix, the rate before the fix is uncertain, and its lower confidence
    /// bound is used instead.
    private static let fewEvents = 10

    private static func neededChecks(rateBefore before: Proportion, effect: Double) -> Int? {
        let rate =
            before.events < fewEvents
            ? before.exactInterval(confidence: 2 * confidence - 1).lowerBound : before.rate
        return Proportion.trialsWithoutEvents(excluding: remainingShare * rate, confidence: confidence)
            .map { Int((Double($0) * effect).rounded(.up)) }
    }

    private static func hasFallen(from before: BucketedCounts, to after: BucketedCounts) -> Bool {
        before.isRate && after.isRate
            && min(before.usedBucketCount, after.usedBucketCount) >= ReleaseGate.minTestedBucketCount
            && BucketedCounts.probabilityOfRise(from: after, to: before) <= 1 - confidence
    }
}

extension BucketedCounts {
    /// True if there is at least one event, and no more events than trials. A detector that does not count its checks
    /// sends more reports than checks.
    fileprivate var isRate: Bool {
        (1...max(1, total.trials)).contains(events.reduce(0, +)) && total.trials > 0
    }
}
