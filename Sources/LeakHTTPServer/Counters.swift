/// What a server has done since it was made.
///
/// All but ``open`` only grow.
public struct Counters: Hashable, Sendable {
    /// Requests whose head was read to its end and obeys the rules.
    public var requests = 0
    /// Answers with a status from 200 to 299.
    public var successful = 0
    /// Answers with a status from 300 to 399, 304 among them.
    public var redirected = 0
    /// Answers with a status from 400 to 499.
    public var clientErrors = 0
    /// Answers with a status from 500 on.
    public var serverErrors = 0
    /// Requests that broke a rule of HTTP or a limit of length and were answered by the server itself. Those that took
    /// too long are in ``timedOut``.
    public var refused = 0
    public var bytesReceived = 0
    public var bytesSent = 0

    /// Connections now open.
    public var open = 0
    /// Connections taken from the system, those in ``shed`` among them.
    public var accepted = 0
    /// Calls for a connection that failed: no descriptor or memory left, or the peer had gone.
    public var failedAccepts = 0
    /// Connections that were turned away.
    public var shed = Shed()
    /// Connections that were closed while they waited for their peer, to make room for others: their place, or the
    /// memory that half a body holds.
    public var evicted = 0
    /// Connections whose peer took too long.
    public var timedOut = TimedOut()
    /// Calls of the service that held their loop for more than ``Limits/serviceTime``.
    public var slow = 0

    /// Connections that were turned away, by what there was too little of.
    public struct Shed: Hashable, Sendable {
        /// ``Limits/connections`` were open, none of them fit to be closed.
        public var limit = 0
        /// Their peer had ``Limits/connectionsPerAddress`` open.
        public var address = 0
        /// The system had no descriptors left.
        public var descriptors = 0

        public init() {}

        public var total: Int { limit + address + descriptors }
    }

    /// Connections whose peer took too long, by what it was to do.
    public struct TimedOut: Hashable, Sendable {
        /// To send the rest of a head, see ``Limits/headTime``.
        public var head = 0
        /// To send the rest of a body, see ``Limits/bodyTime``.
        public var body = 0
        /// To send the first or the next request, see ``Limits/idleTime``.
        public var idle = 0
        /// To read an answer, see ``Limits/writeTime``.
        public var write = 0

        public init() {}

        public var total: Int { head + body + idle + write }
    }

    public init() {}

    static func + (left: Counters, right: Counters) -> Counters {
        var sum = left
        for counter in all { sum[keyPath: counter] += right[keyPath: counter] }
        return sum
    }

    private static let all: [any WritableKeyPath<Counters, Int> & Sendable] = [
        \.requests, \.successful, \.redirected, \.clientErrors, \.serverErrors, \.refused, \.bytesReceived,
        \.bytesSent, \.open, \.accepted, \.failedAccepts, \.shed.limit, \.shed.address, \.shed.descriptors,
        \.evicted, \.timedOut.head, \.timedOut.body, \.timedOut.idle, \.timedOut.write, \.slow,
    ]
}
