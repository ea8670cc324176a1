internal import LeakGzip

/// The reason why the server itself rejects a request. One case per rule.
enum RequestError: Error, Hashable, Sendable, CaseIterable {
    /// The request line is not `method SP target SP HTTP/x.y CRLF`. RFC 9112 §3.
    case malformedRequestLine
    /// The method is neither a case of ``Method`` nor `CONNECT` or `TRACE`.
    case unknownMethod
    /// The method is `CONNECT` or `TRACE`: the server is not a proxy and does not echo requests.
    case refusedMethod
    /// The target has neither origin-form nor absolute-form, nor is it `*` with `OPTIONS`. RFC 9112 §3.2.
    case malformedTarget
    /// A `%` is not followed by two hexadecimal digits, or the decoded path is not UTF-8.
    case malformedPercentEncoding
    /// The path has a percent-encoded control character, `/` or `\`.
    case hiddenCharacter
    /// The target is longer than ``Limits/targetBytes``.
    case targetTooLong
    /// The version is not HTTP/1.x. RFC 9110 §15.6.6.
    case unsupportedVersion
    /// A field line is not `name ":" value CRLF`, is folded, or has bytes that a field may not contain. RFC 9112 §5.
    case malformedField
    /// The head is longer than ``Limits/headBytes``.
    case headTooLong
    /// The head has more field lines than ``Limits/fields``.
    case tooManyFields
    /// `Host` is missing, repeated, or not a host with or without a port. RFC 9112 §3.2.
    case invalidHost
    /// `Content-Type`, `Authorization`, `Origin` or `Idempotency-Key` is repeated: two parsers could use different values. RFC
    /// 9110 §5.3.
    case repeatedField
    /// `Content-Length` is not one decimal number, or is repeated. RFC 9112 §6.3 rule 5.
    case invalidContentLength
    /// The request has both `Content-Length` and `Transfer-Encoding`. RFC 9112 §6.1.
    case ambiguousLength
    /// `Transfer-Encoding` is repeated, empty, or used in HTTP/1.0. RFC 9112 §6.1.
    case invalidTransferEncoding
    /// `Transfer-Encoding` is not `chunked` alone. RFC 9112 §6.1.
    case unsupportedTransferEncoding
    /// `Expect` is not `100-continue`. RFC 9110 §10.1.1.
    case unknownExpectation
    /// The body has a content coding other than ``ContentEncoding/supported``, or several. RFC 9110 §8.4.
    case unsupportedContentEncoding
    /// The body is longer than ``Limits/bodyBytes``, or than ``ScreeningResult/bodyLimit`` allows.
    case bodyTooLong
    /// The decompressed body exceeds ``Limits/inflatedBytes`` or ``Limits/inflateRatio``.
    case inflatesTooFar
    /// The body is not one complete stream of its content coding.
    case damagedCoding
    /// No memory is left to decompress the body.
    case noMemoryToInflate
    /// A chunk, its size or its extension violates RFC 9112 §7.1.
    case malformedChunk
    /// A trailer line is not a valid field, or would change how the message is read. RFC 9110 §6.5.1.
    case malformedTrailer
    /// Chunk extensions and trailers are longer than ``Limits/chunkOverheadBytes``.
    case chunkOverheadTooLong
    /// The head or the body took too long.
    case timeout
    /// The incomplete bodies of a loop exceed its share of ``Limits/uploadBytes``, and this body began first.
    case uploadMemoryExceeded

    /// Maps an error of decompression.
    init(_ error: InflateError) {
        self =
            switch error {
            case .tooLarge: .inflatesTooFar
            case .outOfMemory: .noMemoryToInflate
            case .truncated, .badChecksum, .trailingBytes, .malformed: .damagedCoding
            }
    }

