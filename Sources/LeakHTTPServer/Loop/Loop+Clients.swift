// Identifying the client of a request behind proxies.

extension Loop {
    /// Identifies the client of the request whose head is complete, and counts the connection for that client until the request is
    /// answered.
    ///
    /// - Returns: `false` if the client has reached its limit of connections.
    func identifyClient(
        of connection: Connection, fields: [FieldLine], bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard connection.isProxied else { return true }
        var values = TrustedProxies.Fields()
        for field in fields {
            let list: WritableKeyPath<TrustedProxies.Fields, [[UInt8]]>
            if unsafe ASCII.equal(bytes.span, in: field.name.range, to: "x-forwarded-for") {
                list = \.forwardedFor
            } else if unsafe ASCII.equal(bytes.span, in: field.name.range, to: "x-forwarded-proto") {
                list = \.forwardedProto
            } else if unsafe ASCII.equal(bytes.span, in: field.name.range, to: "forwarded") {
                list = \.forwarded
            } else {
                continue
            }
            values[keyPath: list].append(unsafe Array(bytes[field.value.range]))
        }
        connection.client = trustedProxies.client(of: connection.address, values)
        connection.client.isBehindProxy = true
        let group = connection.client.address.map { PeerGroup($0) } ?? .proxy
        guard group != connection.peer else { return true }
        guard limiter.move(from: connection.peer, to: group) else { return false }
        connection.peer = group
        return true
    }

    /// Returns the identifier of the request whose head is complete: the one that a trusted proxy sent, or a new one.
    ///
    /// - Returns: `nil` if requests have no identifiers.
    func requestID(
        of connection: Connection, fields: [FieldLine], bytes: UnsafeBufferPointer<UInt8>
    ) -> RequestID? {
        guard requestIDs != nil else { return nil }
        if connection.isProxied {
            let field = fields.first { unsafe ASCII.equal(bytes.span, in: $0.name.range, to: "x-request-id") }
            if let field, let forwarded = unsafe RequestID(forwarded: bytes[field.value.range]) {
                return forwarded
            }
        }
        return requestIDs?.next()
    }

    /// Stops counting a proxy's connection for a client whose requests are all answered.
    func releaseClient(_ connection: Connection) {
        guard connection.isProxied, connection.peer != .proxy, limiter.move(from: connection.peer, to: .proxy)
        else { return }
        connection.peer = .proxy
    }

    /// The response to a request whose client has too many connections.
    static var peerLimitReached: Response {
        var response = Response.problem(
            .serviceUnavailable, "Too many connections are open; send the request again later.")
        response.fields = [("Retry-After", "1")]
        return response
    }
}
