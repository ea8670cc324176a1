/// What a server has done since it was made.
public struct Counters: Hashable, Sendable {
    public var requests = 0
    /// Answers with a status from 200 to 299.
    public var successful = 0
    /// Answers with a status from 300 to 399, 304 among them.
    public var redirected = 0
    /// Answers with a status from 400 to 499.
    public var clientErrors = 0
    /// Answers with a status from 500 on.
    public var serverErrors = 0
    public var bytesReceived = 0
    public var bytesSent = 0
    /// Connections now open.
    public var open = 0
    public var accepted = 0
    /// Connections that were refused for want of room: too many, or no descriptor left.
    public var shed = 0
    /// Connections that ended because a head, a body, a peer's reading or its next request took too long.
    public var timedOut = 0
    /// Calls of the service that held their loop for more than ``Limits/serviceTime``.
    public var slow = 0

    public init() {}

    static func + (left: Counters, right: Counters) -> Counters {
        var sum = left
        sum.requests += right.requests
        sum.successful += right.successful
        sum.redirected += right.redirected
        sum.clientErrors += right.clientErrors
        sum.serverErrors += right.serverErrors
        sum.bytesReceived += right.bytesReceived
        sum.bytesSent += right.bytesSent
        sum.open += right.open
        sum.accepted += right.accepted
        sum.shed += right.shed
        sum.timedOut += right.timedOut
        sum.slow += right.slow
        return sum
    }
}
