/// Counters of a server since its creation.
///
/// All counters except ``openConnections`` only increase.
public struct Counters: Hashable, Sendable {
    /// Requests whose head is complete and valid and whose method is known.
    public var requests = 0
    /// Responses with a status from 200 to 299.
    public var successful = 0
    /// Responses with a status from 300 to 399, including 304.
    public var redirected = 0
    /// Responses with a status from 400 to 499.
    public var clientErrors = 0
    /// Responses with a status of 500 or higher.
    public var serverErrors = 0
    /// Requests that the server itself rejected, because they violated HTTP or a size limit, or needed something that it does
    /// not support. Requests that took too long are counted in ``timedOut``. A body that cannot be decompressed is counted only
    /// in ``clientErrors``.
    public var rejectedRequests = 0
    /// Bytes received from all peers, including heads and bytes that were dropped.
    public var bytesReceived = 0
    /// Bytes sent to all peers, including heads.
    public var bytesSent = 0

    /// Connections that are currently open.
    public var openConnections = 0
    /// Accepted connections, including those in ``rejectedConnections``.
    public var accepted = 0
    /// Failed calls of `accept`: no descriptor or memory was left, or the peer had already disconnected.
    public var failedAccepts = 0
    /// Connections that were rejected.
    public var rejectedConnections = RejectedConnections()
    /// Connections that the server closed early, while they waited for their peer: to accept new connections, or to free
    /// the memory of an incomplete body.
    public var evicted = 0
    /// Connections whose peer timed out.
    public var timedOut = TimedOut()
    /// Calls of the service that blocked their loop for longer than ``Limits/serviceTime``.
    public var slowCalls = 0

    /// Counts of rejected connections, by reason.
    public struct RejectedConnections: Hashable, Sendable {
        /// ``Limits/connections`` connections were open, and none could be evicted.
        public var overTotalLimit = 0
        /// The peer already had ``Limits/connectionsPerAddress`` connections open.
        public var overAddressLimit = 0
        /// No descriptor was left, or the system could not watch the socket of the connection.
        public var withoutDescriptor = 0

        /// Creates counters that are all zero.
        public init() {}

        /// The number of rejected connections.
        public var total: Int { overTotalLimit + overAddressLimit + withoutDescriptor }
    }

    /// Connections whose peer did not send or read in time.
    public struct TimedOut: Hashable, Sendable {
        /// The peer did not send the rest of a head in time: ``Limits/headTime``.
        public var head = 0
        /// The peer did not send the rest of a body in time: ``Limits/bodyTime``.
        public var body = 0
        /// The peer did not send its first request in time (``Limits/headTime``), or the next one (``Limits/idleTime``).
        public var idle = 0
        /// The peer did not read a response in time: ``Limits/writeTime``.
        public var write = 0

        /// Creates counters that are all zero.
        public init() {}

        /// The number of connections whose peer timed out.
        public var total: Int { head + body + idle + write }
    }

    /// Creates counters that are all zero.
    public init() {}

    static func + (left: Counters, right: Counters) -> Counters {
        var sum = left
        for counter in all { sum[keyPath: counter] += right[keyPath: counter] }
        return sum
    }

    private static let all: [any WritableKeyPath<Counters, Int> & Sendable] = [
        \.requests, \.successful, \.redirected, \.clientErrors, \.serverErrors, \.rejectedRequests,
        \.bytesReceived, \.bytesSent, \.openConnections, \.accepted, \.failedAccepts,
        \.rejectedConnections.overTotalLimit,
        \.rejectedConnections.overAddressLimit, \.rejectedConnections.withoutDescriptor,
        \.evicted, \.timedOut.head, \.timedOut.body, \.timedOut.idle, \.timedOut.write, \.slowCalls,
    ]
}
