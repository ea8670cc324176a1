/// The state of a channel since the start of the process.
struct ChannelStatus: Hashable, Sendable {
    /// ``Channel/name``
    var name: String
    var format: Channel.Format
    /// Number of messages that were accepted.
    var sentCount = 0
    /// Number of attempts that failed.
    var failureCount = 0
    /// The time of the last message that was accepted, in milliseconds since 1970.
    var lastSent: Int64?
    /// The reason why the last attempt failed; `nil` if it succeeded.
    var failure: String?

    init(name: String, format: Channel.Format) {
        self.name = name
        self.format = format
    }
}
