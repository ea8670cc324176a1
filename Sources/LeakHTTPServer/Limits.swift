/// What a stranger may use up. Every bound has its reason; time is counted on the monotonic clock.
public struct Limits: Sendable {
    /// Bytes from the request line to the blank line; more is 431. Browsers with full cookies stay under 8
    /// KiB.
    public var headBytes = 16 << 10
    /// Field lines in a head; more is 431. Browsers send about 20.
    public var fields = 64
    /// Bytes of the target; more is 414. Queries that people and programs write stay under 1 KiB.
    public var targetBytes = 2 << 10
    /// Bytes of a body as sent; more is 413. Plenty for forms and JSON; whoever takes files raises it.
    public var bodyBytes = 1 << 20
    /// Bytes that bodies which are still arriving may hold, in all loops together; beyond it the one that began first
    /// is answered 503. All places taken by slow lines, each with 50 KiB, stay below it.
    public var uploadBytes = 128 << 20
    /// Bytes of a body once inflated; more is 413.
    public var inflatedBytes = 16 << 20
    /// Bytes out per byte in while inflating, after ``inflatedBytesBeforeRatio``; more is 413. Text reaches
    /// 20.
    public var inflateRatio = 200
    /// Bytes that may come out before ``inflateRatio`` counts: no more work than ``bodyBytes`` that come as they are.
    /// A thousand equal frames of a stack become 1/1400 in brotli, and are no bomb.
    public var inflatedBytesBeforeRatio = 1 << 20
    /// Bytes of chunk extensions and trailers in one message. Hardly anybody sends any.
    public var chunkOverheadBytes = 4 << 10

    /// From the first byte of a head to its last, however it drips. A bad radio link needs about two
    /// seconds.
    public var headTime = Duration.seconds(10)
    /// What a body may take besides ``bodyTimePerUnit`` for each ``bodyUnitBytes`` that has come.
    public var bodyTime = Duration.seconds(10)
    /// See ``bodyTime``: a second for each 16 KiB is the slowest line we wait for.
    public var bodyTimePerUnit = Duration.seconds(1)
    /// See ``bodyTime``.
    public var bodyUnitBytes = 16 << 10
    /// Between two requests of one connection.
    ///
    /// Longer than the 60 seconds after which most load balancers close their side, so that none of them sends a request
    /// on a connection that the server is just closing.
    public var idleTime = Duration.seconds(75)
    /// Without a byte of an answer being taken by the peer, or being behind ``writeBytesPerSecond`` by that much.
    public var writeTime = Duration.seconds(30)
    /// Bytes of an answer that earn a peer another second, up to ``writeTime``: a second for each 4 KiB is the slowest
    /// reader we wait for.
    public var writeBytesPerSecond = 4 << 10
    /// Without a byte from a refused peer before its connection is closed. What it still sends is read and dropped, so
    /// that it gets to read the refusal: closing with bytes unread would reset the connection.
    public var lingerTime = Duration.seconds(5)
    /// For reading and dropping what a refused peer still sends, however steadily it comes.
    public var lingerTotalTime = Duration.seconds(30)
    /// Bytes dropped that way: twice the largest body and more.
    public var lingerBytes = 4 << 20
    /// For one call of the service on its loop's thread; a longer one is not stopped but counted and told, since all
    /// connections of the loop wait meanwhile.
    public var serviceTime = Duration.milliseconds(50)

    /// Bytes of a refused body that are read and dropped to keep the connection; with more it is closed.
    public var discardedBytes = 64 << 10
    /// Requests on one connection before it is closed, so that load finds its way to new loops.
    public var requestsPerConnection = 10_000
    /// Requests of one connection that may wait for answers; reading pauses there. Also how many are served before
    /// other connections get their turn.
    public var pipelinedRequests = 32
    /// Bytes of answers that may wait for one peer; reading pauses there.
    public var queuedBytes = 256 << 10
    /// Open connections in all loops together. One more takes the place of the one that has waited longest: one that
    /// is idle, else one whose peer is behind with a head, a body or with reading. Where there is none, it is answered
    /// 503 and closed. A peer that has more than half of them, see ``connectionsPerAddress``, gives way first and
    /// takes nobody else's.
    ///
    /// The process's limit of descriptors is raised for them where it is lower; where it may not be, fewer
    /// connections are taken, so that 128 descriptors are left for the rest of the program.
    public var connections = 1024
    /// Open connections of one peer, an IPv4 address or the first 64 bits of an IPv6 address; one more is answered 503
    /// and closed. `nil` does not count: in a network of containers all share one address. Behind a proxy of
    /// ``Server/Configuration/trustedProxies`` each connection counts for the client whose request it brings. An
    /// idle one counts for no client. Another request of a client that has too many is answered 503.
    public var connectionsPerAddress: Int?

    /// The defaults, as stated with each.
    public init() {}
}
