internal import Gzip

/// Puts an answer into bytes. Pure but for nothing: the date comes in.
enum ResponseWriter {
    /// Bodies that shrink, and are long enough that shrinking them pays for its field.
    static let leastGzipBytes = 1024
    private static let compressible = [
        "text/", "application/json", "application/problem+json", "image/svg+xml",
    ]

    /// The fields that every answer has: no guessing of types, no address handed on, no reading from other sites.
    private static let securityFields: StaticString = """
        X-Content-Type-Options: nosniff\r
        Referrer-Policy: no-referrer\r
        Cross-Origin-Resource-Policy: same-origin\r

        """
    /// What a page may load: its own files alone.
    private static let pageFields: StaticString = """
        Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
        connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'\r
        X-Frame-Options: DENY\r
        Permissions-Policy: camera=(), geolocation=(), microphone=()\r

        """

    /// Appends an answer to `out`.
    ///
    /// - Parameters:
    ///   - date: the field `Date` with its line end.
    ///   - keepsAlive: whether the connection stays after it.
    static func write(
        _ response: Response, for preferences: Preferences, keepsAlive: Bool, date: [UInt8],
        to out: inout [UInt8]
    ) {
        var response = response
        var tag = response.etag
        let isShrinking = shrink(&response, preferences, &tag)
        let isKnown = response.status == .ok && (tag.map(preferences.knows) ?? false)
        if isKnown {
            response.status = .notModified
            response.body = .empty
        }
        writeStatus(response.status, &out)
        out += date
        out.append(securityFields)
        if let type = response.type, !isKnown {
            append("Content-Type", type, &out)
            if type.hasPrefix("text/html") { out.append(pageFields) }
        }
        for (name, value) in response.fields { append(name, value, &out) }
        if let tag { append("ETag", "\"\(tag)\"", &out) }
        if isShrinking.couldShrink { out.append("Vary: Accept-Encoding\r\n") }
        if isShrinking.didShrink, !isKnown { out.append("Content-Encoding: gzip\r\n") }
        if response.status.hasContent {
            out.append("Content-Length: ")
            out.append(decimal: response.body.count)
            out.append("\r\n")
        }
        if !keepsAlive {
            out.append("Connection: close\r\n")
        } else if preferences.isOld {
            out.append("Connection: keep-alive\r\n")
        }
        out.append("\r\n")
        guard !preferences.isHead, response.status.hasContent else { return }
        switch response.body {
        case .empty: break
        case .bytes(let bytes): out += bytes
        case .text(let text): out.append(text)
        }
    }

    /// Deflates a body where that pays and is wanted; another coding is another content, so its tag differs.
    private static func shrink(
        _ response: inout Response, _ preferences: Preferences, _ tag: inout String?
    ) -> (couldShrink: Bool, didShrink: Bool) {
        guard response.status == .ok, case .bytes(let bytes) = response.body, bytes.count >= leastGzipBytes,
            let type = response.type, compressible.contains(where: { type.hasPrefix($0) }),
            !response.fields.contains(where: { $0.name == "Content-Encoding" })
        else { return (false, false) }
        guard preferences.acceptsGzip else { return (true, false) }
        tag = tag.map { "\($0)-gzip" }
        if let tag, preferences.knows(tag) { return (true, true) }
        response.body = .bytes(Gzip.deflate(bytes))
        return (true, true)
    }

    private static func writeStatus(_ status: Status, _ out: inout [UInt8]) {
        if status == .ok {
            out.append("HTTP/1.1 200 OK\r\n")
        } else {
            out.append("HTTP/1.1 ")
            out.append(decimal: Int(status.code))
            out.append(" ")
            out += Array(status.reason.utf8)
            out.append("\r\n")
        }
    }

    private static func append(_ name: String, _ value: String, _ out: inout [UInt8]) {
        let isSound = !name.isEmpty && name.utf8.allSatisfy(\.isToken) && value.utf8.allSatisfy(\.isFieldText)
        assert(isSound, "a field of an answer has a control character")
        guard isSound else { return }
        out += name.utf8
        out.append(": ")
        out += value.utf8
        out.append("\r\n")
    }

    /// An error of the server's own. RFC 9457
    static func problem(_ error: RequestError) -> Response {
        let text = """
            {"type":"about:blank","title":"\(error.status.reason)","status":\(error.status.code),\
            "detail":"\(error.detail)"}
            """
        var response = Response(
            error.status, type: "application/problem+json", body: .bytes(Array(text.utf8)))
        response.closes = true
        if error == .unsupportedContentCoding { response.fields.append(("Accept-Encoding", "gzip")) }
        return response
    }
}

extension [UInt8] {
    mutating func append(_ text: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(decimal number: Int) {
        let start = count
        var rest = number.magnitude
        repeat {
            append(0x30 + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }
}
