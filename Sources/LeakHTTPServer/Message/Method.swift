/// What a request asks for: the methods that a service sees. RFC 9110 §9.
///
/// The server refuses every other one itself. The raw value is the place in `allCases`.
public enum Method: Int, Sendable, CaseIterable {
    /// Reads. §9.3.1
    case get
    /// Reads, without the body of the answer. §9.3.2
    case head
    /// Hands something in. §9.3.3
    case post
    /// Puts something in its place, again with the same effect. §9.3.4
    case put
    /// Changes a part. RFC 5789
    case patch
    /// Takes something away, again with the same effect. §9.3.5
    case delete
    /// Asks what else may be asked. §9.3.7
    case options

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
