internal import LeakGzip

/// Why a request is refused before any service sees it. One case per rule.
enum RequestError: Error, Hashable, Sendable, CaseIterable {
    /// Not `method SP target SP HTTP/x.y CRLF`. RFC 9112 §3.
    case malformedRequestLine
    /// None of ``Method`` nor one of those that are known and refused.
    case unknownMethod
    /// `CONNECT` or `TRACE`: this is neither proxy nor mirror.
    case refusedMethod
    /// Neither origin-form nor absolute-form, nor `*` with `OPTIONS`. RFC 9112 §3.2.
    case malformedTarget
    /// A `%` without two digits behind it, or a path that is no UTF-8 once decoded.
    case malformedPercentEncoding
    /// A path with a percent-encoded control character, `/` or `\`.
    case hiddenCharacter
    /// Longer than ``Limits/targetBytes``.
    case targetTooLong
    /// Not HTTP/1.x. RFC 9110 §15.6.6.
    case unsupportedVersion
    /// Not `name ":" value CRLF`, folded, or with bytes that no field may hold. RFC 9112 §5.
    case malformedField
    /// Longer than ``Limits/headBytes``.
    case headTooLong
    /// More than ``Limits/fields``.
    case tooManyFields
    /// None, several, or not a host and a port. RFC 9112 §3.2.
    case invalidHost
    /// `Content-Type`, `Authorization` or `Origin` given twice: two readers could take different ones. RFC 9110 §5.3.
    case repeatedField
    /// Not one decimal number, or given twice. RFC 9112 §6.3 rule 5.
    case invalidContentLength
    /// Both `Content-Length` and `Transfer-Encoding`. RFC 9112 §6.1.
    case ambiguousLength
    /// Given twice, empty, or in HTTP/1.0. RFC 9112 §6.1.
    case invalidTransferEncoding
    /// Another coding than `chunked` alone. RFC 9112 §6.1.
    case unsupportedTransferEncoding
    /// Another expectation than `100-continue`. RFC 9110 §10.1.1.
    case unknownExpectation
    /// A body in another coding than ``ContentCoding/taken``, or in several. RFC 9110 §8.4.
    case unsupportedContentCoding
    /// Longer than ``Limits/bodyBytes``.
    case bodyTooLong
    /// Inflates beyond ``Limits/inflatedBytes`` or ``Limits/inflateRatio``.
    case inflatesTooFar
    /// A body that is not one complete stream of its content coding.
    case damagedCoding
    /// No memory is left to inflate the body.
    case noMemoryToInflate
    /// A chunk, its size or its extension breaks RFC 9112 §7.1.
    case malformedChunk
    /// A trailer that is no field, or one that would change how the message is read. RFC 9110 §6.5.1.
    case malformedTrailer
    /// More extensions and trailers than ``Limits/chunkOverheadBytes``.
    case chunkOverheadTooLong
    /// The head or the body took too long.
    case timeout
    /// All bodies that are arriving hold more than ``Limits/uploadBytes``, and this one began first.
    case tooManyBodies

    /// What follows from the failure to inflate a body.
    init(_ error: InflateError) {
        self =
            switch error {
            case .tooLarge: .inflatesTooFar
            case .outOfMemory: .noMemoryToInflate
            case .truncated, .badChecksum, .trailingBytes, .malformed: .damagedCoding
            }
    }

    /// The status to answer with. The connection is closed after it, but for ``damagedCoding``,
    /// ``inflatesTooFar`` and ``noMemoryToInflate``, after which the next request begins where it should.
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
        case .tooManyBodies, .noMemoryToInflate: .serviceUnavailable
        case .bodyTooLong, .inflatesTooFar: .contentTooLarge
        case .targetTooLong: .targetTooLong
        case .unsupportedContentCoding: .unsupportedMediaType
        case .unknownExpectation: .expectationFailed
        case .headTooLong, .tooManyFields: .fieldsTooLarge
        case .unknownMethod, .unsupportedTransferEncoding: .notImplemented
        case .unsupportedVersion: .versionNotSupported
        }
    }

    /// What is wrong, for a person.
    var detail: StaticString {
        switch self {
        case .malformedRequestLine:
            "The request line is not a method, a target and a version with single spaces."
        case .unknownMethod: "This method is not known here."
        case .refusedMethod: "This method is refused everywhere here."
        case .malformedTarget: "The target is neither a path nor an absolute URL."
        case .malformedPercentEncoding: "The target is percent-encoded wrongly, or its path is not UTF-8."
        case .hiddenCharacter:
            "The path must not hold a control character, a slash or a backslash, not even percent-encoded."
        case .targetTooLong: "The target is too long."
        case .unsupportedVersion: "Only HTTP/1.0 and HTTP/1.1 are spoken here."
        case .malformedField: "A header line is malformed."
        case .headTooLong: "The header is too long."
        case .tooManyFields: "The header has too many lines."
        case .invalidHost: "One valid Host field is needed."
        case .repeatedField: "Content-Type, Authorization and Origin must be given at most once."
        case .invalidContentLength: "Content-Length must be one decimal number."
        case .ambiguousLength: "Content-Length and Transfer-Encoding exclude each other."
        case .invalidTransferEncoding: "Transfer-Encoding must be given once, in HTTP/1.1."
        case .unsupportedTransferEncoding: "The only transfer coding known here is chunked."
        case .unknownExpectation: "The only expectation known here is 100-continue."
        case .unsupportedContentCoding:
            "The content codings known here are gzip, deflate and br, one at a time."
        case .bodyTooLong: "The body is too long."
        case .inflatesTooFar: "The body inflates to more than is taken here."
        case .damagedCoding: "The body is not one complete stream of its content coding."
        case .noMemoryToInflate: "No memory is left to inflate the body."
        case .malformedChunk: "A chunk is malformed."
        case .malformedTrailer: "A trailer line is malformed or not allowed."
        case .chunkOverheadTooLong: "The chunk extensions and trailers are too long."
        case .timeout: "The request took too long to arrive."
        case .tooManyBodies: "Too many bodies are arriving at once."
        }
    }

    /// The whole answer.
    var response: Response {
        var response = Response.problem(status, detail)
        response.closes = true
        switch self {
        case .refusedMethod: response.fields.append(("Allow", Self.allowedMethods))
        case .tooManyBodies, .noMemoryToInflate: response.fields.append(("Retry-After", "1"))
        case .unsupportedContentCoding: response.fields.append(("Accept-Encoding", ContentCoding.taken))
        default: break
        }
        return response
    }

    static let allowedMethods = Method.allCases.map { "\($0.name)" }.joined(separator: ", ")
}
