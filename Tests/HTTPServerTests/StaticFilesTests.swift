import Foundation
import HTTPServer
import HTTPVectors
import Testing

@Suite struct StaticFilesTests {
    /// A folder with what may be served and what must not.
    private static func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        let files = FileManager.default
        let base = files.temporaryDirectory.appendingPathComponent("files-\(UUID().uuidString)")
        let folder = base.appendingPathComponent("Public")
        try files.createDirectory(at: folder.appendingPathComponent("css"), withIntermediateDirectories: true)
        try files.createDirectory(
            at: folder.appendingPathComponent(".git"), withIntermediateDirectories: true)
        defer { try? files.removeItem(at: base) }
        func write(_ path: String, _ text: String) throws {
            try Data(text.utf8).write(to: base.appendingPathComponent(path))
        }
        try write("secret", "secret")
        try write("Public/index.html", "<p>" + String(repeating: "leak ", count: 500))
        try write("Public/css/style.css", "a{}")
        try write("Public/app.3f9c2b1e.js", "1")
        try write("Public/.hidden", "hidden")
        try write("Public/.git/config", "hidden")
        for (link, target) in [
            ("out", "../secret"), ("absolute", base.path + "/secret"), ("up", ".."), ("loop", "."),
            ("dot", ".hidden"),
            ("inside.css", "css/style.css"),
        ] {
            try files.createSymbolicLink(
                atPath: folder.appendingPathComponent(link).path, withDestinationPath: target)
        }
        return try body(folder.path)
    }

    private static func withFiles<Result>(_ body: (Server) throws -> Result) throws -> Result {
        let files = try withFolder { try StaticFiles(folder: $0) }
        let service = ClosureService { request, responder in
            responder.send(files.response(to: request) ?? Response(.notFound))
        }
        return try withServer(service, body)
    }

    private func get(_ path: String, _ fields: String = "", method: String = "GET", from server: Server)
        -> Reply?
    {
        let client = Client(port: server.port)
        client.send("\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        return client.answers(1, heads: method == "HEAD" ? [0] : []).first
    }

    @Test func `only regular files inside are known`() throws {
        let paths = try Self.withFolder { try StaticFiles(folder: $0).paths }
        #expect(paths == ["/", "/app.3f9c2b1e.js", "/css/style.css", "/index.html", "/inside.css"])
    }

    @Test func `a folder that is not there is an error with its name`() {
        #expect(throws: StaticFilesError.unreadable("/no/such/folder", "No such file or directory")) {
            try StaticFiles(folder: "/no/such/folder")
        }
    }

    @Test(arguments: [
        "/../secret", "/css/../../secret", "/%2e%2e/secret", "/..%2fsecret", "/%2e%2e%2fsecret",
        "/.%2e/secret",
        "/....//secret", "/..%5csecret", "/%252e%252e/secret", "/%c0%af../secret", "/out", "/absolute",
        "/up/secret",
        "/.hidden", "/.git/config", "/dot", "//index.html", "/./index.html", "/css", "/css/",
        "/index.html%00",
        "/loop/index.html",
    ])
    func `nothing else is found`(path: String) throws {
        try Self.withFiles { server in
            let reply = get(path, from: server)
            #expect(reply?.status == 404 || reply?.status == 400)
            #expect(reply?.text.contains("secret") == false)
        }
    }

    @Test func `types, caching and validators come with a file`() throws {
        try Self.withFiles { server in
            let page = try #require(get("/", from: server))
            #expect(page.field("content-type") == "text/html; charset=utf-8")
            #expect(page.field("cache-control") == "no-cache")
            #expect(page.field("content-security-policy")?.hasPrefix("default-src 'none'") == true)
            let etag = try #require(page.field("etag"))
            #expect(etag.hasPrefix("\"") && etag.hasSuffix("\""))
            #expect(get("/index.html", from: server)?.field("etag") == etag)
            #expect(get("/css/style.css", from: server)?.field("content-type") == "text/css; charset=utf-8")
            #expect(
                get("/app.3f9c2b1e.js", from: server)?.field("cache-control")
                    == "public, max-age=31536000, immutable")
            #expect(get("/", "Range: bytes=0-9\r\n", from: server)?.status == 200)

            for list in [etag, "W/\(etag)", "\"x\", \(etag)", "*"] {
                let reply = get("/", "If-None-Match: \(list)\r\n", from: server)
                #expect(reply?.status == 304)
                #expect(reply?.body == [])
                #expect(reply?.field("etag") == etag)
                #expect(reply?.field("vary") == "Accept-Encoding")
                #expect(reply?.field("cache-control") == "no-cache")
            }
            #expect(get("/", "If-None-Match: \"x\"\r\n", from: server)?.status == 200)
        }
    }

    @Test func `gzip goes to those who take it, under its own tag`() throws {
        try Self.withFiles { server in
            let plain = try #require(get("/", from: server))
            let small = try #require(get("/", "Accept-Encoding: gzip\r\n", from: server))
            #expect(small.field("content-encoding") == "gzip")
            #expect(small.field("vary") == "Accept-Encoding")
            #expect(plain.field("vary") == "Accept-Encoding")
            #expect(small.body.count < plain.body.count / 10)
            let tag = try #require(small.field("etag"))
            #expect(tag != plain.field("etag"))
            #expect(
                get("/", "Accept-Encoding: gzip\r\nIf-None-Match: \(tag)\r\n", from: server)?.status == 304)
            #expect(get("/", "If-None-Match: \(tag)\r\n", from: server)?.status == 200)
            #expect(get("/", "Accept-Encoding: gzip;q=0\r\n", from: server)?.body == plain.body)
            // Too short to gain anything.
            #expect(get("/css/style.css", "Accept-Encoding: gzip\r\n", from: server)?.text == "a{}")
            let head = get("/", "Accept-Encoding: gzip\r\n", method: "HEAD", from: server)
            #expect(head?.field("content-length") == "\(small.body.count)")
            #expect(head?.body == [])
        }
    }

    @Test func `a file is only read`() throws {
        try Self.withFiles { server in
            let reply = get("/", method: "DELETE", from: server)
            #expect(reply?.status == 405)
            #expect(reply?.field("allow") == "GET, HEAD")
        }
    }
}
