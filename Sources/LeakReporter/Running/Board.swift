internal import LeakPlatform

/// What the keeper lets others see, as of its last turn.
struct Board: Sendable {
    var statistics = LeakReporter.Statistics()
    /// How many entries of the mailbox it has seen to.
    var processed: UInt64 = 0
    /// Sightings in them.
    var recorded = 0
    /// Up to which entry everything is delivered or thrown away.
    var settledThrough: UInt64 = 0
    /// Of the mailbox's refusals those that are counted in `statistics`.
    var countedRefusals = MailboxRefusals()
    var hasSession = false
    /// When something is sent next; `nil` when nothing is due. The past while a batch is on its way.
    var sendsAt: Moment?
    var isClosed = false
    /// False until the keeper has read what the collector asked an earlier run for.
    var wantsExplanations = false

    /// Whether nothing will be sent before that.
    func isResting(until deadline: Moment) -> Bool { sendsAt.map { $0 > deadline } ?? true }
}
