/// What a stranger may use up. Every bound has its reason; time is counted on the monotonic clock.
public struct Limits: Sendable {
    /// Bytes from the request line to the blank line; more is 431. Browsers with full cookies stay under 8
    /// KiB.
    public var headBytes = 16 << 10
    /// Field lines in a head; more is 431. Browsers send about 20.
    public var fields = 64
    /// Bytes of the target; more is 414. Our longest query, a cursor with filters, is under 1 KiB.
    public var targetBytes = 2 << 10
    /// Bytes of a body as sent; more is 413. Four full batches that were not compressed.
    public var bodyBytes = 1 << 20
    /// Bytes of a body once inflated; more is 413.
    public var inflatedBytes = 16 << 20
    /// Bytes out per byte in while inflating, after ``inflatedBytesBeforeRatio``; more is 413. Text reaches
    /// 20.
    public var inflateRatio = 200
    /// Bytes that may come out before ``inflateRatio`` counts.
    public var inflatedBytesBeforeRatio = 64 << 10
    /// Bytes of chunk extensions and trailers in one message. Nobody we know sends any.
    public var chunkOverheadBytes = 4 << 10

    /// From the first byte of a head to its last, however it drips. A phone on a bad line needs about two
    /// seconds.
    public var headTime = Duration.seconds(10)
    /// What a body may take besides ``bodyTimePerUnit`` for each ``bodyUnitBytes`` that has come.
    public var bodyTime = Duration.seconds(10)
    /// See ``bodyTime``: a second for each 16 KiB is the slowest line we wait for.
    public var bodyTimePerUnit = Duration.seconds(1)
    /// See ``bodyTime``.
    public var bodyUnitBytes = 16 << 10
    /// Between two requests of one connection.
    public var idleTime = Duration.seconds(60)
    /// Without a byte of an answer being taken by the peer.
    public var writeTime = Duration.seconds(30)
    /// For reading and dropping what a refused peer still sends, so that it gets to read the refusal.
    public var lingerTime = Duration.seconds(1)
    /// Bytes dropped that way: twice the largest body and more.
    public var lingerBytes = 4 << 20
    /// For one call of the service on its loop's thread; a longer one is not stopped but counted and told, since all
    /// connections of the loop wait meanwhile.
    public var serviceTime = Duration.milliseconds(50)

    /// Bytes of a refused body that are read and dropped to keep the connection; with more it is closed.
    public var discardedBytes = 64 << 10
    /// Requests on one connection before it is closed, so that load finds its way to new loops.
    public var requestsPerConnection = 10_000
    /// Requests of one connection that may wait for answers; reading pauses there.
    public var pipelinedRequests = 32
    /// Bytes of answers that may wait for one peer; reading pauses there.
    public var queuedBytes = 256 << 10
    /// Open connections in all loops together; one more is answered 503 and closed.
    public var connections = 1024

    /// The defaults, as stated with each.
    public init() {}
}
