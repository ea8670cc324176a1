internal import LeakPlatform
internal import LeakStore

/// Sends the events of one channel, oldest first, and stores how far it came after each message. Use it on one thread.
///
/// A process that is killed after a message was accepted, and before that is stored, sends the message again, with the same
/// identifier. Several collectors on one database send each message once: one of them claims the channel. Messages that fail are
/// sent again until they are accepted; no event is left out while it is stored.
final class ChannelSender {
    /// The outcome of a request.
    enum Outcome: Hashable {
        case accepted
        /// - Parameter retrySeconds: the time to wait that the service asks for.
        case failed(String, retrySeconds: Int? = nil)
    }

    /// Number of events that one step reads.
    private static let maxReadEvents = 100
    private static let backoff = Backoff(firstMilliseconds: 10_000, longestMilliseconds: 3_600_000)
    private static let hourMilliseconds: Int64 = 3_600_000

    let channel: Channel
    private(set) var status: ChannelStatus
    private let store: any Store
    private let reader: any StoreReader
    /// Distinguishes this process from others that send to the same channel.
    private let sender: Int64
    /// The id of the last event that was sent or does not match; `nil` until the position was read.
    private var lastEvent: Int64?
    private var consecutiveFailures = 0
    /// The time of the next attempt, in milliseconds since 1970; 0 for now.
    private var nextAttempt: Int64 = 0
    private let send: (ChannelRequest) -> Outcome

    init(
        _ channel: Channel, store: any Store, reader: any StoreReader, sender: Int64,
        send: @escaping (ChannelRequest) -> Outcome
    ) {
        self.channel = channel
        self.store = store
        self.reader = reader
        self.sender = sender
        self.send = send
        status = ChannelStatus(name: channel.name, format: channel.format)
    }

    /// Sends at most one message.
    ///
    /// - Parameter address: the address of this collector, for links.
    /// - Returns: `true` if another message may wait.
    /// - Throws: ``StoreError``; the next step tries again.
    func runStep(now: Int64, address: String) throws(StoreError) -> Bool {
        // A clock that was set back does not stop the channel.
        guard nextAttempt <= now || nextAttempt - now > Self.hourMilliseconds else { return false }
        nextAttempt = 0
        guard let from = lastEvent else {
            lastEvent = try store.claim(channel: channel.key, by: sender, now: now)?.lastEvent
            return lastEvent != nil
        }
        let events = try reader.events(EventQuery(.after(from), limit: Self.maxReadEvents))
        let matching = events.filter(channel.matches)
        if matching.isEmpty {
            if let last = events.last { lastEvent = last.id }
            return events.count == Self.maxReadEvents
        }
        guard let position = try store.claim(channel: channel.key, by: sender, now: now) else { return false }
        // Another process has sent some of the events.
        guard position.lastEvent <= from else {
            lastEvent = position.lastEvent
            return true
        }
        return try send(matching, from: position, now: now, address: address)
    }

    private func send(
        _ events: [Event], from position: ChannelPosition, now: Int64, address: String
    ) throws(StoreError) -> Bool {
        let hour = now / Self.hourMilliseconds
        let sentCount = position.hour == hour ? position.messageCount : 0
        var sent = events[...].prefix(1)
        if let limit = channel.messagesPerHour {
            guard sentCount < limit else {
                nextAttempt = (hour + 1) * Self.hourMilliseconds
                return false
            }
            if sentCount == limit - 1 { sent = events[...] }
        }
        guard let last = sent.last else { return false }
        let message = ChannelMessage(events: Array(sent), address: address, time: now)
        switch send(message.request(to: channel)) {
        case .accepted:
            consecutiveFailures = 0
            status.sentCount += 1
            (status.lastSent, status.failure) = (now, nil)
            let position = ChannelPosition(lastEvent: last.id, hour: hour, messageCount: sentCount + 1)
            if try store.move(channel: channel.key, to: position, by: sender) { lastEvent = last.id }
            return true
        case .failed(let reason, let retrySeconds):
            consecutiveFailures += 1
            status.failureCount += 1
            status.failure = reason
            let wait = max(
                Self.backoff.milliseconds(afterFailures: consecutiveFailures),
                min(retrySeconds ?? 0, 3600) * 1000)
            nextAttempt = now + Int64(wait)
            return false
        }
    }
}
