/// Writes heads of answers. Pure: bytes go to a buffer, the date is given.
struct ResponseWriter {
    /// `Date` line of the current second.
    private var dateLine: [UInt8] = []
    private var dateSeconds = Int.min

    /// Sets the time of the answers that follow.
    ///
    /// - Parameter seconds: since 1970 in UTC.
    mutating func setTime(_ seconds: Int) {
        guard seconds != dateSeconds else { return }
        dateSeconds = seconds
        dateLine = Array("Date: \(HTTPDate.text(seconds))\r\n".utf8)
    }

    /// Appends the head of `response`, up to and with its blank line.
    ///
    /// - Parameter closes: whether the connection ends with this answer.
    func write(_ response: Response, for exchange: Exchange, closes: Bool, to output: Buffer) {
        if response.status == .ok {
            output.append("HTTP/1.1 200 OK\r\n")
        } else {
            output.append("HTTP/1.1 ")
            output.append(decimal: Int(response.status.code))
            output.append(UInt8(ascii: " "))
            output.append(response.status.reason)
            output.append("\r\n")
        }
        output.append(dateLine)
        if let type = response.type, response.status.allowsBody, Self.isFieldValue(type) {
            output.append("Content-Type: ")
            output.append(type)
            output.append("\r\n")
        }
        if response.status.allowsBody {
            output.append("Content-Length: ")
            output.append(decimal: response.body.count)
            output.append("\r\n")
        }
        if response.isGzipped && response.status.allowsBody { output.append("Content-Encoding: gzip\r\n") }
        if response.varies { output.append("Vary: Accept-Encoding\r\n") }
        if let etag = response.etag, Self.isFieldValue(etag) {
            output.append("ETag: ")
            output.append(etag)
            output.append("\r\n")
        }
        writeSecurity(of: response, to: output)
        for (name, value) in response.fields where Self.isField(name, value) {
            output.append(name)
            output.append(": ")
            output.append(value)
            output.append("\r\n")
        }
        if closes {
            output.append("Connection: close\r\n\r\n")
        } else if exchange.minorVersion == 0 {
            output.append("Connection: keep-alive\r\n\r\n")
        } else {
            output.append("\r\n")
        }
    }

    /// What browsers shall not do with our answers; each field steps back for one the service set itself.
    private func writeSecurity(of response: Response, to output: Buffer) {
        if response.fields.isEmpty {
            output.append(Self.securityOfAll)
        } else {
            for (name, line) in Self.securityFields where !response.hasField(name) { output.append(line) }
        }
        guard let type = response.type, type.hasPrefix("text/html"), response.status.allowsBody else {
            return
        }
        for (name, line) in Self.securityFieldsOfPages where !response.hasField(name) { output.append(line) }
    }

    private static let securityOfAll: StaticString = """
        X-Content-Type-Options: nosniff\r
        Referrer-Policy: no-referrer\r
        Cross-Origin-Resource-Policy: same-origin\r

        """

    private static let securityFields: [(name: StaticString, line: StaticString)] = [
        ("x-content-type-options", "X-Content-Type-Options: nosniff\r\n"),
        ("referrer-policy", "Referrer-Policy: no-referrer\r\n"),
        ("cross-origin-resource-policy", "Cross-Origin-Resource-Policy: same-origin\r\n"),
    ]

    private static let securityFieldsOfPages: [(name: StaticString, line: StaticString)] = [
        (
            "content-security-policy",
            """
            Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; \
            img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; \
            frame-ancestors 'none'\r

            """
        ),
        ("x-frame-options", "X-Frame-Options: DENY\r\n"),
        ("permissions-policy", "Permissions-Policy: camera=(), geolocation=(), microphone=()\r\n"),
    ]

    /// Whether a service may send this field: a name and a value that stay on their line, and none of the
    /// server's.
    static func isField(_ name: String, _ value: String) -> Bool {
        guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken), isFieldValue(value) else { return false }
        return !["connection", "content-length", "date", "transfer-encoding"].contains {
            (owned: StaticString) in
            ASCII.equalsLowercased(name, owned)
        }
    }

    private static func isFieldValue(_ value: String) -> Bool {
        value.utf8.allSatisfy(ASCII.isFieldValue)
    }
}
