import Foundation
import HTTPClient
import Testing

/// What a newcomer does: `make run`, then `make demo`.
@Suite struct DemoTests {
    @Test func `the demo's real leaks arrive, each in its own group, and the late one as freed`() throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path)
        let demo = try CollectorProcess.run(
            [], environment: ["LEAK_ENDPOINT": running.address, "LEAK_KEY": CollectorProcess.key],
            program: "leak-demo")
        #expect(demo.code == 0, "\(demo.output) \(demo.errors)")

        let answer = try CurlClient().get(
            "\(running.address)/api/v1/leaks?app=com.example.leak-demo&limit=200",
            fields: [HTTPField("Authorization", "Bearer \(CollectorProcess.token)")])
        let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        let leaks = try #require(json?["leaks"] as? [[String: Any]])
        let own = leaks.filter {
            ($0["kind"] as? String) == "object" && !(($0["stack"] as? [String]) ?? []).isEmpty
        }
        #expect(own.count >= 8)
        for leak in own where leak["module"] as? String == "leak_demo" {
            #expect((leak["stack"] as? [String])?.last == leak["title"] as? String)
        }
        #expect(leaks.contains { ($0["freed"] as? Int ?? 0) > 0 && $0["state"] as? String == "slow" })
    }

    @Test func `a demo without a collector says what to do`() throws {
        let demo = try CollectorProcess.run(
            [], environment: ["LEAK_ENDPOINT": "http://127.0.0.1:1", "LEAK_KEY": "k"], program: "leak-demo")
        #expect(demo.code != 0)
        #expect((demo.output + demo.errors).contains("make run"))
    }
}
