import LeakGzip
import Testing

@testable import LeakHTTPServer

@Suite struct ResponseTests {
    private func head(_ response: Response, seconds: Int = 784_111_777) -> String {
        let buffer = Buffer(capacity: 64)
        let writer = ResponseWriter()
        writer.setTime(seconds)
        writer.write(response, for: Exchange(), closesConnection: false, to: buffer)
        return unsafe String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT"),
        (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    ])
    func `dates are written in the format of RFC 9110`(seconds: Int, text: String) {
        #expect(HTTPDateFormatter.text(ofSeconds: seconds) == text)
    }

    @Test func `the head of a response is complete and in order`() {
        var response = Response(.ok, type: "application/json", body: .text("{}"))
        response.etag = "\"x\""
        response.fields = [("Cache-Control", "no-cache")]
        let expected = """
            HTTP/1.1 200 OK
            Date: Sun, 06 Nov 1994 08:49:37 GMT
            X-Content-Type-Options: nosniff
            Referrer-Policy: no-referrer
            Cross-Origin-Resource-Policy: same-origin
            Cache-Control: no-cache
            Content-Type: application/json
            Content-Length: 2
            ETag: "x"


            """
        #expect(
            head(response).split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "\n")
                == expected)
    }

    @Test func `HTML pages get a Content-Security-Policy, which the service may replace`() {
        var page = Response(.ok, type: "text/html; charset=utf-8", body: .text("<p>"))
        let policy =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        #expect(head(page).contains("\r\nContent-Security-Policy: \(policy)\r\n"))
        #expect(head(page).contains("\r\nX-Frame-Options: DENY"))
        page.fields = [("content-security-policy", "default-src 'self'")]
        #expect(!head(page).contains("default-src 'none'"))
        #expect(head(page).contains("content-security-policy: default-src 'self'\r\n"))
    }

    @Test(arguments: [
        ("X-A", "b\r\nX-Evil: 1"), ("X-A", "b\nc"), ("X A", "b"), ("", "b"), ("X-A\r\nX-Evil", "1"),
        ("X-A", "\u{0}"),
        ("Content-Length", "5"), ("transfer-encoding", "chunked"), ("CONNECTION", "close"), ("Date", "now"),
        ("content-type", "text/html"), ("ETag", "\"x\""),
    ])
    func `a response field that would break or contradict the head is left out`(name: String, value: String) {
        var response = Response(.ok)
        let plain = head(response)
        response.fields = [(name, value)]
        #expect(head(response) == plain)
    }

    @Test(arguments: [
        ("Text/HTML; charset=utf-8", true), ("text/html", true), ("image/svg+xml", true),
        ("application/XHTML+xml", true), ("text/xml", true), ("image/png", false), ("text/plain", false),
    ])
    func `content types that can run scripts get a Content-Security-Policy`(type: String, isPage: Bool) {
        let head = head(Response(.ok, type: type, body: .text("x")))
        #expect(head.contains("\r\nContent-Security-Policy: default-src 'none'") == isPage)
    }

    @Test func `a response with status 205 has Content-Length 0 and no content type`() {
        let head = head(Response(Status(205), type: "text/plain", body: .text("x")))
        #expect(head.contains("\r\nContent-Length: 0\r\n"))
        #expect(!head.contains("\r\nContent-Type:"))
        #expect(!Status(205).allowsBody)
    }

    @Test func `responses with status 204 or 304 have no Content-Length`() {
        #expect(!head(Response(.noContent)).contains("Content-Length"))
        #expect(!head(Response(.notModified, type: "text/plain")).contains("\r\nContent-"))
        #expect(head(Response(.ok)).contains("Content-Length: 0\r\n"))
    }

    @Test(arguments: [
        ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("\"b\" ,W/\"a\"", true), ("*", true),
        ("\"b\"", false), ("a", false), ("\"a", false), ("", false), ("\"b\", a", false), (",,\"a\"", true),
        ("\"b\", *", false), ("*a", false), (" * ", true), ("\"b\" \"a\"", false), ("\"b c\", \"a\"", false),
    ])
    func `a list of entity tags is searched with weak comparison`(list: String, expected: Bool) {
        #expect(EntityTag.isTag("\"a\"", inList: list) == expected)
        #expect(EntityTag.isTag("W/\"a\"", inList: list) == expected)
    }

    @Test func `a status code that no response can have is replaced by 500`() {
        #expect(Status(100) == .internalServerError)
        #expect(Status(600).code == 500)
        #expect(Status(404).reason == "Not Found")
    }

    @Test(arguments: RequestError.allCases)
    func `every rejection has a problem document and closes the connection`(error: RequestError) throws {
        let response = error.response
        #expect(response.closesConnection)
        #expect((400...599).contains(response.status.code))
        #expect(response.type == "application/problem+json")
        guard case .bytes(let body) = response.body else { throw error }
        let text = String(decoding: body, as: UTF8.self)
        let slug = String(response.status.reason.lowercased().map { $0 == " " ? "-" : $0 })
        #expect(
            text.hasPrefix(
                "{\"title\":\"\(response.status.reason)\",\"status\":\(response.status.code),\"detail\":\""))
        #expect(text.hasSuffix("\"type\":\"urn:leak-collector:problem:\(slug)\"}"))
        #expect(text.filter { $0 == "\"" }.count == 14 && !text.contains("\\"))
    }

    @Test func `a control character in an address is not reported as wrong percent-encoding`() throws {
        guard case .bytes(let body) = RequestError.hiddenCharacter.response.body else {
            throw RequestError.hiddenCharacter
        }
        #expect(
            String(decoding: body, as: UTF8.self).contains(
                "The path must not contain a percent-encoded slash, or a backslash or control character in any form."
            ))
    }

    @Test(arguments: [
        (InflateError.tooLarge, 413), (.outOfMemory, 503), (.truncated, 400), (.badChecksum, 400),
        (.trailingBytes, 400), (.malformed, 400),
    ])
    func `a body that cannot be decompressed gets 400 or 413, and 503 only for a lack of memory`(
        error: InflateError, status: Int
    ) {
        let response = RequestError(error).response
        #expect(Int(response.status.code) == status)
        #expect(response.fields.contains { $0.0 == "Retry-After" } == (status == 503))
    }
}
