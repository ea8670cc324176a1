/// One header field, of a request or of an answer.
public struct HTTPField: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What a server answered.
public struct HTTPAnswer: Hashable, Sendable {
    /// 100 to 599 from a server that keeps to RFC 9110 §15; curl lets 0 to 999 through.
    public var status: Int
    /// In the order received, without those of interim answers.
    public var fields: [HTTPField]
    /// At most ``HTTPClient/Options/answerBytes`` bytes.
    public var body: [UInt8]
    /// Connections that curl had to open for it: 0 when one was kept from an earlier request.
    public var openedConnections: Int

    public init(status: Int, fields: [HTTPField] = [], body: [UInt8] = [], openedConnections: Int = 0) {
        self.status = status
        self.fields = fields
        self.body = body
        self.openedConnections = openedConnections
    }

    /// The first field of that name, in any case of letters.
    public subscript(name: String) -> String? {
        let wanted = name.lowercased()
        return fields.first { $0.name.lowercased() == wanted }?.value
    }
}
