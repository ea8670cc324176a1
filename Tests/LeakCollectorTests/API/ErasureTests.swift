import Foundation
import HTTPClient
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import LeakCollector

@Suite struct ErasureTests {
    private func delete(
        _ path: String, from running: RunningCollector, secret: String?
    ) async throws -> (status: Int, erased: [String: Any]) {
        var request = URLRequest(url: try #require(URL(string: running.address + path)))
        request.httpMethod = "DELETE"
        if let secret { request.setValue("Bearer \(secret)", forHTTPHeaderField: "Authorization") }
        let (body, answer) = try await URLSession.shared.data(for: request)
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
        #expect(try await delete(path, from: running, secret: nil).status == 401)
        #expect(try await delete(path, from: running, secret: RunningCollector.key).status == 401)
        #expect(try running.json("/api/v1/summary")["recent_installs"] as? Int == 2)

        let (status, erased) = try await delete(path, from: running, secret: RunningCollector.token)
        #expect(status == 200)
        #expect(erased["samples"] as? Int ?? 0 >= 1 && erased["sets"] as? Int ?? 0 >= 2)
        #expect(try running.json("/api/v1/summary")["recent_installs"] as? Int == 1)
        let leaks = try #require(try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])
        #expect(leaks.first?["reports"] as? Int == 2 && leaks.first?["installs"] as? Int == 1)
        let again = try await delete(path, from: running, secret: RunningCollector.token).erased
        #expect(again["samples"] as? Int == 0 && again["sets"] as? Int == 0)
    }

    @Test func `the address answers DELETE alone`() throws {
        let running = try RunningCollector()
        let answer = try running.get("/api/v1/installs/a")
        #expect(answer.status == 405 && answer.field("allow") == "DELETE, OPTIONS")
        #expect(try running.get("/api/v1/installs/").status == 404)
    }
}
