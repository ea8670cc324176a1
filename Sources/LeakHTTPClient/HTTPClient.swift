#if os(Linux)
    /// The client of the collector's commands: libcurl on Linux, `URLSession` on Apple's systems.
    public typealias HTTPClient = CurlClient

    extension CurlClient {
        public typealias Failure = CurlError
    }
#else
    internal import LeakFoundationTransport
    internal import LeakTransport

    /// The client of the collector's commands: libcurl on Linux, `URLSession` on Apple's systems.
    ///
    /// A response contains only the header fields that the commands need: `Content-Type`, `Location` and `Retry-After`. Use one
    /// instance on one thread at a time: the class is not `Sendable`.
    public final class HTTPClient {
        public struct Options: Hashable, Sendable {
            /// Time limit until the connection is open. For a request without a body, it ends when the response begins.
            public var connectMilliseconds = 10_000
            /// Time limit from the start to the last byte of the response.
            public var totalMilliseconds = 30_000
            /// The largest response body, in bytes; a longer body is an error.
            public var maxResponseBytes = 64 * 1024
            /// If `false`, the proxy of the system is not used.
            public var usesProxy = true
            public var userAgent = "leak-collector-client/1"

            public init() {}
        }

        /// The reason why a request got no response.
        public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
            public let description: String
        }

        private let transport: URLSessionTransport
        private let userAgent: String

        public init(_ options: Options = Options()) throws(Failure) {
            var limits = TransportLimits()
            limits.connectMilliseconds = options.connectMilliseconds
            limits.totalMilliseconds = options.totalMilliseconds
            limits.maxResponseBytes = options.maxResponseBytes
            transport = URLSessionTransport(limits: limits, usesProxy: options.usesProxy)
            userAgent = options.userAgent
        }

        public func get(_ address: String, fields: [HTTPField] = []) throws(Failure) -> HTTPResponse {
            try send("GET", body: nil, to: address, fields: fields)
        }

        public func post(
            _ body: [UInt8], to address: String, fields: [HTTPField]
        ) throws(Failure) -> HTTPResponse {
            try send("POST", body: body, to: address, fields: fields)
        }

        public func delete(_ address: String, fields: [HTTPField] = []) throws(Failure) -> HTTPResponse {
            try send("DELETE", body: nil, to: address, fields: fields)
        }

        private func send(
            _ method: String, body: [UInt8]?, to address: String, fields: [HTTPField]
        ) throws(Failure) -> HTTPResponse {
            let fields = [HTTPField("User-Agent", userAgent)] + fields
            let reply = transport.send(
                method, to: address,
                fields: fields.map { TransportRequest.Field(name: $0.name, value: $0.value) },
                body: body)
            switch reply {
            case .response(let response):
                let fields = [
                    ("Content-Type", response.contentType), ("Location", response.location),
                    ("Retry-After", response.retryAfter),
                ]
                return HTTPResponse(
                    status: response.status,
                    fields: fields.compactMap { name, value in value.map { HTTPField(name, $0) } },
                    body: response.body)
            case .noResponse(let reason):
                throw Failure(description: reason)
            }
        }
    }
#endif
