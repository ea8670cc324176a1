/// What a request asks for: the methods that a service sees. RFC 9110 §9.
///
/// The server refuses every other one itself.
public enum Method: Hashable, Sendable, CaseIterable {
    case get, head, post, put, patch, delete, options

    /// The name on the wire, which knows no other case.
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
