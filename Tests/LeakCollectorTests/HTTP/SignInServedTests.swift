import LeakCollectorSupport
import LeakHTTPClient
import LeakHTTPServer
import LeakHTTPVectors
import LeakStore
import Testing
import LeakPlatform

@testable import LeakCollector

/// Signing in over real sockets, and limits for senders that are not signed in: wrong tokens, waiting requests, and addresses
/// behind a proxy.
@Suite struct SignInServedTests {
    private static let form = "application/x-www-form-urlencoded"

    private func postRequest(_ path: String, _ body: String, _ fields: String = "") -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: \(Self.form)\r\n\(fields)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test func `requests for the page of a sign-in link do not use the link up, but its form does`() throws {
        let running = try RunningCollector()
        let code = try #require(running.collector.startupInfo.signInLink.split(separator: "=").last)
        let client = Client(port: running.port)
        client.send("HEAD /sign-in?code=\(code) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(client.answers(1, heads: [0]).first?.status == 200)
        for _ in 0..<3 {
            let page = try running.get("/sign-in?code=\(code)&to=%2Freleases", fields: [])
            #expect(page.status == 200 && page.field("Set-Cookie") == nil)
            #expect(page.field("Cache-Control") == "no-store" && page.field("ETag") == nil)
            #expect(page.text.contains(#"<input type="hidden" name="code" value="\#(code)">"#))
            #expect(page.text.contains(#"<input type="hidden" name="to" value="/releases">"#))
            #expect(page.text.split(separator: "<button").count == 2)
        }
        let foreign = [HTTPField("Origin", "http://evil.example")]
        #expect(try running.post("code=\(code)", Self.form, to: "/sign-in", fields: foreign).status == 403)
        let own = [HTTPField("Origin", running.address)]
        let opened = try running.post("code=\(code)&to=%2Freleases", Self.form, to: "/sign-in", fields: own)
        #expect(opened.status == 303 && opened.field("Location") == "/releases")
        #expect(opened.field("Set-Cookie") != nil)
        let used = try running.get("/sign-in?code=\(code)", fields: [])
        #expect(used.status == 403 && used.text.contains("was used before") && !used.text.contains(code))
    }

    @Test func `guessed tokens and readiness checks do not use up the limit of waiting page requests`()
        throws
    {
        let gate = Guarded((isOpen: false, waiting: 0))
        let running = try RunningCollector(store: { WaitingStore(store: $0, gate: gate) })
        let signedIn = try running.post(
            "token=\(RunningCollector.token)", Self.form, to: "/sign-in", fields: [])
        let cookie = try #require(signedIn.field("Set-Cookie")?.split(separator: ";").first)
        // Both reader threads are busy until the gate opens.
        let busy = (0..<2).map { _ in Client(port: running.port) }
        let bearer = "Authorization: Bearer \(RunningCollector.token)\r\n"
        for client in busy {
            client.send(
                "POST /api/v1/leaks/00000000000000000000000000000000/decisions HTTP/1.1\r\nHost: a\r\n\(bearer)"
                    + "Content-Type: application/json\r\nContent-Length: 19\r\n\r\n{\"action\":\"reopen\"}")
        }
        #expect(gate.wait(timeout: .seconds(60)) { $0.waiting == 2 ? true : nil } == true)

        let asking = (0..<40).map { _ in Client(port: running.port) }
        for client in asking {
            client.send(String(repeating: "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n", count: 32))
        }
        let guessing = (0..<40).map { _ in Client(port: running.port) }
        let cookies = "Cookie: leaks_session_0=guess\r\nOrigin: http://a\r\n"
        for client in guessing {
            client.send(postRequest("/sign-in", "code=guess") + postRequest("/sign-out", "", cookies))
            client.send(String(repeating: postRequest("/sign-in", "token=guess"), count: 30))
        }
        // Guesses are answered even if no reader thread is free.
        for client in guessing {
            let statuses = client.answers(32, milliseconds: 60_000).map(\.status)
            #expect(statuses.prefix(2) == [403, 303])
            // The first attempt that is rejected without being read closes its connection.
            #expect(statuses.dropFirst(2).dropLast().allSatisfy { $0 == 403 } && statuses.last == 429)
        }
        let reader = Client(port: running.port)
        reader.send("GET / HTTP/1.1\r\nHost: a\r\nCookie: \(cookie)\r\n\r\n")
        gate.with { $0.isOpen = true }
        gate.wakeAll()
        #expect(reader.answers(1, milliseconds: 60_000).first?.status == 200)
        for client in asking {
            #expect(
                client.answers(32, milliseconds: 60_000).map(\.status) == [Int](repeating: 200, count: 32))
        }
    }

