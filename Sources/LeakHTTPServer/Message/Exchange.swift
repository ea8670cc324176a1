/// The properties of a request that its response depends on. They outlive the bytes of the request.
struct Exchange: Sendable {
    /// `true` for `GET` and `HEAD`, the methods that only read.
    var isSafe = false
    var isHead = false
    var minorVersion: UInt8 = 1
    /// `true` if the connection closes after the response.
    var closesConnection = false
    var acceptsGzip = false
    var ifNoneMatch: String?

    /// The exchange of a request that could not be parsed.
    static let broken: Exchange = {
        var exchange = Exchange()
        exchange.closesConnection = true
        return exchange
    }()

    init() {}

    init(_ head: Head, fields: [FieldLine], of bytes: borrowing Span<UInt8>) {
        isHead = head.method == .head
        isSafe = head.method == .get || isHead
        minorVersion = head.minorVersion
        closesConnection = !head.keepsAlive
        if let index = head.acceptEncodingIndex {
            acceptsGzip = AcceptEncodingParser.allowsGzip(bytes, fields[index].value.range)
        }
        if isSafe, let index = head.ifNoneMatchIndex {
            var text: [UInt8] = []
            for position in fields[index].value.range { text.append(bytes[position]) }
            ifNoneMatch = String(decoding: text, as: UTF8.self)
        }
    }
}
