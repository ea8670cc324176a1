import LeakCollectorSupport
import Foundation
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct CredentialsTests {
    @Test func `collectors that start together with the same environment store each secret once`() throws {
        let folder = NSTemporaryDirectory() + "credentials-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try Collector.openStore(folder: folder, isServer: true)
        var settings = Settings()
        settings.ingestKey = RunningCollector.key
        settings.accessToken = RunningCollector.token
        // Each collector has read the credentials before the other wrote.
        for _ in 0..<2 {
            let made = try Credentials(store: store).prepare(
                settings: settings, storedCredentials: [], now: 1)
            #expect(made.ingestKey == nil && made.accessToken == nil)
        }
        let kept = try store.makeReader().credentials(includingEnded: true, now: 1)
        #expect(kept.map(\.purpose) == [.ingest, .access])
    }
}
