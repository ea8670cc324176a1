import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakStore
import Testing
import LeakPlatform

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import LeakCollector

@Suite struct ErasureTests {
    /// As many connections as a test wants.
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        return URLSession(configuration: configuration)
    }()

    private func delete(
        _ path: String, at address: String, secret: String?
    ) async throws -> (status: Int, erased: [String: Any]) {
        var request = URLRequest(url: try #require(URL(string: address + path)))
        request.httpMethod = "DELETE"
        if let secret { request.setValue("Bearer \(secret)", forHTTPHeaderField: "Authorization") }
        let (body, answer) = try await Self.session.data(for: request)
        return (
            try #require(answer as? HTTPURLResponse).statusCode,
            try JSONSerialization.jsonObject(with: body) as? [String: Any] ?? [:]
        )
    }

    @Test func `an install is forgotten by whoever may read, by nobody else`() async throws {
        let running = try RunningCollector()
        for install in ["a + b é", "other"] {
            let body = #"{"class": "A", "install": "\#(install)"}"#
            #expect(try running.post(body).status == 200)
        }
        let path = "/api/v1/installs/a%20+%20b%20%C3%A9"
        #expect(try await delete(path, at: running.address, secret: nil).status == 401)
        #expect(try await delete(path, at: running.address, secret: RunningCollector.key).status == 401)
        #expect(try running.json("/api/v1/summary")["recent_installs"] as? Int == 2)

        let (status, erased) = try await delete(path, at: running.address, secret: RunningCollector.token)
        #expect(status == 200)
        #expect(erased["left_in_log"] as? Bool == false)
        #expect(erased["samples"] as? Int ?? 0 >= 1 && erased["sets"] as? Int ?? 0 >= 2)
        #expect(try running.json("/api/v1/summary")["recent_installs"] as? Int == 1)
        let leaks = try #require(try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])
        #expect(leaks.first?["reports"] as? Int == 2 && leaks.first?["installs"] as? Int == 1)
        let again = try await delete(path, at: running.address, secret: RunningCollector.token).erased
        #expect(again["samples"] as? Int == 0 && again["sets"] as? Int == 0)
    }

    @Test func `an install that no report can have is refused`() async throws {
        let running = try RunningCollector()
        let (longest, token) = (String(repeating: "é", count: 64), RunningCollector.token)
        let path = "/api/v1/installs/" + longest.replacing("é", with: "%C3%A9")
        #expect(try await delete(path, at: running.address, secret: token).status == 200)
        let refused = try await delete(path + "a", at: running.address, secret: token)
        #expect(refused.status == 400)
        #expect(
            refused.erased["detail"] as? String == "the install is 129 bytes, at most 128: no report has it")
    }

    @Test func `the address answers DELETE alone`() throws {
        let running = try RunningCollector()
        let answer = try running.get("/api/v1/installs/a")
        #expect(answer.status == 405 && answer.field("allow") == "DELETE, OPTIONS")
        #expect(try running.get("/api/v1/installs/").status == 404)
    }

    @Test func `long erasures hold up no reader, and none of them holds up the end`() async throws {
        let slow = Guarded(0)
        let running = try RunningCollector(store: { EndlessErasing(store: $0, begun: slow) })
        let address = running.address
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            // One at work, as many as may wait, and one that may not.
            for number in 0...Erasure.limit {
                group.addTask {
                    try await delete(
                        "/api/v1/installs/\(number)", at: address, secret: RunningCollector.token
                    ).status
                }
            }
            let deadline = ContinuousClock.now + .seconds(60)
            while slow.with({ $0 }) == 0, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(10))
            }
            for _ in 0..<3 { #expect(try running.get("/api/v1/summary").status == 200) }
            // One more than may wait is told to come back at once.
            let refused = try await group.next()
            #expect(refused == 503)
            let start = ContinuousClock.now
            running.collector.stop(within: .seconds(60))
            #expect(ContinuousClock.now - start < .seconds(30))
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [Int](repeating: 503, count: Erasure.limit))
        #expect(slow.with { $0 } == 1)
    }
}

/// A store whose erasures end when nobody wants them any more.
private struct EndlessErasing: ForwardingStore {
    let store: any Store
    /// How many there were.
    let begun: Guarded<Int>

    func erase(install: UInt64, while isWanted: () -> Bool) throws(StoreError) -> Erased? {
        begun.with { $0 += 1 }
        begun.wakeAll()
        while isWanted() { usleep(10_000) }
        return nil
    }
}
