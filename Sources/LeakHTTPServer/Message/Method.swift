/// A request method that a service can receive. RFC 9110 §9.
///
/// Requests with any other method are rejected, see ``Service/rejectUnknownMethod(of:)``. The raw value is the index in
/// `allCases`.
public enum Method: Int, Sendable, CaseIterable {
    /// Reads a resource. §9.3.1
    case get
    /// Reads a resource without the body of the response. §9.3.2
    case head
    /// Submits data. §9.3.3
    case post
    /// Creates or replaces a resource; idempotent. §9.3.4
    case put
    /// Changes a part of a resource. RFC 5789
    case patch
    /// Deletes a resource; idempotent. §9.3.5
    case delete
    /// Asks for the allowed methods. §9.3.7
    case options

    /// The name on the wire, which is case-sensitive.
    public var name: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        }
    }
}
