extension LeakReporter {
    /// Why sightings were thrown away. The raw value is its name on the wire.
    public enum DropReason: String, Hashable, Sendable, CaseIterable {
        /// More waited than ``Bounds`` allow; the oldest batch went first, and its checks and sessions with it. Or more was recorded at once than can be
        /// written down: the newest went.
        case queueFull = "queue_full"
        /// The report alone is longer than the collector takes.
        case tooLong = "too_long"
        /// The batch was sent for the first time six days ago and has not been answered, or the wall clock was set back by
        /// more than a day since. The collector remembers an `Idempotency-Key` for seven; a later retry might be counted
        /// twice. Checks and sessions of the batch go with it. Or it was never sent for thirty days.
        case tooOld = "too_old"
        /// The collector answered that it will never take the batch.
        case refused
        /// The collector took the batch, but not this report of it: it was invalid.
        case rejected
        /// The endpoint or the key cannot be used. Nothing was ever sent.
        case misconfigured
        /// More than ``Bounds/reportsPerSession`` different leaks, or more than ``Bounds/bytesPerDay``.
        case budget
        /// This run is not among those that ``Bounds/sampleRate`` lets report. The collector is not told: such a run sends
        /// nothing.
        case sampled
        /// ``Configuration/beforeSend`` gave nothing back.
        case beforeSend = "before_send"
        /// It came from a signal's handler that had interrupted the reporter on the same thread.
        case reentrant
        /// The file in which they waited was damaged. Where nothing tells how many they were, one for each damaged place.
        case damaged
        /// The app asked for it, with ``LeakReporter/deleteUnsentReports(resetInstall:)`` or by ending collection.
        case deleted

        /// Whether the collector is to be told: of what it knows itself, or is not to know, it is not.
        var isTold: Bool {
            switch self {
            case .queueFull, .tooLong, .tooOld, .refused, .budget, .beforeSend, .reentrant, .damaged: true
            // A run that is not to report sends nothing, not even that.
            case .sampled, .rejected, .misconfigured, .deleted: false
            }
        }
    }

    /// What became of what was recorded, since the reporter was made. Counted are sightings: a report that stands for ten
    /// is ten.
    public struct Statistics: Hashable, Sendable {
        /// Sightings that the collector has.
        public var sent = 0
        /// Sightings that are not there yet, those on their way and those that earlier runs left included.
        public var waiting = 0
        /// Of what this run recorded or took over from earlier ones: what was thrown away.
        public var dropped: [DropReason: Int] = [:]
        /// Explanations that were thrown away, of ``LeakReporter/record(_:explanation:)``. They are no sightings: no other number
        /// counts them. Those that a collector does not want are not counted.
        public var droppedExplanations = 0
        /// Sightings of this run that survive its end: they are on the disk, or were delivered.
        public var stored = 0
        /// Batches that the collector has.
        public var batches = 0
        /// Attempts that got no answer, or one that asks to come back.
        public var failedAttempts = 0
        /// What went wrong last on the way to the collector, in words that say what to do; `nil` if nothing ever did.
        public var lastFailure: String?
        /// Indicates whether nothing will be sent any more before the next start, for the reason in ``lastFailure``: an
        /// endpoint or a key that cannot be used. A key that the collector rejects is tried again each hour, and does not
        /// stop the reporter.
        public var isStopped = false
        /// Why reports wait in memory, where the end of the process takes them; `nil` while the disk takes them, and with
        /// ``Storage/memory``.
        public var storageFailure: String?
        /// Calls of ``LeakReporter/log(_:)``, of those that set keys, and of those that record checks, sessions and explanations,
        /// which were not taken because too much was said at once.
        public var refusedCalls = 0
        /// Whether anything is kept and sent, see ``LeakReporter/setCollectionEnabled(_:)``.
        public var isCollecting = true

        public init() {}
    }
}
