/// What a head says, as places in its bytes. Reused from request to request.
struct Head {
    enum Framing: Hashable {
        case none
        case length(Int)
        case chunked
    }

    struct Field {
        var name: Extent
        var value: Extent
    }

    var method = Method.get
    /// As sent.
    var target = Extent()
    /// Of the target, up to the question mark.
    var path = Extent()
    /// After the question mark.
    var query: Extent?
    /// 0 for HTTP/1.0, else 1: a higher minor version is answered as 1.1.
    var minor: UInt8 = 1
    var fields: [Field] = []
    var framing = Framing.none
    var keepsAlive = true
    var expectsContinue = false
    var isGzip = false
    var asksToClose = false
    var asksToKeep = false

    mutating func reset() {
        target = Extent()
        path = Extent()
        query = nil
        minor = 1
        fields.removeAll(keepingCapacity: true)
        framing = .none
        keepsAlive = true
        expectsContinue = false
        isGzip = false
        asksToClose = false
        asksToKeep = false
    }
}
