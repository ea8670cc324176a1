/// A call of the service that held its loop for long: meanwhile all connections of the loop had to wait.
public struct SlowCall: Hashable, Sendable {
    /// Of the request it was for.
    public var method: Method
    /// The path as sent, without its query: its first ``AccessRecord/textBytes`` bytes, in ASCII.
    public var path: String
    /// More than ``Limits/serviceTime``, to a few milliseconds.
    public var duration: Duration

    /// A call as it is told.
    public init(method: Method, path: String, duration: Duration) {
        self.method = method
        self.path = path
        self.duration = duration
    }
}
