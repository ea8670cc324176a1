/// A way to send requests to the collector. The caller interprets the responses.
///
/// A transport is created and used on one thread of the reporter, and may block it for up to
/// ``TransportLimits/totalMilliseconds``. Redirects are not followed, because they would send the ingest key to another host:
/// the response is then the redirect itself.
package protocol Transport: AnyObject {
    /// Sends a POST request, and blocks until the response is complete or a limit is exceeded.
    func post(_ post: TransportRequest) -> TransportResult
}

/// One request to the collector.
package struct TransportRequest: Hashable, Sendable {
    package var address: String
    package var fields: [Field]
    package var body: [UInt8]

    package init(address: String, fields: [Field], body: [UInt8]) {
        self.address = address
        self.fields = fields
        self.body = body
    }

    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

/// The result of a ``TransportRequest``.
package enum TransportResult: Hashable, Sendable {
    case response(Response)
    /// No response arrived; `reason` is a text that says why. The collector may still have received the body.
    case noResponse(reason: String)

    package struct Response: Hashable, Sendable {
        package var status: Int
        package var retryAfter: String?
        package var location: String?
        package var contentType: String?
        /// The body, at most ``TransportLimits/maxResponseBytes`` bytes.
        package var body: [UInt8]

        /// `true` if the transport may have sent the request twice by itself. Then this may be the response to the
        /// second request, and the response to the first request is unknown.
        package var mayBeRepeated = false

        package init(
            status: Int, retryAfter: String? = nil, location: String? = nil, contentType: String? = nil,
            body: [UInt8] = []
        ) {
            self.status = status
            self.retryAfter = retryAfter
            self.location = location
            self.contentType = contentType
            self.body = body
        }
    }
}

/// Limits that apply to every transport.
package struct TransportLimits: Hashable, Sendable {
    /// Time limit from the DNS lookup to the end of the TLS handshake. A phone on a slow network needs a few seconds.
    package var connectMilliseconds = 10_000
    /// Time limit from the start of the request to the last byte of the response. A full batch of 256 KiB takes 21 s at 100
    /// kbit/s.
    package var totalMilliseconds = 60_000
    /// Maximum number of bytes in the body of a response. The collector's longest response lists 100 rejected reports at about
    /// 100 bytes each.
    package var maxResponseBytes = 64 * 1024

    package static let userAgent = "LeakReporter/1"

    package init() {}
}
