/// What a stranger can push, bounded. Each value has its reason; nginx, h2o and haproxy are the models.
public struct Limits: Sendable {
    /// Bytes from the request line to the blank line. A browser with cookies sends about 1 KiB.
    public var headBytes = 16 * 1024
    /// Fields of one head. Browsers send about 20.
    public var fields = 64
    /// Bytes of the request target. The longest link of a page is a search of 256 escaped bytes and a cursor.
    public var targetBytes = 2 * 1024
    /// Bytes of body as they travel. A phone's batch is about 30 KiB.
    public var bodyBytes = 1024 * 1024
    /// Bytes of body after inflating.
    public var inflatedBytes = 16 * 1024 * 1024
    /// Inflated bytes per byte that arrived, once past ``ratioFreeBytes``. JSON shrinks to a tenth, rarely a fiftieth.
    public var inflatedRatio = 200
    public var ratioFreeBytes = 64 * 1024
    /// Bytes of chunk extensions and trailers of one message, which nobody needs.
    public var chunkExtraBytes = 4 * 1024

    /// For a whole head, from its first byte; drips do not extend it.
    public var headTime: Duration = .seconds(10)
    /// For a body, besides ``bodyRate``.
    public var bodyTime: Duration = .seconds(10)
    /// Bytes of body per second that a slow phone still reaches.
    public var bodyRate = 16 * 1024
    /// Between requests on a connection that is kept.
    public var idleTime: Duration = .seconds(60)
    /// Without a byte of an answer being taken.
    public var writeTime: Duration = .seconds(30)
    /// For a peer to stop sending after the last answer, before the connection is cut.
    public var lingerTime: Duration = .seconds(1)

    /// Open at once. Each costs a descriptor and a few hundred bytes.
    public var connections = 1024
    /// On one connection, so that a balancer in front can spread them again.
    public var requestsPerConnection = 10_000
    /// Requests of one connection that wait for their answers; reading pauses beyond.
    public var pipelined = 32
    /// Bytes of answers that one peer has not taken; reading pauses beyond.
    public var unsentBytes = 256 * 1024

    public init() {}
}
