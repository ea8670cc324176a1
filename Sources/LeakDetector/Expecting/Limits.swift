extension LeakDetector {
    /// What the detector may take of the app's memory and time.
    public struct Limits: Hashable, Sendable {
        /// The grace period of an object for which none is named. Animations that hold a closed screen take half a second.
        public var graceMilliseconds = 1_000
        /// The grace periods of objects of some classes, by names with module or without: `Shop.Player`, `UIImagePickerController`.
        /// A subclass is a class of its own. A grace period that is named where the object is expected comes first.
        public var graceMillisecondsByClass: [String: Int] = [:]
        /// How long after the grace period to look once more before reporting.
        public var secondLookMilliseconds = 500
        /// Objects that may be waited for at once: about 0.7 MB, or 4 MB with owners. When there are as many, those that have
        /// gone make room early; if most have not, a fair sample of all is waited for, and the others are counted as
        /// ``Counts/dropped``.
        public var outstanding = 10_000
        /// Leaked objects whose end is watched for at once.
        public var survivors = 1_000
        /// How long to watch for a leaked object's end. What lives longer than an hour is not freed late but leaked.
        public var survivorMilliseconds = 3_600_000
        /// Types of which checks are counted apart; a large app has a few hundred screens. Of others ``Counts/checked`` alone knows.
        public var checkedTypes = 1_000

        /// A day: a longer grace period is a mistake, and would keep a place for good.
        static let longestGraceMilliseconds = 86_400_000

        /// A year: longer than any process runs.
        static let longestSurvivorMilliseconds = 365 * 86_400_000

        public init() {}

        /// The limits with what makes no sense put right: no time is negative, and none is so long that a sum of times
        /// does not fit.
        var sound: Limits {
            var limits = self
            limits.graceMilliseconds = min(max(graceMilliseconds, 0), Self.longestGraceMilliseconds)
            limits.graceMillisecondsByClass = graceMillisecondsByClass.mapValues {
                min(max($0, 0), Self.longestGraceMilliseconds)
            }
            limits.secondLookMilliseconds = min(max(secondLookMilliseconds, 0), Self.longestGraceMilliseconds)
            limits.survivorMilliseconds = min(max(survivorMilliseconds, 0), Self.longestSurvivorMilliseconds)
            limits.outstanding = max(outstanding, 0)
            limits.survivors = max(survivors, 0)
            limits.checkedTypes = max(checkedTypes, 0)
            return limits
        }
    }

    /// Numbers of expected objects by outcome, since the detector was made.
    public struct Counts: Hashable, Sendable {
        /// Objects whose deallocation is still awaited.
        public var outstanding = 0
        /// Objects looked at and judged, gone in time or not.
        public var checked = 0
        /// Objects reported as leaked.
        public var leaked = 0
        /// Objects of those that went later.
        public var freed = 0
        /// Objects of those that were in use again later: their owners keep them on purpose.
        public var cameBack = 0
        /// Objects that stayed and were not reported: of ignored classes, ignored themselves, or kept by one that was reported.
        public var suppressed = 0
        /// Expectations left out of the sample that is waited for while there are too many.
        public var dropped = 0

        public init() {}

        mutating func add(_ other: Counts) {
            outstanding += other.outstanding
            checked += other.checked
            leaked += other.leaked
            freed += other.freed
            cameBack += other.cameBack
            suppressed += other.suppressed
            dropped += other.dropped
        }
    }
}
