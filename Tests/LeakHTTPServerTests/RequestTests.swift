import Testing

@testable import LeakHTTPServer

@Suite struct RequestTests {
    @Test func `path and query are decoded once`() throws {
        try withRequest("GET /a%20b/%2541?x=1+2&y=%26&z&x=3 HTTP/1.1\r\nHost: a\r\n\r\n") { request in
            #expect(request.path == "/a b/%41")
            #expect(request.target == "/a%20b/%2541?x=1+2&y=%26&z&x=3")
            #expect(request.query("x") == "1 2")
            #expect(request.query("y") == "&")
            #expect(request.query("z") == "")
            #expect(request.query("w") == nil)
        }
    }

    @Test func `the path of an absolute request target without a path is the root`() throws {
        try withRequest("GET http://a?x=1 HTTP/1.1\r\nHost: b\r\n\r\n") { request in
            #expect(request.path == "/")
            #expect(request.query("x") == "1")
        }
    }

    @Test(arguments: [
        ("/", "1.1\r\nHost: b:80", "b:80"), ("http://a", "1.1\r\nHost: b", "a"),
        ("https://a:443/x", "1.1\r\nHost: b", "a:443"),
        ("http://[::1]:8080?x", "1.1\r\nHost: b", "[::1]:8080"), ("/http://a/", "1.1\r\nHost: b", "b"),
        ("/", "1.0", nil),
    ])
    func `the host of an absolute request target overrides the Host field`(
        target: String, rest: String, host: String?
    ) throws {
        try withRequest("GET \(target) HTTP/\(rest)\r\n\r\n") { request in
            #expect(request.host == host)
        }
    }

    @Test func `request fields are found by a lowercase name and can be compared with a value`() throws {
        let head =
            "POST /x HTTP/1.1\r\nHost: a\r\nX-Key:  abc \r\nContent-Type: Application/JSON ; charset=utf-8\r\n"
        try withRequest(head + "Content-Length: 3\r\n\r\n") { request in
            #expect(request.field("x-key") == "abc")
            #expect(request.field("x-key", equals: "abc") == true)
            #expect(request.field("x-key", equals: "abd") == false)
            #expect(request.field("x-other") == nil)
            #expect(request.hasContentType("application/json") == true)
            #expect(request.hasContentType("application/js") == false)
            #expect(request.pathEquals("/x") == true)
            #expect(request.hasBody == true)
            #expect(request.announcedLength == 3)
        }
    }

    @Test(arguments: [
        ("gzip", true), ("GZIP", true), ("x-gzip", true), ("br, gzip;q=0.5", true), ("*", true),
        ("deflate, *;q=0.1", true),
        ("gzip;q=0", false), ("gzip;q=0.000", false), ("*, gzip;q=0", false), ("gzip;q=0, *", false),
        ("*;q=0", false),
        ("br", false), ("", false), ("identity", false), ("gzip; q=0.001", true), ("gzip;Q=0", false),
        ("gzip;q=0;x=1", false), ("gzip;x=q1;q=0", false), ("gzip;seq=1;q=0", false), ("gzip ; q=0 ", false),
        ("identity;q=0, gzip", true), (",, gzip", true), ("gzip ;\tQ=1.000 , br", true),
        ("gzip;q=1.001", false), ("gzip;q=2", false), ("gzip;q=.5", false), ("gzip;q=0.0001", false),
        ("gzip x", false), ("gzip;level=9", false),
    ])
    func `Accept-Encoding allows gzip if gzip, or else *, has a weight above zero`(
        value: String, expected: Bool
    ) {
        let bytes = Array(value.utf8)
        #expect(AcceptEncodingParser.allowsGzip(bytes.span, 0..<bytes.count) == expected)
    }
}
