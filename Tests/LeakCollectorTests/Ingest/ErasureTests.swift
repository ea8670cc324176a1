import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakPlatform
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct ErasureTests {
    private func delete(
        _ path: String, of running: RunningCollector, secret: String?
    ) throws -> (status: Int, json: [String: Any]) {
        let answer = try running.delete(
            path, fields: secret.map { [HTTPField("Authorization", "Bearer \($0)")] } ?? [])
        return (answer.status, try answer.json)
    }

    @Test func `an install is erased only if the request has an access token`() throws {
        let running = try RunningCollector()
        for install in ["a + b é", "other"] {
            let body = #"{"class": "A", "install": "\#(install)"}"#
            #expect(try running.post(body).status == 200)
        }
        let path = "/api/v1/installs/a%20+%20b%20%C3%A9"
        #expect(try delete(path, of: running, secret: nil).status == 401)
        #expect(try delete(path, of: running, secret: RunningCollector.key).status == 401)
        #expect(try running.json("/api/v1/summary")["recent_installs"] as? Int == 2)

        let (status, erased) = try delete(path, of: running, secret: RunningCollector.token)
        #expect(status == 200)
        #expect(erased["left_in_log"] as? Bool == false)
        #expect(erased["samples"] as? Int ?? 0 >= 1 && erased["sets"] as? Int ?? 0 >= 2)
        #expect(try running.json("/api/v1/summary")["recent_installs"] as? Int == 1)
        let leaks = try #require(try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])
        #expect(leaks.first?["reports"] as? Int == 2 && leaks.first?["installs"] as? Int == 1)
        let again = try delete(path, of: running, secret: RunningCollector.token).json
        #expect(again["samples"] as? Int == 0 && again["sets"] as? Int == 0)
    }

    @Test func `the id of an install to erase may have at most 128 bytes`() throws {
        let running = try RunningCollector()
        let (longest, token) = (String(repeating: "é", count: 64), RunningCollector.token)
        let path = "/api/v1/installs/" + longest.replacing("é", with: "%C3%A9")
        #expect(try delete(path, of: running, secret: token).status == 200)
        let refused = try delete(path + "a", of: running, secret: token)
        #expect(refused.status == 400)
        #expect(
            refused.json["detail"] as? String
                == "the id of the install is 129 bytes, the limit is 128; check it"
        )
    }

    @Test func `the URL of an install accepts DELETE and refuses GET`() throws {
        let running = try RunningCollector()
        let answer = try running.get("/api/v1/installs/a")
        #expect(answer.status == 405 && answer.field("allow") == "DELETE, OPTIONS")
        #expect(try running.get("/api/v1/installs/").status == 404)
    }

    @Test func `long erasures delay neither readers nor the end of the collector`() throws {
        let begunErasureCount = Guarded(0)
        let running = try RunningCollector(store: {
            EndlessErasureStore(store: $0, begunErasureCount: begunErasureCount)
        })
        let address = running.address
        let statuses = Guarded([Int]())
        // As many requests as may run or wait, and one request more.
        let callers = (0...Erasure.maxRequestCount).map { number in
            WorkerThread(name: "erase") {
                var options = HTTPClient.Options()
                // The requests end when the collector stops.
                options.totalMilliseconds = 3_600_000
                options.usesProxy = false
                let answer = try? HTTPClient(options).delete(
                    "\(address)/api/v1/installs/\(number)",
                    fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
                statuses.with { $0.append(answer?.status ?? 0) }
                statuses.wakeAll()
            }
        }
        try #require(begunErasureCount.wait(timeout: .seconds(600)) { $0 > 0 ? true : nil } == true)
        for _ in 0..<3 { #expect(try running.get("/api/v1/summary").status == 200) }
        // The request beyond the limit of waiting requests is rejected with 503 at once.
        #expect(statuses.wait(timeout: .seconds(600)) { $0.first } == 503)
        #expect(statuses.with { $0.count } == 1)
        // An erasure that is not stopped would leave its caller without an answer.
        running.collector.stop(within: .seconds(600))
        for caller in callers { caller.join() }
        #expect(statuses.with { $0 } == [Int](repeating: 503, count: Erasure.maxRequestCount + 1))
        #expect(begunErasureCount.with { $0 } == 1)
    }
}

/// A store whose erasures run until the caller stops them.
private struct EndlessErasureStore: ForwardingStore {
    let store: any Store
    /// Number of erasures that have begun.
    let begunErasureCount: Guarded<Int>

    func erase(
        install: UInt64, audit entry: AuditEntry?, while isWanted: () -> Bool
    ) throws(StoreError) -> ErasureResult? {
        begunErasureCount.with { $0 += 1 }
        begunErasureCount.wakeAll()
        while isWanted() { usleep(10_000) }
        return nil
    }
}
