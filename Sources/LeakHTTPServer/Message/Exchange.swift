/// What must be known of a request to answer it, after its bytes have gone.
struct Exchange: Sendable {
    /// `GET` or `HEAD`, the methods that ask and change nothing.
    var isSafe = false
    var isHead = false
    var minorVersion: UInt8 = 1
    /// Whether the connection ends with the answer.
    var closes = false
    var acceptsGzip = false
    var ifNoneMatch: String?

    /// An exchange whose request could not be read.
    static let broken: Exchange = {
        var exchange = Exchange()
        exchange.closes = true
        return exchange
    }()

    init() {}

    init(_ head: Head, fields: [FieldLine], of bytes: borrowing Span<UInt8>) {
        isHead = head.method == .head
        isSafe = head.method == .get || isHead
        minorVersion = head.minorVersion
        closes = !head.keepsAlive
        if let index = head.acceptEncoding {
            acceptsGzip = AcceptEncoding.allowsGzip(bytes, fields[index].value.range)
        }
        if isSafe, let index = head.ifNoneMatch {
            var text: [UInt8] = []
            for at in fields[index].value.range { text.append(bytes[at]) }
            ifNoneMatch = String(decoding: text, as: UTF8.self)
        }
    }
}
