import LeakCollectorSupport
import LeakHTTPClient
import LeakHTTPVectors
import Testing

@testable import LeakCollector

/// Forms and other requests that change data, and the origins that browsers send for them.
@Suite struct FormOriginTests {
    private static let form = "application/x-www-form-urlencoded"

    private static func setOrigins(_ settings: inout Settings) {
        settings.url = "http://leaks.internal"
        settings.trustedOrigins = ["https://leaks.example.com", "http://[2001:db8::1]:8443"]
    }

    @Test(
        arguments: [
            // nginx sends the address of its upstream as Host unless it is configured otherwise.
            ("127.0.0.1:8080", "http://leaks.internal", nil, 303),
            ("127.0.0.1:8080", "HTTP://Leaks.Internal:80", nil, 303),
            ("127.0.0.1:8080", "https://leaks.example.com", nil, 303),
            ("127.0.0.1:8080", "https://leaks.example.com:443", nil, 303),
            ("127.0.0.1:8080", "http://[2001:db8::1]:8443", nil, 303),
            ("127.0.0.1:8080", "https://leaks.example.com", "same-origin", 303),
            ("127.0.0.1:8080", "https://leaks.example.com", "same-site", 303),
            // A proxy may add the port to the Host that it forwards.
            ("leaks.lan:80", "http://leaks.lan", nil, 303), ("leaks.lan:443", "https://leaks.lan", nil, 303),
            ("LEAKS.lan", "http://leaks.lan", nil, 303), ("[::1]:8080", "http://[::1]:8080", nil, 303),
            ("127.0.0.1:8080", "http://127.0.0.1:8080", nil, 303),
            ("127.0.0.1:8080", "http://127.0.0.1:8081", nil, 403),
            ("127.0.0.1:8080", "https://leaks.internal", nil, 403),
            ("127.0.0.1:8080", "http://leaks.internal:8080", nil, 403),
            ("127.0.0.1:8080", "http://leaks.internal.evil.example", nil, 403),
            ("127.0.0.1:8080", "http://evil.example", nil, 403), ("127.0.0.1:8080", "null", nil, 403),
            ("127.0.0.1:8080", "", nil, 403), ("127.0.0.1:8080", "http://", nil, 403),
            ("127.0.0.1:8080", "http://leaks.internal, http://evil.example", nil, 403),
            ("evil.example", "http://evil.example", "cross-site", 403),
            ("127.0.0.1:8080", "http://evil.example", "none", 403),
            ("127.0.0.1:8080", "http://127.0.0.1:8080", "none", 303),
        ] as [(String, String, String?, Int)])
    func `a form is accepted only if its Origin is in the settings or is the requested host`(
        host: String, origin: String, site: String?, status: Int
    ) throws {
        let running = try RunningCollector(Self.setOrigins)
        var fields = [HTTPField("Host", host), HTTPField("Origin", origin)]
        if let site { fields.append(HTTPField("Sec-Fetch-Site", site)) }
        let body = "token=\(RunningCollector.token)"
        #expect(try running.post(body, Self.form, to: "/sign-in", fields: fields).status == status)
    }

    @Test(arguments: [
        ("DELETE /api/v1/installs/phone", "", 200), ("POST /sign-out", "", 303),
        ("POST /access/keys", "name=shop", 201),
        ("POST /leaks/00000000000000000000000000000000/decisions", "do=ignore", 404),
    ])
    func `a request with a cookie changes data only if its Origin is the collector's`(
        request: String, body: String, status: Int
    ) throws {
        let running = try RunningCollector(Self.setOrigins)
        let signedIn = try running.post(
            "token=\(RunningCollector.token)", Self.form, to: "/sign-in", fields: [])
        let cookie = try #require(signedIn.field("Set-Cookie")?.split(separator: ";").first)
        let client = Client(port: running.port)
        for (field, expected) in [
            ("", 403), ("Origin: http://evil.example\r\n", 403), ("Sec-Fetch-Site: same-site\r\n", 403),
            ("Origin: http://leaks.internal\r\n", status),
        ] {
            client.send(
                "\(request) HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nCookie: \(cookie)\r\n\(field)"
                    + "Content-Type: \(Self.form)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(client.nextAnswer()?.status == expected, "\(field)")
        }
    }

    @Test func `a request with an access token and without an Origin can erase an install`() throws {
        let running = try RunningCollector()
        let client = Client(port: running.port)
        client.send(
            "DELETE /api/v1/installs/phone HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(RunningCollector.token)\r\n\r\n"
        )
        #expect(client.nextAnswer()?.status == 200)
    }
}
