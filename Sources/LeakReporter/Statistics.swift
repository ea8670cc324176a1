extension LeakReporter {
    /// The reason why sightings were discarded. The raw value is its name on the wire.
    public enum DropReason: String, Hashable, Sendable, CaseIterable {
        /// More reports waited than ``Bounds`` allow; the oldest batch was discarded, with its checks and sessions. Or more
        /// reports were recorded at once than can be stored; the newest were discarded. Or the reporter's thread had ended, or
        /// had failed to start.
        case queueFull = "queue_full"
        /// The report alone is longer than the collector accepts.
        case tooLong = "too_long"
        /// The batch was sent for the first time six days ago and it is still unknown whether the collector counted it, or the
        /// wall clock has been set back by more than a day since. The collector remembers an `Idempotency-Key` for seven days;
        /// a later retry might be counted twice. Checks and sessions of the batch are discarded with it. Or the batch was not
        /// sent for thirty days.
        case tooOld = "too_old"
        /// The collector rejected the batch permanently.
        case batchRejected = "refused"
        /// The collector accepted the batch, but not this report: it was invalid. The collector counts all rejected reports, but
        /// names only some. Those that it does not name count as the reports with the most sightings in the batch, so the number
        /// may be too high, and ``Statistics/sent`` too low, but never the reverse.
        case reportRejected = "rejected"
        /// The configuration cannot be used: for example its endpoint, key, pins or folder. This run sends nothing.
        case misconfigured
        /// The session had more than ``Bounds/reportsPerSession`` different leaks, or the reports of the day had more than
        /// ``Bounds/bytesPerDay``.
        case budget
        /// This run is excluded by ``Bounds/sampleRate``. The number of these sightings is not reported to the collector,
        /// because such a run sends nothing.
        case sampled
        /// ``Configuration/beforeSend`` returned `nil`.
        case beforeSend = "before_send"
        /// The call came from a closure of the app that the reporter was running, such as ``Configuration/beforeSend``, or from a
        /// signal handler that had interrupted the reporter on the same thread.
        case reentrant
        /// The file of the waiting reports was damaged. If the number of lost reports is unknown, each damaged file counts as
        /// one report.
        case damaged
        /// The app deleted the report, with ``LeakReporter/deleteUnsentReports(resetInstall:)``, or collecting is off: it was
        /// turned off, in this process or in another, or the person was not asked yet.
        case deleted

        /// `true` if the number of sightings discarded for this reason is reported to the collector. Sightings that the
        /// collector rejected in an accepted batch, that the app deleted, or of runs that must not report are not reported.
        var isReported: Bool {
            switch self {
            case .queueFull, .tooLong, .tooOld, .batchRejected, .budget, .beforeSend, .reentrant, .damaged:
                true
            // A run that must not report sends nothing, not even these numbers. The collector has counted the rejected reports
            // itself.
            case .sampled, .reportRejected, .misconfigured, .deleted: false
            }
        }
    }

    /// Counts of recorded data by outcome, since the reporter was created. They count sightings: a report that represents ten
    /// sightings counts as ten.
    public struct Statistics: Hashable, Sendable {
        /// Sightings that were delivered to the collector.
        public var sent = 0
        /// Sightings that are not delivered yet, including those being sent and those of earlier runs.
        public var waiting = 0
        /// Sightings of this run and of earlier runs that this run discarded, by reason.
        public var dropped: [DropReason: Int] = [:]
        /// Discarded explanations of ``LeakReporter/record(_:explanation:)``. They are not sightings: no other number includes
        /// them. Explanations that a collector does not want are not counted.
        public var droppedExplanations = 0
        /// Sightings of this run that survive its end: they are on the disk, or were delivered.
        public var stored = 0
        /// Batches that were delivered to the collector.
        public var batches = 0
        /// Attempts without a response, or with a response after which the batch still waits, and attempts that ended before
        /// the request because a file could not be read or written.
        public var failedAttempts = 0
        /// The last problem on the way to the collector and its solution; `nil` if there was none.
        public var lastFailure: String?
        /// `true` if this reporter sends nothing, for the reason in ``lastFailure``: its configuration cannot be used, its
        /// thread could not be started, or this process was forked from the process that created it. A key that the collector
        /// rejects is tried again each hour, and does not stop the reporter.
        public var isStopped = false
        /// The reason why reports wait in memory, where they are lost at the end of the process, or why the choice about
        /// collecting could not be stored; `nil` if the disk accepts both, and with ``Storage/memory``.
        public var storageFailure: String?
        /// Calls of ``LeakReporter/log(_:)``, calls that set keys, and calls that record checks, sessions or explanations, which
        /// were dropped because there were too many at once.
        public var refusedCalls = 0
        /// `true` if reports are stored and sent, see ``LeakReporter/setCollectionEnabled(_:)``.
        public var isCollecting = true

        /// Creates statistics in which nothing was recorded.
        public init() {}
    }
}
