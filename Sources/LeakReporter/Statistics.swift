extension LeakReporter {
    /// Why a report was thrown away. The raw value is its name on the wire.
    public enum DropReason: String, Hashable, Sendable, CaseIterable {
        /// More waited than ``Bounds`` allow; the oldest went first.
        case queueFull = "queue_full"
        /// The session had reported as many different leaks, or the day as many bytes, as ``Bounds`` allow.
        case budget
        /// Chance left it out, as the sample rate in ``Bounds`` asks for.
        case sampled
        /// The app's own `beforeSend` gave nothing back for it.
        case beforeSend = "before_send"
        /// It came from a signal's handler that had interrupted the reporter on the same thread.
        case reentrant
        /// The report alone is longer than the collector takes.
        case tooLong = "too_long"
        /// No answer came within six days, by the wall clock or by ours, or the wall clock was set back by more than a day.
        /// The collector remembers an `Idempotency-Key` for seven; a later retry might be counted twice. Checks and
        /// sessions of the batch go with it.
        case tooOld = "too_old"
        /// The collector answered that it will never take the batch.
        case refused
        /// The collector took the batch, but not this report of it: it was invalid.
        case rejected
        /// The key is unknown, revoked or for another app. Nothing more is sent.
        case unauthorized
        /// The endpoint or the key cannot be used. Nothing was ever sent.
        case misconfigured
    }

    /// What became of what was recorded, since the reporter was made.
    public struct Statistics: Hashable, Sendable {
        /// Reports that the collector has.
        public var sent = 0
        /// Reports that are not there yet, those on their way included.
        public var waiting = 0
        /// Reports that were thrown away.
        public var dropped: [DropReason: Int] = [:]
        /// Batches that the collector has.
        public var batches = 0
        /// Attempts that got no answer, or one that asks to come back.
        public var failedAttempts = 0
        /// What went wrong last, in words that say what to do; `nil` if nothing ever did.
        public var lastFailure: String?
        /// Whether nothing will be sent any more, for the reason in ``lastFailure``.
        public var isStopped = false

        public init() {}
    }
}
