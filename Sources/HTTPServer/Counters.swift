/// What a server has done since its start, summed over its loops; at most a quarter of a second old.
public struct Counters: Hashable, Sendable {
    public var requests = 0
    /// Answers by hundreds: index 2 counts 200 to 299.
    public var answers = [Int](repeating: 0, count: 6)
    public var receivedBytes = 0
    public var sentBytes = 0
    /// Connections open now.
    public var open = 0
    public var accepted = 0
    /// Closed at once, since too many were open or no descriptor was left.
    public var shed = 0
    public var timedOut = 0

    public init() {}

    static func + (one: Counters, other: Counters) -> Counters {
        var sum = one
        sum.requests += other.requests
        for index in sum.answers.indices { sum.answers[index] += other.answers[index] }
        sum.receivedBytes += other.receivedBytes
        sum.sentBytes += other.sentBytes
        sum.open += other.open
        sum.accepted += other.accepted
        sum.shed += other.shed
        sum.timedOut += other.timedOut
        return sum
    }
}
