/// One request and what became of it: what an access log has a line for.
///
/// Of the request's fields only `User-Agent` is in it, so that no secret of `Authorization` or `Cookie` is ever
/// written down. Where the target carries one, see ``maskQuery(_:)``.
public struct AccessRecord: Hashable, Sendable {
    /// Bytes that are kept of a target and of a user agent: enough to recognize them, too few to fill a disk.
    public static let textBytes = 512

    /// When the answer was written; milliseconds since 1970 in UTC.
    public var time: Int64
    /// The client's numeric address: the peer's, or what a proxy of ``Server/Configuration/trustedProxies`` says; `nil`
    /// when the peer had gone already.
    public var peer: String?
    /// `nil` when the request could not be read.
    public var method: Method?
    /// The target as sent, its first ``textBytes`` bytes; empty when the request could not be read.
    public var target: [UInt8]
    /// The digit after `HTTP/1.`
    public var minorVersion: Int
    /// The first ``textBytes`` bytes of `User-Agent`, whatever they are.
    public var userAgent: [UInt8]?
    /// Of the answer, also where it was withheld, see ``Response/isWithheld``.
    public var status: Status
    /// Bytes of the body that came, without chunk sizes, before inflating.
    public var bytesReceived: Int
    /// Bytes of the answer's body, as compressed.
    public var bytesSent: Int
    /// From the last byte of the head to the answer's being written; the time the peer takes to read it is not in it.
    public var duration: Duration
    /// Whether the connection ends with the answer.
    public var closes: Bool

    /// A record, with what is too long cut to ``textBytes``.
    public init(
        time: Int64, peer: String?, method: Method?, target: [UInt8], minorVersion: Int = 1,
        userAgent: [UInt8]? = nil, status: Status, bytesReceived: Int = 0, bytesSent: Int = 0,
        duration: Duration = .zero, closes: Bool = false
    ) {
        self.time = time
        self.peer = peer
        self.method = method
        self.target = Array(target.prefix(Self.textBytes))
        self.minorVersion = minorVersion
        self.userAgent = userAgent.map { Array($0.prefix(Self.textBytes)) }
        self.status = status
        self.bytesReceived = bytesReceived
        self.bytesSent = bytesSent
        self.duration = duration
        self.closes = closes
    }

    /// Puts `***` in place of the values that these names have in the query.
    ///
    /// - Parameter names: in lower case; the target's are compared percent-decoded and without regard to case.
    public mutating func maskQuery(_ names: Set<String>) {
        guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return }
        var start = mark + 1
        while start < target.count {
            var end = target[start...].firstIndex(of: UInt8(ascii: "&")) ?? target.count
            if let equals = target[start..<end].firstIndex(of: UInt8(ascii: "=")),
                Self.names(names, contain: target[start..<equals])
            {
                target.replaceSubrange((equals + 1)..<end, with: "***".utf8)
                end = equals + 4
            }
            start = end + 1
        }
    }

    private static func names(_ names: Set<String>, contain name: ArraySlice<UInt8>) -> Bool {
        if name.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) {
            return names.contains(PercentEncoding.decoded(name, plusIsSpace: true).lowercased())
        }
        return names.contains { $0.utf8.elementsEqual(name.lazy.map(ASCII.lowercased)) }
    }
}

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

/// What a server tells while it works. Each is called on a loop's thread and must not block.
struct Observers: Sendable {
    var onAnswer: (@Sendable (AccessRecord) -> Void)?
    var onSlowCall: (@Sendable (SlowCall) -> Void)?
}
