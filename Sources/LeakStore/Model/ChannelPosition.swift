/// The place of a notification channel in the list of events, and its number of messages in this hour.
public struct ChannelPosition: Hashable, Sendable {
    /// The id of the last event that was sent. Events with lower ids were sent, or do not match the channel.
    public var lastEvent: Int64
    /// The hour of the last message, in hours since 1970.
    public var hour: Int64
    /// Number of messages in ``hour``.
    public var messageCount: Int

    public init(lastEvent: Int64, hour: Int64 = 0, messageCount: Int = 0) {
        self.lastEvent = lastEvent
        self.hour = hour
        self.messageCount = messageCount
    }

    /// Milliseconds for which a sender has a channel for itself: twice the time limit of a message.
    public static let claimMilliseconds: Int64 = 60_000
    /// Number of days after which the position of a channel that is not used any more is deleted.
    static let maxDays: Int64 = 400
}
