/// Why a request cannot be read. After one of these the connection is out of step: it is answered and closed.
public enum RequestError: Error, Hashable, Sendable {
    /// A control character where none may be, a bare CR or LF, or an empty line too many. RFC 9112 §2.2
    case strayControl
    /// Not `METHOD SP TARGET SP VERSION`. RFC 9112 §3
    case malformedRequestLine
    /// Not origin form, absolute form with `http`, or `*` with `OPTIONS`. RFC 9112 §3.2
    case malformedTarget
    case targetTooLong
    case unknownMethod
    /// Not HTTP/1.x. RFC 9110 §15.6.6
    case unsupportedVersion
    /// No colon, an empty name, white space around the name, or a folded line. RFC 9112 §5
    case malformedField
    /// More bytes or fields than ``Limits`` allow.
    case headTooLarge
    /// Missing with HTTP/1.1, repeated, or not a host. RFC 9112 §3.2
    case invalidHost
    /// Not one decimal number. RFC 9112 §6.3
    case invalidContentLength
    /// Both a length and a transfer coding, or a coding in HTTP/1.0: what smuggled requests use. RFC 9112 §6.1
    case ambiguousLength
    /// Another transfer coding than `chunked`, once. RFC 9112 §6.1
    case unsupportedTransferCoding
    /// RFC 9112 §7.1
    case malformedChunk
    case bodyTooLarge
    /// Another expectation than `100-continue`. RFC 9110 §10.1.1
    case unknownExpectation
    /// Another coding than `gzip`. RFC 9110 §15.5.16
    case unsupportedContentCoding
    /// `Content-Encoding: gzip`, and it is not.
    case malformedGzip
    case headTimeout, bodyTimeout

    public var status: Status {
        switch self {
        case .strayControl, .malformedRequestLine, .malformedTarget, .malformedField, .invalidHost,
            .invalidContentLength, .ambiguousLength, .malformedChunk, .malformedGzip:
            .badRequest
        case .targetTooLong: .uriTooLong
        case .unknownMethod, .unsupportedTransferCoding: .notImplemented
        case .unsupportedVersion: .httpVersionNotSupported
        case .headTooLarge: .requestHeaderFieldsTooLarge
        case .bodyTooLarge: .contentTooLarge
        case .unknownExpectation: .expectationFailed
        case .unsupportedContentCoding: .unsupportedMediaType
        case .headTimeout, .bodyTimeout: .requestTimeout
        }
    }

    /// What the peer reads: never a byte of what it sent.
    var detail: String {
        switch self {
        case .strayControl: "a control character, or a line end that is not CR LF, is in the head"
        case .malformedRequestLine: "the first line is not METHOD TARGET HTTP/1.1"
        case .malformedTarget: "the target must be a path that starts with /, or http://host/path"
        case .targetTooLong: "the target is too long"
        case .unknownMethod: "this method is not known here"
        case .unsupportedVersion: "only HTTP/1.0 and HTTP/1.1 are spoken here"
        case .malformedField: "a header field is not NAME: VALUE on one line"
        case .headTooLarge: "the head is too long or has too many fields"
        case .invalidHost: "exactly one valid Host field is needed"
        case .invalidContentLength: "Content-Length must be one decimal number"
        case .ambiguousLength:
            "the length of the body is given in two ways, or in one that this version has not"
        case .unsupportedTransferCoding: "the only transfer coding known here is chunked, once"
        case .malformedChunk: "the chunked body is malformed"
        case .bodyTooLarge: "the body is too large"
        case .unknownExpectation: "the only expectation known here is 100-continue"
        case .unsupportedContentCoding: "Content-Encoding must be gzip or absent"
        case .malformedGzip: "the body is not valid gzip"
        case .headTimeout: "the head did not arrive in time"
        case .bodyTimeout: "the body did not arrive in time"
        }
    }
}
