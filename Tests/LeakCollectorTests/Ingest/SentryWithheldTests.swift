import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakHTTPVectors
import LeakStore
import Testing

@testable import LeakCollector

/// When a batch must be sent again, the project's own reporter gets an error response. A Sentry SDK gets no response,
/// because it would drop the event after an error response.
@Suite struct SentryWithheldTests {
    private static func request(_ body: [UInt8]) -> [UInt8] {
        let field = RunningCollector.sentryField
        let head = """
            POST /api/1/envelope/ HTTP/1.1\r\nHost: a\r\n\(field.name): \(field.value)\r\n\
            Content-Length: \(body.count)\r\n\r\n
            """
        return Array(head.utf8) + body
    }

    @Test(arguments: [StoreError.Reason.diskFull, .databaseFull, .locked, .uncertain, .corrupt, .other])
    func `an event that cannot be written gets no response, and is counted when it is sent again`(
        reason: StoreError.Reason
    ) throws {
        let running = try RunningCollector(store: { FailingStore($0, failures: 1, reason: reason) })
        let first = Client(port: running.port)
        first.send(Self.request(try SentryCapture.message.bytes))
        #expect(first.waitForEnd(milliseconds: 60_000))
        #expect(first.received.isEmpty)
        // After the error `uncertain`, requests fail until the maintenance loop finds that the database can be used again.
        var status = 0
        for _ in 0..<12_000 where status != 200 {
            let again = Client(port: running.port)
            again.send(Self.request(try SentryCapture.message.bytes))
            status = again.answers(1, milliseconds: 60_000).first?.status ?? 0
            if status != 200 { Client.pause() }
        }
        #expect(status == 200)
        #expect(try running.json("/api/v1/summary")["reports"] as? Int == 3)
    }

    @Test func `if the database is missing, a reporter gets 503, and a Sentry SDK gets no response`()
        throws
    {
        let running = try RunningCollector()
        try FileManager.default.removeItem(atPath: running.folder)
        var status = 200
        for _ in 0..<12_000 where status != 503 {
            status = try running.post(#"{"class":"One"}"#).status
            Client.pause()
        }
        #expect(status == 503)
        let client = Client(port: running.port)
        client.send(Array(Self.request([UInt8](repeating: 0x20, count: 500_000)).dropLast(499_990)))
        #expect(client.waitForEnd(milliseconds: 60_000))
        #expect(client.received.isEmpty)
    }
}
