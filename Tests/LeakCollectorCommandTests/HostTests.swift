import Foundation
import LeakHTTPClient
import Testing

#if canImport(Darwin)
    private let stream = SOCK_STREAM
#else
    private let stream = Int32(SOCK_STREAM.rawValue)
#endif

/// The address on which the collector listens, and its log: usable addresses, the limit of open files, and a line for each
/// request.
@Suite struct HostTests {
    /// True if this machine has an IPv6 address to listen on.
    private static let hasIPv6: Bool = {
        let number = socket(AF_INET6, stream, 0)
        defer { close(number) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        } == 0
    }()

    private static func status(_ address: String) throws -> Int {
        var options = HTTPClient.Options()
        options.usesProxy = false
        return try HTTPClient(options).get(address + "/healthz").status
    }

    @Test(arguments: [
        ("127.0.0.1", "http://127.0.0.1:#", "http://localhost:#", ["127.0.0.1"]),
        ("0.0.0.0", "http://0.0.0.0:#", "http://localhost:#", ["127.0.0.1"]),
        ("localhost", "http://localhost:#", "http://localhost:#", ["localhost"]),
    ])
    func `the collector listens on the given host, and prints usable addresses`(
        host: String, listening: String, link: String, answers: [String]
    ) throws {
        try expect(host, listening: listening, link: link, answers: answers)
    }

    @Test(
        .enabled(if: hasIPv6, "this machine has no IPv6"),
        arguments: [
            ("*", "http://localhost:#", "http://localhost:#", ["127.0.0.1", "[::1]"]),
            ("::1", "http://[::1]:#", "http://[::1]:#", ["[::1]"]),
            ("::", "http://[::]:#", "http://[::1]:#", ["[::1]"]),
        ])
    func `the collector listens on IPv6, or on IPv4 and IPv6, and prints usable addresses`(
        host: String, listening: String, link: String, answers: [String]
    ) throws {
        try expect(host, listening: listening, link: link, answers: answers)
    }

    /// Starts a collector on a host, and checks its output and the hosts on which it answers.
    ///
    /// - Parameters:
    ///   - listening: the first line of the output, with `#` for the port.
    ///   - answers: the hosts on which the collector answers. On the others it must not answer.
    private func expect(_ host: String, listening: String, link: String, answers: [String]) throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path, flags: ["--host", host])
        func filled(_ text: String) -> String { text.replacingOccurrences(of: "#", with: "\(running.port)") }
        #expect(running.startupOutput.hasPrefix("listening on \(filled(listening))\n"))
        #expect(running.startupOutput.contains(" \(filled(link))/sign-in?code="))
        for answer in answers {
            #expect(try Self.status("http://\(answer):\(running.port)") == 200, "\(answer)")
        }
        for other in ["127.0.0.1", "[::1]"] where !answers.contains(other) && host != "localhost" {
            #expect(throws: (any Error).self) { try Self.status("http://\(other):\(running.port)") }
        }
        let health = try CollectorProcess.health(["--host", host, "--port", "\(running.port)"])
        #expect(health.code == 0, "\(health.errors)")
    }

    @Test func `the log says how many connections are possible if the limit of open files is too low`() throws
    {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path, openFiles: 300)
        #expect(running.errorsUntil("ulimit -n").contains("at most 172 connections at a time, not 1024"))
    }

    @Test(arguments: ["text", "json"])
    func `an access log has a line for each request, and no secret`(form: String) throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path, environment: ["COLLECTOR_ACCESS_LOG": form])
        let client = try HTTPClient()
        let code = try #require(
            running.startupOutput.components(separatedBy: "?code=").last?.prefix { !$0.isWhitespace })
        for path in [
            "/sign-in?to=%2F%3Fcode%3D\(code)", "/?c%6Fde=\(code)",
            "/api/v1/apps?token=\(CollectorProcess.token)",
            "/sign-in?code=\(code)", "/api/v1/installs/phone-of-somebody",
            "/api/1/envelope/?sentry_version=7&sentry%5Fkey=\(CollectorProcess.key)&Sentry_Key=\(CollectorProcess.key)",
        ] {
            _ = try client.get(
                running.address + path,
                fields: [
                    HTTPField("Authorization", "Bearer \(CollectorProcess.token)"),
                    HTTPField("User-Agent", "agent \"7\""), HTTPField("Cookie", "a=\(code)"),
                ])
        }
        _ = try client.post(
            Array("token=\(CollectorProcess.token)".utf8), to: running.address + "/sign-in?last",
            fields: [HTTPField("X-Leak-Key", CollectorProcess.key)])
        let log = running.outputUntil("/sign-in?last")
        for secret in [String(code), CollectorProcess.token, CollectorProcess.key, "phone-of-somebody"] {
            #expect(!log.contains(secret))
        }
        let lines = log.split(separator: "\n").filter {
            $0.contains(form == "text" ? "HTTP/1.1" : "\"version\"")
        }
        #expect(lines.count == 7, "\(log)")
        #expect(lines.allSatisfy { $0.contains("127.0.0.1") })
        if form == "json" {
            for line in lines {
                #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
            }
        } else {
            #expect(lines[0].contains("\"GET /sign-in?to=*** HTTP/1.1\" 200 "))
            #expect(lines[0].contains("\"agent \\x227\\x22\""))
        }
    }
}
