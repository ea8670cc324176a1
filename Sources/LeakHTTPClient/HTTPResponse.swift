/// One header field of a request or of a response.
public struct HTTPField: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The response of a server.
public struct HTTPResponse: Hashable, Sendable {
    /// The status code: 100 to 599 from a server that follows RFC 9110 §15; curl accepts 0 to 999.
    public var status: Int
    /// Header fields in the order received, without the fields of interim responses.
    public var fields: [HTTPField]
    /// The body, at most ``HTTPClient/Options/maxResponseBytes`` bytes.
    public var body: [UInt8]
    /// The number of connections that libcurl opened for this request; 0 if it reused a connection. Always 0 with `URLSession`.
    public var openedConnections: Int

    public init(status: Int, fields: [HTTPField] = [], body: [UInt8] = [], openedConnections: Int = 0) {
        self.status = status
        self.fields = fields
        self.body = body
        self.openedConnections = openedConnections
    }

    /// The value of the first field with this name, compared without regard to case.
    public subscript(name: String) -> String? {
        let lowercasedName = name.lowercased()
        return fields.first { $0.name.lowercased() == lowercasedName }?.value
    }
}