    @Test
    func `a connection is closed after more than ten wrong tokens, but stays open with the right token`()
        throws
    {
        let clock = Guarded<Int64>(1_700_000_000_000)
        let running = try RunningCollector(now: { clock.with { $0 } })
        func ask(_ token: String) -> String {
            "GET /api/v1/summary HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
        }
        let guessing = Client(port: running.port)
        guessing.send(String(repeating: ask("guess"), count: 32))
        let answers = guessing.answers(32, milliseconds: 60_000)
        #expect(answers.map(\.status) == [Int](repeating: 401, count: SignInAttempts.maxFailures + 1))
        let right = Client(port: running.port)
        right.send(String(repeating: ask(RunningCollector.token), count: 3))
        #expect(right.answers(3, milliseconds: 60_000).map(\.status) == [200, 200, 200])
        // The form still accepts the right token from the same address.
        let form = try running.post("token=\(RunningCollector.token)", Self.form, to: "/sign-in", fields: [])
        #expect(form.status == 303)
        clock.with { $0 += 60_000 }
        let later = Client(port: running.port)
        later.send(String(repeating: ask("guess"), count: 3))
        #expect(later.answers(3, milliseconds: 60_000).map(\.status) == [401, 401, 401])
    }

    /// The test passes if the response can be read in one of five attempts, because a busy machine may delay a client.
    /// The first sender sends 50 KB/s for two seconds, the second one 500 KB/s for six seconds.
    @Test(arguments: [("wrong", 100_000, 100, 401), (RunningCollector.key, 3_000_000, 300, 413)])
    func `a slow sender whose request is rejected can still read the response`(
        key: String, length: Int, steps: Int, status: Int
    ) throws {
        let running = try RunningCollector()
        let isRead = (0..<5).contains { _ in
            let client = Client(port: running.port)
            client.send(
                "POST /api/v1/reports HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(key)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(length)\r\n\r\n")
            let isSent = (0..<steps).allSatisfy { _ in
                for _ in 0..<4 { Client.pause() }
                return client.send([UInt8](repeating: 0x20, count: length / steps))
            }
            return isSent && client.answers(1).first?.status == status
        }
        #expect(isRead)
    }

    @Test
    func `after too many wrong tokens the sign-in form rejects even the right token; a sign-in link works`()
        throws
    {
        let running = try RunningCollector()
        for _ in 0..<SignInAttempts.maxFailures {
            #expect(try running.post("token=guess", Self.form, to: "/sign-in", fields: []).status == 403)
        }
        let token = "token=\(RunningCollector.token)"
        let refused = try running.post(token, Self.form, to: "/sign-in", fields: [])
        // If six seconds have passed on a busy machine, the address may try again.
        if refused.status != 303 {
            #expect(refused.status == 429 && refused.field("Retry-After") != nil)
            #expect(refused.text.contains("Too many wrong tokens"))
        }
        #expect(try running.get("/api/v1/summary").status == 200)
        #expect(try running.useSignInLink().status == 303)
    }

    @Test func `failed sign-ins are counted for the client's address that a trusted proxy forwards`() throws {
        let clock = Guarded<Int64>(1_700_000_000_000)
        let proxy = try IPNetwork("127.0.0.1")
        let running = try RunningCollector({ $0.trustedProxies = [proxy] }, now: { clock.with { $0 } })
        func signIn(_ token: String, from address: String) throws -> HTTPResponse {
            try running.post(
                "token=\(token)", Self.form, to: "/sign-in",
                fields: [HTTPField("X-Forwarded-For", address), HTTPField("X-Forwarded-Proto", "https")])
        }
        for _ in 0..<10 { #expect(try signIn("guess", from: "203.0.113.7").status == 403) }
        #expect(try signIn(RunningCollector.token, from: "203.0.113.7").status == 429)
        #expect(try signIn(RunningCollector.token, from: "1.1.1.1, 203.0.113.7").status == 429)
        let opened = try signIn(RunningCollector.token, from: "198.51.100.9")
        #expect(opened.status == 303)
        #expect(opened.field("Set-Cookie")?.hasSuffix("; Secure") == true)
    }

    @Test func `no proxy is trusted by default, not even a proxy on the same machine`() throws {
        let clock = Guarded<Int64>(1_700_000_000_000)
        let running = try RunningCollector(now: { clock.with { $0 } })
        func signIn(_ token: String, from address: String) throws -> HTTPResponse {
            try running.post(
                "token=\(token)", Self.form, to: "/sign-in",
                fields: [HTTPField("X-Forwarded-For", address), HTTPField("X-Forwarded-Proto", "https")])
        }
        let opened = try signIn(RunningCollector.token, from: "198.51.100.9")
        #expect(opened.field("Set-Cookie")?.contains("Secure") == false)
        for number in 0..<10 { #expect(try signIn("guess", from: "203.0.113.\(number)").status == 403) }
        #expect(try signIn(RunningCollector.token, from: "198.51.100.9").status == 429)
    }
}

/// A store whose decisions wait until the gate opens.
private struct WaitingStore: ForwardingStore {
    let store: any Store
    let gate: Guarded<(isOpen: Bool, waiting: Int)>

    func decide(
        _ decision: Decision, about leaks: [LeakID], audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> PastDecision? {
        gate.with { $0.waiting += 1 }
        gate.wakeAll()
        let _: Void? = gate.wait(timeout: .seconds(60)) { $0.isOpen ? () : nil }
        return nil
    }
}
