extension LeakDetector {
    /// Grace periods, and limits on the memory and time that the detector may use.
    public struct Limits: Hashable, Sendable {
        /// The grace period of an object for which none is given. Animations that hold a closed screen take half a second.
        public var graceMilliseconds = 1_000
        /// Grace periods by class name, with or without module: `Shop.Player`, `UIImagePickerController`. An entry does not apply
        /// to subclasses. A grace period given where the object is expected takes precedence.
        public var graceMillisecondsByClass: [String: Int] = [:]
        /// The time from the end of the grace period to the second check, which comes before the report.
        public var secondCheckMilliseconds = 500
        /// The number of objects that may be waited for at once. They take about 0.7 MB, or 4 MB with owners. At the limit,
        /// deallocated objects are removed early. If most objects still exist, the detector waits for a fair sample of all, and
        /// counts the others as ``Counts/dropped``.
        public var outstanding = 10_000
        /// The maximum number of leaked objects that are watched at the same time, in case they are deallocated later.
        public var survivors = 1_000
        /// The time for which a leaked object is watched. An object that is deallocated after that is not
        /// reported as freed.
        public var survivorMilliseconds = 3_600_000
        /// The number of types with check counts of their own; a large app has a few hundred screens. Checks of other types are
        /// only part of ``Counts/checked``.
        public var checkedTypes = 1_000

        /// The longest grace period, a day. A longer grace period is a mistake, and its object would count towards
        /// ``outstanding`` for too long.
        static let longestGraceMilliseconds = 86_400_000

        /// The longest time for which a leaked object is watched, a year: longer than any process runs.
        static let longestSurvivorMilliseconds = 365 * 86_400_000

        /// Makes the standard limits.
        public init() {}

        /// The limits with invalid values corrected: no time is negative, and none is so long that a sum of times overflows.
        var validated: Limits {
            var limits = self
            limits.graceMilliseconds = min(max(graceMilliseconds, 0), Self.longestGraceMilliseconds)
            limits.graceMillisecondsByClass = graceMillisecondsByClass.mapValues {
                min(max($0, 0), Self.longestGraceMilliseconds)
            }
            limits.secondCheckMilliseconds = min(
                max(secondCheckMilliseconds, 0), Self.longestGraceMilliseconds)
            limits.survivorMilliseconds = min(max(survivorMilliseconds, 0), Self.longestSurvivorMilliseconds)
            limits.outstanding = max(outstanding, 0)
            limits.survivors = max(survivors, 0)
            limits.checkedTypes = max(checkedTypes, 0)
            return limits
        }
    }

    /// Counts of expected objects by outcome, since the detector was made.
    public struct Counts: Hashable, Sendable {
        /// Objects whose deallocation is still awaited.
        public var outstanding = 0
        /// Objects whose check has ended, whether they were deallocated in time or not.
        public var checked = 0
        /// Objects reported as leaked.
        public var leaked = 0
        /// Leaked objects that were deallocated later.
        public var freed = 0
        /// Leaked objects that were in use again later: their owners keep them on purpose.
        public var cameBack = 0
        /// Objects that stayed in memory and were not reported: objects of ignored classes, ignored objects, and objects kept
        /// by a reported object.
        public var suppressed = 0
        /// Expectations that were not decided: there were too many objects to wait for, or too many that came into use again.
        public var dropped = 0

        /// Makes counts that are all 0.
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