    /// The status of the response. The connection closes after it, except after ``damagedCoding``, ``inflatesTooFar`` and
    /// ``noMemoryToInflate``, because the position of the next request is known then.
    var status: Status {
        switch self {
        case .malformedRequestLine, .malformedTarget, .malformedPercentEncoding, .hiddenCharacter,
            .malformedField, .invalidHost, .repeatedField,
            .invalidContentLength, .ambiguousLength, .invalidTransferEncoding, .damagedCoding,
            .malformedChunk,
            .malformedTrailer, .chunkOverheadTooLong:
            .badRequest
        case .refusedMethod: .methodNotAllowed
        case .timeout: .requestTimeout
        case .uploadMemoryExceeded, .noMemoryToInflate: .serviceUnavailable
        case .bodyTooLong, .inflatesTooFar: .contentTooLarge
        case .targetTooLong: .targetTooLong
        case .unsupportedContentEncoding: .unsupportedMediaType
        case .unknownExpectation: .expectationFailed
        case .headTooLong, .tooManyFields: .fieldsTooLarge
        case .unknownMethod, .unsupportedTransferEncoding: .notImplemented
        case .unsupportedVersion: .versionNotSupported
        }
    }

    /// A sentence for the sender that describes the error, and the solution if it is not obvious.
    var detail: StaticString {
        switch self {
        case .malformedRequestLine:
            "The request line must be a method, a target and a version, separated by single spaces."
        case .unknownMethod: "This server does not know this method."
        case .refusedMethod: "This server does not accept this method at any address."
        case .malformedTarget: "The target must be a path or an absolute URL."
        case .malformedPercentEncoding: "The target has a wrong percent-encoding, or its path is not UTF-8."
        case .hiddenCharacter:
            "The path must not contain a percent-encoded slash, or a backslash or control character in any form."
        case .targetTooLong: "The target is too long; shorten the URL."
        case .unsupportedVersion: "This server supports only HTTP/1.0 and HTTP/1.1."
        case .malformedField: "A header line is malformed; it must be a name, a colon and a value."
        case .headTooLong: "The header is too long; send fewer or shorter lines."
        case .tooManyFields: "The header has too many lines; send fewer."
        case .invalidHost: "The request must have exactly one valid Host field."
        case .repeatedField:
            "Content-Type, Authorization, Origin and Idempotency-Key must be given at most once."
        case .invalidContentLength: "Content-Length must be one decimal number."
        case .ambiguousLength: "Content-Length and Transfer-Encoding exclude each other."
        case .invalidTransferEncoding: "Transfer-Encoding must be given only once, and only in HTTP/1.1."
        case .unsupportedTransferEncoding: "The only supported transfer coding is chunked."
        case .unknownExpectation: "The only supported expectation is 100-continue."
        case .unsupportedContentEncoding:
            "The supported content codings are gzip, deflate and br, one per request."
        case .bodyTooLong: "The body is too long; send a shorter one."
        case .inflatesTooFar: "The decompressed body is too long; send a shorter one."
        case .damagedCoding: "The body is not one complete stream of its Content-Encoding."
        case .noMemoryToInflate:
            "The server has no memory left to decompress the body; send the request again."
        case .malformedChunk: "A chunk is malformed."
        case .malformedTrailer: "A trailer line is malformed or not allowed."
        case .chunkOverheadTooLong: "The chunk extensions and trailers are too long; leave them out."
        case .timeout: "The request took too long to arrive; send it again."
        case .uploadMemoryExceeded:
            "The bodies that are arriving take too much memory; send the request again later."
        }
    }

    /// The complete response. It closes the connection; see ``status`` for the exceptions, which callers handle.
    var response: Response {
        var response = Response.problem(status, detail)
        response.closesConnection = true
        switch self {
        case .refusedMethod: response.fields.append(("Allow", Self.allowedMethods))
        case .uploadMemoryExceeded, .noMemoryToInflate: response.fields.append(("Retry-After", "1"))
        case .unsupportedContentEncoding:
            response.fields.append(("Accept-Encoding", ContentEncoding.supported))
        default: break
        }
        return response
    }

    static let allowedMethods = Method.allCases.map { "\($0.name)" }.joined(separator: ", ")
}
