/// What a server has done since it was made.
public struct Counters: Hashable, Sendable {
    public var requests = 0
    /// Answers by the first digit of their status; `responses[2]` counts 200 to 299.
    public var responses = [0, 0, 0, 0, 0, 0]
    public var bytesReceived = 0
    public var bytesSent = 0
    /// Connections now open.
    public var open = 0
    public var accepted = 0
    /// Connections that were refused for want of room: too many, or no descriptor left.
    public var shed = 0
    /// Connections that ended because a head, a body, a peer's reading or its next request took too long.
    public var timedOut = 0

    public init() {}

    static func + (left: Counters, right: Counters) -> Counters {
        var sum = left
        sum.requests += right.requests
        for index in sum.responses.indices { sum.responses[index] += right.responses[index] }
        sum.bytesReceived += right.bytesReceived
        sum.bytesSent += right.bytesSent
        sum.open += right.open
        sum.accepted += right.accepted
        sum.shed += right.shed
        sum.timedOut += right.timedOut
        return sum
    }
}
