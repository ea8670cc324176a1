internal import LeakPlatform

/// The state that the reporter's thread publishes to other threads after each turn.
struct PublishedState: Sendable {
    var statistics = LeakReporter.Statistics()
    /// The number of entries that were processed.
    var processedCount: UInt64 = 0
    /// The number of sightings in the entries that were processed.
    var recordedCount = 0
    /// The number of the entry up to which everything is delivered or discarded.
    var completedThrough: UInt64 = 0
    /// The rejections of the entry queue that are included in `statistics`.
    var countedRejections = QueueRejections()
    var hasSession = false
    /// The time of the next attempt to send; `nil` if nothing is due. In the past while a batch is being sent.
    var nextSendAt: MonotonicTime?
    var isClosed = false
    /// `true` if the collector wants explanations; `false` until the reporter has read the setting that an earlier run stored.
    var wantsExplanations = false

    /// Returns `true` if nothing will be sent before the deadline.
    func isIdle(until deadline: MonotonicTime) -> Bool { nextSendAt.map { $0 > deadline } ?? true }
}
