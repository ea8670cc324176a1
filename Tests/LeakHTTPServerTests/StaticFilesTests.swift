import Foundation
@testable import LeakHTTPServer
import LeakHTTPVectors
import Testing

@Suite struct StaticFilesTests {
    /// Runs `body` with a folder that contains files that may be served and files that must not be served.
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

    @Test func `StaticFiles finds only regular files inside its folder`() throws {
        let paths = try Self.withFolder { try StaticFiles(folder: $0).paths }
        #expect(paths == ["/", "/app.3f9c2b1e.js", "/css/style.css", "/index.html", "/inside.css"])
    }

    @Test func `StaticFiles leaves out files whose names have characters that no request can contain`() throws
    {
        let paths = try Self.withFolder { folder in
            for name in ["z\u{80}", "z\u{9F}a", "z\u{7F}", "z\\a", "zg\u{A0}", "zh\u{E9}.txt"] {
                try Data().write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
            }
            return try StaticFiles(folder: folder).paths
        }
        #expect(paths.filter { $0.hasPrefix("/z") } == ["/zg\u{A0}", "/zh\u{E9}.txt"])
    }

    @Test func `StaticFiles of a missing folder throws an error that names the folder`() {
        #expect(
            throws: StaticFilesError.unreadable(path: "/no/such/folder", reason: "No such file or directory")
        ) {
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
    func `no path leads to a folder, to a hidden file or out of the folder`(path: String) throws {
        try Self.withFiles { server in
            let reply = get(path, from: server)
            #expect(reply?.status == 404 || reply?.status == 400)
            #expect(reply?.text.contains("secret") == false)
        }
    }

    @Test(arguments: [
        ("/app.3f9c2b1e.js", true), ("/app.3F9C2B1E.min.js", true), ("/report.20261121.csv", false),
        ("/my.facade.js", false), ("/my.deadbeef.js", false), ("/3f9c2b1e.js", false),
        ("/app.3f9c2b1\u{FF11}.js", false),
    ])
    func `a file is cached as immutable only if a middle part of its name is a hash`(
        path: String, isHash: Bool
    ) {
        #expect(StaticFiles.cacheControl(path).hasSuffix("immutable") == isHash)
    }

    @Test func `a file is sent with its media type, Cache-Control and ETag`() throws {
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

    @Test func `gzip is sent to clients that accept it, with an ETag of its own`() throws {
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
            // The file is too short for compression.
            #expect(get("/css/style.css", "Accept-Encoding: gzip\r\n", from: server)?.text == "a{}")
            let head = get("/", "Accept-Encoding: gzip\r\n", method: "HEAD", from: server)
            #expect(head?.field("content-length") == "\(small.body.count)")
            #expect(head?.body == [])
        }
    }

    @Test func `a DELETE of a file gets 405 with the allowed methods`() throws {
        try Self.withFiles { server in
            let reply = get("/", method: "DELETE", from: server)
            #expect(reply?.status == 405)
            #expect(reply?.field("allow") == "GET, HEAD, OPTIONS")
            let options = get("/", method: "OPTIONS", from: server)
            #expect(options?.status == 204)
            #expect(options?.field("allow") == "GET, HEAD, OPTIONS")
        }
    }

    @Test func `ranges of a file are not sent, and the response does not offer them`() throws {
        try Self.withFiles { server in
            for fields in ["Range: bytes=0-9\r\n", "Range: bytes=0-9\r\nIf-Range: \"x\"\r\n", ""] {
                let reply = get("/index.html", fields, from: server)
                #expect(reply?.status == 200)
                #expect(reply?.field("accept-ranges") == "none")
                #expect(reply?.body.count == 2503)
            }
        }
    }

    @Test func `If-Modified-Since is ignored, and responses have no Last-Modified`() throws {
        try Self.withFiles { server in
            let date = "If-Modified-Since: Sat, 01 Jan 2050 00:00:00 GMT\r\n"
            let reply = get("/", date, from: server)
            #expect(reply?.status == 200)
            #expect(reply?.field("last-modified") == nil)
            #expect(get("/", date + "If-None-Match: \"x\"\r\n", from: server)?.status == 200)
        }
    }

    /// The requests are for the file, for its compressed form, and with a condition that gives 304.
    @Test(arguments: ["", "Accept-Encoding: gzip\r\n", "If-None-Match: *\r\n"])
    func `the response to HEAD has the fields of the response to GET, and no body`(fields: String) throws {
        try Self.withFiles { server in
            let whole = try #require(get("/", fields, from: server))
            let head = try #require(get("/", fields, method: "HEAD", from: server))
            #expect(head.status == whole.status)
            #expect(head.body.isEmpty)
            func describedFields(_ reply: Reply) -> [String] {
                reply.fields.map { "\($0.name): \($0.value)" }.filter { !$0.hasPrefix("Date:") }
            }
            #expect(describedFields(head) == describedFields(whole))
        }
    }

    /// File names may contain nearly every byte; paths of requests may not.
    @Test(arguments: [
        ("a b.txt", "/a%20b.txt", 200), ("a b.txt", "/a+b.txt", 404), ("a+b.txt", "/a+b.txt", 200),
        ("100%.txt", "/100%25.txt", 200), ("100%.txt", "/100%2525.txt", 404), ("%41.txt", "/%2541.txt", 200),
        ("%41.txt", "/A.txt", 404), ("{x}.txt", "/%7Bx%7D.txt", 200), ("ä.txt", "/%C3%A4.txt", 200),
        ("ä.txt", "/a%CC%88.txt", 404), ("a\u{308}.txt", "/a%CC%88.txt", 200), ("a?b.txt", "/a%3Fb.txt", 200),
        ("a?b.txt", "/a?b.txt", 404), ("a#b.txt", "/a%23b.txt", 200), ("a;b=c.txt", "/a;b=c.txt", 200),
        ("a\\b.txt", "/a%5Cb.txt", 400), ("a\nb.txt", "/a%0Ab.txt", 400), ("..a.txt", "/..a.txt", 404),
        (".\u{301}a.txt", "/.%CC%81a.txt", 404), ("a..", "/a..", 200), ("INDEX.HTML", "/", 404),
        ("index.html", "/", 200), ("index.html", "/?a=/../b", 200), ("index.html", "//", 404),
        ("index.html", "/%2e", 404), ("index.html", "http://a", 200), ("index.html", "/index.html/", 404),
    ])
    func `a path is decoded once to find a file whose name has unusual characters`(
        name: String, path: String, status: Int
    ) throws {
        let folder = try Scratch()
        try folder.write(name, "x")
        let files = try StaticFiles(folder: folder.path)
        let service = ClosureService { request, responder in
            responder.send(files.response(to: request) ?? Response(.notFound))
        }
        try withServer(service) { server in #expect(get(path, from: server)?.status == status) }
    }

    /// Reading a pipe would block forever, and reading a device would never end.
    @Test func `pipes, folders, and links to devices or missing files are not served`() throws {
        let folder = try Scratch()
        try folder.write("a.txt", "x")
        unsafe #expect(mkfifo("\(folder.path)/pipe.txt", 0o600) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/zero.txt", withDestinationPath: "/dev/zero")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/nowhere.txt", withDestinationPath: "missing")
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/b.txt", withIntermediateDirectories: true)
        #expect(try StaticFiles(folder: folder.path).paths == ["/a.txt"])
    }

    @Test func `a folder over the limit of bytes gives an error of one line`() throws {
        let folder = try Scratch()
        try folder.write("a", String(repeating: "a", count: 700))
        try folder.write("b", String(repeating: "b", count: 324))
        #expect(try StaticFiles(folder: folder.path, limit: 1024).paths == ["/a", "/b"])
        #expect(throws: StaticFilesError.tooLarge(folder: folder.path, limit: 1023)) {
            try StaticFiles(folder: folder.path, limit: 1023)
        }
        let words = StaticFilesError.tooLarge(folder: "/srv/Public", limit: StaticFiles.defaultLimit)
            .description
        #expect(
            words == "/srv/Public has more than 64 MiB, but its files are kept in memory: remove some files")
    }

    @Test(arguments: [
        ("a.html", "text/html; charset=utf-8"), ("a.HTML", "text/html; charset=utf-8"),
        ("a.tar.gz", "application/gzip"), ("a.mjs", "text/javascript; charset=utf-8"),
        ("a.svg", "image/svg+xml"), ("a.json", "application/json"), ("a.woff2", "font/woff2"),
        ("html", "application/octet-stream"), ("a.", "application/octet-stream"),
        ("a.unknown", "application/octet-stream"),
    ])
    func `a file's media type follows from its name`(name: String, type: String) throws {
        let folder = try Scratch()
        try folder.write(name, "x")
        let files = try StaticFiles(folder: folder.path)
        let reply = try withRequest("GET /\(name) HTTP/1.1\r\nHost: a\r\n\r\n") { files.response(to: $0) }
        #expect(reply?.type == type)
    }

    /// A temporary folder of one test. It is removed on deinitialization.
    private final class Scratch {
        let path: String

        init() throws {
            // The real path, because the temporary folder of a Mac is a symbolic link.
            let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
            path = "\(base)/static-files-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        func write(_ name: String, _ text: String) throws {
            try #require(FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data(text.utf8)))
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }
}
