/// Limits on the resources that clients may use. Every limit states its reason. Times are measured on the monotonic clock.
public struct Limits: Sendable {
    /// The most bytes from the request line to the blank line; a longer head is answered with 431. Browsers with many cookies
    /// stay under 8 KiB.
    public var headBytes = 16 << 10
    /// The most field lines in a head; a head with more is answered with 431. Browsers send about 20.
    public var fields = 64
    /// The most bytes of the request target; a longer target is answered with 414. Queries written by people and programs stay
    /// under 1 KiB.
    public var targetBytes = 2 << 10
    /// The most bytes of a body as sent; a longer body is answered with 413. This is plenty for forms and JSON; raise it for
    /// file uploads.
    public var bodyBytes = 1 << 20
    /// The most bytes of all incomplete bodies in all loops together. Each loop may use an equal share. Beyond its share, the
    /// oldest upload of the loop is answered with 503. Even if every connection is a slow upload of 50 KiB, the total stays
    /// below it.
    public var uploadBytes = 128 << 20
    /// The most bytes of a body after decompression; a longer body is answered with 413.
    public var inflatedBytes = 16 << 20
    /// The most bytes of output per byte of input during decompression, applied after ``inflatedBytesBeforeRatio``; a higher
    /// ratio is answered with 413. Text reaches a ratio of 20.
    public var inflateRatio = 200
    /// Bytes of output before ``inflateRatio`` applies: no more than an uncompressed body of ``bodyBytes`` has. A thousand
    /// equal stack frames compress to 1/1400 in brotli, and are not a decompression bomb.
    public var inflatedBytesBeforeRatio = 1 << 20
    /// The most bytes of chunk extensions and trailers in one message; more are answered with 400. Few clients send any.
    public var chunkOverheadBytes = 4 << 10

    /// Time limit from the first to the last byte of a head, even if bytes keep arriving. It is also the time limit for the
    /// first byte on a new connection. A bad radio link needs about two seconds.
    public var headTime = Duration.seconds(10)
    /// Time limit of a body, plus ``bodyTimePerUnit`` for each ``bodyUnitBytes`` received.
    public var bodyTime = Duration.seconds(10)
    /// Extra time per unit, see ``bodyTime``. One second per 16 KiB is the slowest connection that the server waits for.
    public var bodyTimePerUnit = Duration.seconds(1)
    /// Size of a unit in bytes, see ``bodyTime``.
    public var bodyUnitBytes = 16 << 10
    /// Time limit between two requests of one connection.
    ///
    /// It is longer than the 60 seconds after which most load balancers close their side, so that a load balancer does not send a
    /// request on a connection that the server is closing.
    public var idleTime = Duration.seconds(75)
    /// Time limit for a peer that reads no byte of its response. It also limits the delay of a slow reader: the time that the
    /// peer has taken so far, minus the time that it would have taken at ``writeBytesPerSecond``.
    public var writeTime = Duration.seconds(30)
    /// When a peer has read this many bytes of a response, its deadline moves by one second, but to no later than ``writeTime``
    /// from that moment. 4 KiB per second is the slowest reader that the server waits for.
    public var writeBytesPerSecond = 4 << 10
    /// Time limit without a byte from the peer after the last response, such as a rejection. Until then the server reads and
    /// drops the bytes that the peer still sends, so that the peer can read the response: closing with unread bytes would reset
    /// the connection.
    public var lingerTime = Duration.seconds(5)
    /// Total time limit for reading and dropping bytes after the last response, even if they arrive steadily.
    public var lingerTotalTime = Duration.seconds(30)
    /// The most bytes that are read and dropped after the last response: four times the default of ``bodyBytes``.
    public var lingerBytes = 4 << 20
    /// Time limit of one call of the service on the loop's thread. A longer call is not stopped but counted and reported, because
    /// all connections of the loop wait in the meantime.
    public var serviceTime = Duration.milliseconds(50)

    /// The most bytes of a rejected body that are read and dropped to keep the connection. If the body is longer, the connection is
    /// closed.
    public var discardedBytes = 64 << 10
    /// The most requests on one connection, which is closed after them. Clients then open a new connection, possibly in another
    /// loop, so load stays spread.
    public var requestsPerConnection = 10_000
    /// Requests of one connection that may wait for responses; at this number the server stops reading from it. Also the number
    /// of requests of one connection that are served before other connections get their turn.
    public var pipelinedRequests = 32
    /// Bytes of responses that may wait for one peer; above this number the server stops reading from the connection.
    public var queuedBytes = 256 << 10
    /// The most open connections in all loops together. A further connection evicts the connection that has waited longest: an
    /// idle connection, or else a connection whose peer is slow in sending a head or a body or in reading. If no connection can
    /// be evicted, the new connection is answered with 503 and closed. If one peer, as defined at ``connectionsPerAddress``,
    /// has more than half of this number, its connections are evicted first, and it cannot evict connections of other peers.
    ///
    /// If the descriptor limit of the process is too low for this number, the server raises that limit. If the system does
    /// not allow it, the server accepts fewer connections, so that 128 descriptors are left for the rest of the program.
    public var connections = 1024
    /// The most open connections of one peer, which is an IPv4 address or the first 64 bits of an IPv6 address; a further
    /// connection is answered with 503 and closed. The default is `nil`, which means no limit, because all peers in a container
    /// network share one address. Behind a proxy of ``Server/Configuration/trustedProxies``, each connection counts for the
    /// client whose request it carries; an idle connection counts for no client. A further request of a client that has too
    /// many connections is answered with 503.
    public var connectionsPerAddress: Int?

    /// Creates the default limits.
    public init() {}
}
