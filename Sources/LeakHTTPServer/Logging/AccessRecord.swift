/// One request and its response: the content of one line in an access log.
///
/// `User-Agent` is the only header field in it, so that secrets in `Authorization` or `Cookie` are never written down. If the
/// target contains a secret, see ``maskQuery(_:)``.
public struct AccessRecord: Hashable, Sendable {
    /// The most bytes kept of a target and of a user agent: enough to recognize them, too few to fill a disk.
    public static let maxTextBytes = 512

    /// The time when the response was written; milliseconds since 1970 in UTC.
    public var time: Int64
    /// The client's numeric address: that of the peer, or the one named by a proxy of ``Server/Configuration/trustedProxies``;
    /// `nil` if the peer had already disconnected.
    public var peer: String?
    /// The method; `nil` if the request could not be parsed or its method is unknown.
    public var method: Method?
    /// The first ``maxTextBytes`` bytes of the target as sent; empty if the request could not be parsed.
    public var target: [UInt8]
    /// The digit after `HTTP/1.`
    public var minorVersion: Int
    /// The first ``maxTextBytes`` bytes of `User-Agent`, unchecked.
    public var userAgent: [UInt8]?
    /// The status of the response, even if the response was withheld, see ``Response/isWithheld``.
    public var status: Status
    /// Received bytes of the body, without chunk sizes, before decompression.
    public var bytesReceived: Int
    /// Bytes of the response body, after compression.
    public var bytesSent: Int
    /// The time from the last byte of the head until the response is written; the time that the peer takes to read it is not
    /// included.
    public var duration: Duration
    /// `true` if the connection closes after the response.
    public var closesConnection: Bool
    /// The identifier of the request; `nil` unless ``Server/Configuration/sendsRequestIDs`` is set.
    public var requestID: RequestID?

    /// Creates a record. The target and the user agent are cut to ``maxTextBytes``.
    public init(
        time: Int64, peer: String?, method: Method?, target: [UInt8], minorVersion: Int = 1,
        userAgent: [UInt8]? = nil, status: Status, bytesReceived: Int = 0, bytesSent: Int = 0,
        duration: Duration = .zero, closesConnection: Bool = false, requestID: RequestID? = nil
    ) {
        self.time = time
        self.peer = peer
        self.method = method
        self.target = Array(target.prefix(Self.maxTextBytes))
        self.minorVersion = minorVersion
        self.userAgent = userAgent.map { Array($0.prefix(Self.maxTextBytes)) }
        self.status = status
        self.bytesReceived = bytesReceived
        self.bytesSent = bytesSent
        self.duration = duration
        self.closesConnection = closesConnection
        self.requestID = requestID
    }

    /// Replaces the values of these query parameters by `***`.
    ///
    /// - Parameter names: the names of the parameters, in lower case. The names in the target are percent-decoded, and compared
    ///   without regard to case.
    public mutating func maskQuery(_ names: Set<String>) {
        guard let questionMark = target.firstIndex(of: UInt8(ascii: "?")) else { return }
        var start = questionMark + 1
        while start < target.count {
            var end = target[start...].firstIndex(of: UInt8(ascii: "&")) ?? target.count
            if let equals = target[start..<end].firstIndex(of: UInt8(ascii: "=")),
                Self.isListed(target[start..<equals], in: names)
            {
                target.replaceSubrange((equals + 1)..<end, with: "***".utf8)
                end = equals + 4
            }
            start = end + 1
        }
    }

    private static func isListed(_ name: ArraySlice<UInt8>, in names: Set<String>) -> Bool {
        if name.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) {
            return names.contains(PercentEncoding.decoded(name, plusIsSpace: true).lowercased())
        }
        return names.contains { $0.utf8.elementsEqual(name.lazy.map(ASCII.lowercased)) }
    }
}

/// A call of the service that blocked its loop for a long time. All connections of the loop had to wait in the meantime.
public struct SlowCall: Hashable, Sendable {
    /// The method of the request.
    public var method: Method
    /// The first ``AccessRecord/maxTextBytes`` bytes of the path as sent, in ASCII, without the query.
    public var path: String
    /// The duration, longer than ``Limits/serviceTime``; accurate to a few milliseconds.
    public var duration: Duration
    /// The identifier of the request; `nil` unless ``Server/Configuration/sendsRequestIDs`` is set.
    public var requestID: RequestID?

    /// Creates a record of a slow call.
    public init(method: Method, path: String, duration: Duration, requestID: RequestID? = nil) {
        self.method = method
        self.path = path
        self.duration = duration
        self.requestID = requestID
    }
}

/// The callbacks of a server. Each is called on a loop's thread and must not block.
struct Observers: Sendable {
    var onAnswer: (@Sendable (AccessRecord) -> Void)?
    var onSlowCall: (@Sendable (SlowCall) -> Void)?
}
