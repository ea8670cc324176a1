internal import LeakPlatform

/// A writer of response heads to a buffer. It reads no clock: ``setTime(_:)`` sets the date.
final class ResponseWriter {
    /// The `Date` line of the current second.
    private var dateLine: [UInt8] = []
    /// The status line, the date and the security fields of a 200 response without additional fields, in the current second.
    private var plainStart: [UInt8] = []
    private var dateSeconds = Int.min

    /// Sets the time for the following responses.
    ///
    /// - Parameter seconds: the time in seconds since 1970 in UTC.
    func setTime(_ seconds: Int) {
        guard seconds != dateSeconds else { return }
        dateSeconds = seconds
        dateLine = Array("Date: \(HTTPDateFormatter.text(ofSeconds: seconds))\r\n".utf8)
        plainStart = Array("\(Self.okLine)".utf8) + dateLine + Array("\(Self.securityLines)".utf8)
    }

    /// Appends the head of `response`, including the blank line.
    ///
    /// - Parameter closesConnection: `true` if the connection closes after this response.
    func write(
        _ response: borrowing Response, for exchange: borrowing Exchange, closesConnection: Bool,
        to output: Buffer
    ) {
        let status = response.status
        if response.status == .ok && response.fields.isEmpty {
            output.append(plainStart)
        } else {
            writeStart(of: response, to: output)
        }
        if status.allowsBody {
            if let type = response.type {
                Self.write("Content-Type: ", type, to: output)
                if Self.mayRunScripts(type) { writePageSecurityFields(response, to: output) }
            }
            output.append("Content-Length: ")
            output.append(decimal: response.body.count)
            output.append("\r\n")
            if response.isGzipped { output.append("Content-Encoding: gzip\r\n") }
        } else if !status.endsWithHead {
            output.append("Content-Length: 0\r\n")
        }
        if let requestID = exchange.requestID, !response.hasField("x-request-id") {
            output.append("X-Request-Id: ")
            requestID.append(to: output)
            output.append("\r\n")
        }
        if response.varies { output.append("Vary: Accept-Encoding\r\n") }
        if let etag = response.etag { Self.write("ETag: ", etag, to: output) }
        if closesConnection {
            output.append("Connection: close\r\n\r\n")
        } else if exchange.minorVersion == 0 {
            output.append("Connection: keep-alive\r\n\r\n")
        } else {
            output.append("\r\n")
        }
    }

    /// Appends the status line, the date, the security fields for browsers, and the fields of the service. A security field is left
    /// out if the service has set the same field.
    private func writeStart(of response: borrowing Response, to output: Buffer) {
        if response.status == .ok {
            output.append(Self.okLine)
        } else {
            output.append("HTTP/1.1 ")
            output.append(decimal: Int(response.status.code))
            output.append(UInt8(ascii: " "))
            output.append(string: response.status.reason)
            output.append("\r\n")
        }
        output.append(dateLine)
        if response.fields.isEmpty {
            output.append(Self.securityLines)
            return
        }
        for (name, line) in Self.securityFields where !response.hasField(name) { output.append(line) }
        for (name, value) in response.fields where Self.isAllowedField(name, value) {
            output.append(string: name)
            output.append(": ")
            output.append(string: value)
            output.append("\r\n")
        }
    }

    private func writePageSecurityFields(_ response: borrowing Response, to output: Buffer) {
        for (name, line) in Self.pageSecurityFields where !response.hasField(name) { output.append(line) }
    }

    /// Appends a field line, or nothing if `value` contains bytes that a field value may not have.
    private static func write(_ name: StaticString, _ value: String, to output: Buffer) {
        let start = output.count
        output.append(name)
        output.append(string: value)
        guard unsafe ASCII.endOfFieldValue(output.bytes, from: start) == output.count else {
            output.truncate(to: start)
            return
        }
        output.append("\r\n")
    }

    /// Returns `true` if a browser runs the scripts in documents of this type.
    private static func mayRunScripts(_ mediaType: String) -> Bool {
        scriptableMediaTypes.contains { ASCII.hasPrefix(mediaType, $0) }
    }

    private static let scriptableMediaTypes: [StaticString] = [
        "text/html", "image/svg+xml", "application/xhtml+xml", "text/xml", "application/xml",
    ]

    private static let okLine: StaticString = "HTTP/1.1 200 OK\r\n"
    private static let securityLines: StaticString = """
        X-Content-Type-Options: nosniff\r
        Referrer-Policy: no-referrer\r
        Cross-Origin-Resource-Policy: same-origin\r

        """

    private static let securityFields: [(name: StaticString, line: StaticString)] = [
        ("x-content-type-options", "X-Content-Type-Options: nosniff\r\n"),
        ("referrer-policy", "Referrer-Policy: no-referrer\r\n"),
        ("cross-origin-resource-policy", "Cross-Origin-Resource-Policy: same-origin\r\n"),
    ]

    private static let pageSecurityFields: [(name: StaticString, line: StaticString)] = [
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

    /// Returns `true` if a service may send this field: the name and the value are valid, and it is not a field that the server
    /// sets itself.
    static func isAllowedField(_ name: String, _ value: String) -> Bool {
        guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken), value.utf8.allSatisfy(ASCII.isFieldValue)
        else {
            return false
        }
        return !ownedFields.contains { ASCII.equalsLowercased(name, $0) }
    }

    private static let ownedFields: [StaticString] = [
        "connection", "content-length", "content-type", "date", "etag", "transfer-encoding",
    ]
}

/// Formatter of `IMF-fixdate`, such as `Sun, 06 Nov 1994 08:49:37 GMT`. RFC 9110 §5.6.7.
enum HTTPDateFormatter {
    /// Returns the text of a time.
    ///
    /// - Parameter seconds: the seconds since 1970 in UTC, without leap seconds.
    static func text(ofSeconds seconds: Int) -> String {
        let time = CivilTime(milliseconds: Int64(seconds) * 1000)
        let day = time.date
        let date = "\(weekdays[day.weekday]), \(twoDigits(day.day)) \(months[day.month - 1]) \(day.year)"
        return "\(date) \(twoDigits(time.hour)):\(twoDigits(time.minute)):\(twoDigits(time.second)) GMT"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
