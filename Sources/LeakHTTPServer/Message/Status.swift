/// A status code, RFC 9110 §15.
public struct Status: Hashable, Sendable {
    /// 200 to 599.
    public let code: UInt16

    /// Creates a status.
    ///
    /// - Parameter code: 200 to 599; any other code becomes 500, because a response cannot have it.
    public init(_ code: UInt16) {
        self.code = (200...599).contains(code) ? code : 500
    }

    /// 200. RFC 9110 §15.3.1.
    public static let ok = Status(200)
    /// 201. RFC 9110 §15.3.2.
    public static let created = Status(201)
    /// 202. RFC 9110 §15.3.3.
    public static let accepted = Status(202)
    /// 204. RFC 9110 §15.3.5.
    public static let noContent = Status(204)
    /// 301. RFC 9110 §15.4.2.
    public static let movedPermanently = Status(301)
    /// 302. RFC 9110 §15.4.3.
    public static let found = Status(302)
    /// 303. RFC 9110 §15.4.4.
    public static let seeOther = Status(303)
    /// 304. RFC 9110 §15.4.5.
    public static let notModified = Status(304)
    /// 307. RFC 9110 §15.4.8.
    public static let temporaryRedirect = Status(307)
    /// 308. RFC 9110 §15.4.9.
    public static let permanentRedirect = Status(308)
    /// 400. RFC 9110 §15.5.1.
    public static let badRequest = Status(400)
    /// 401. RFC 9110 §15.5.2.
    public static let unauthorized = Status(401)
    /// 403. RFC 9110 §15.5.4.
    public static let forbidden = Status(403)
    /// 404. RFC 9110 §15.5.5.
    public static let notFound = Status(404)
    /// 405. RFC 9110 §15.5.6.
    public static let methodNotAllowed = Status(405)
    /// 408. RFC 9110 §15.5.9.
    public static let requestTimeout = Status(408)
    /// 409. RFC 9110 §15.5.10.
    public static let conflict = Status(409)
    /// 410. RFC 9110 §15.5.11.
    public static let gone = Status(410)
    /// 411. RFC 9110 §15.5.12.
    public static let lengthRequired = Status(411)
    /// 412. RFC 9110 §15.5.13.
    public static let preconditionFailed = Status(412)
    /// 413. RFC 9110 §15.5.14.
    public static let contentTooLarge = Status(413)
    /// 414. RFC 9110 §15.5.15.
    public static let targetTooLong = Status(414)
    /// 415. RFC 9110 §15.5.16.
    public static let unsupportedMediaType = Status(415)
    /// 417. RFC 9110 §15.5.18.
    public static let expectationFailed = Status(417)
    /// 422. RFC 9110 §15.5.21.
    public static let unprocessableContent = Status(422)
    /// 429. RFC 6585 §4.
    public static let tooManyRequests = Status(429)
    /// 431. RFC 6585 §5.
    public static let fieldsTooLarge = Status(431)
    /// 500. RFC 9110 §15.6.1.
    public static let internalServerError = Status(500)
    /// 501. RFC 9110 §15.6.2.
    public static let notImplemented = Status(501)
    /// 503. RFC 9110 §15.6.4.
    public static let serviceUnavailable = Status(503)
    /// 505. RFC 9110 §15.6.6.
    public static let versionNotSupported = Status(505)
    /// 507. RFC 4918 §11.5.
    public static let insufficientStorage = Status(507)

    /// The reason phrase of the code, such as `Not Found`; `Status` for a code without a known phrase.
    public var reason: String {
        switch code {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: "Status"
        }
    }

    /// The `type` of a problem document with this status (RFC 9457 §3.1.1), such as `urn:leak-collector:problem:not-found`.
    /// It tells clients that this server wrote the document, and not a gateway in front of it.
    public var problemType: String {
        Self.problemTypePrefix + reason.lowercased().split(separator: " ").joined(separator: "-")
    }

    /// The beginning of the `type` of every problem document. It is a URN and not a URL, because a collector has no address that
    /// holds everywhere, and a relative reference would mean something else at each address (RFC 9457 §3.1.1).
    public static let problemTypePrefix = "urn:leak-collector:problem:"

    /// `true` if a response with this status ends with its head, RFC 9110 §6.4.1.
    var endsWithHead: Bool { code == 204 || code == 304 }

    /// `true` if a response with this status may have a body. A 205 has a length, which is 0: RFC 9110 §15.3.6.
    var allowsBody: Bool { !endsWithHead && code != 205 }
}
