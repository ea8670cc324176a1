import LeakCollectorSupport
import LeakFaultyPeers
import Foundation
import LeakCollector
import Testing
import LeakPlatform

@testable import LeakReporter

/// The end of a process that calls `exit`, or returns from `main`.
@Suite struct ReporterExitTests {
    private func run(_ folder: TestFolder, _ port: Int, _ arguments: [String]) throws -> Double {
        let start = Date()
        let app = try ReporterAppProcess(
            ["folder=\(folder.path)", "endpoint=http://127.0.0.1:\(port)", "key=\(RunningCollector.key)"]
                + arguments)
        _ = app.wait()
        return Date().timeIntervalSince(start)
    }

    @Test func `reports of an app that exits are sent before its end, or without a network by its next run`()
        async throws
    {
        let (online, offline, seconds) = try await onThreadOfItsOwn {
            let collector = try RunningCollector()
            let folder = TestFolder()
            defer { folder.remove() }
            let isOffline = Guarded(false)
            // One address for all runs: reports that wait for another address are not sent.
            let proxy = try FaultyProxy(to: collector.port) { _ in
                isOffline.with { $0 } ? Fault(request: .init(cut: .init(afterBytes: 0, .reset))) : .none
            }
            defer { proxy.stop() }
            _ = try run(folder, proxy.port, ["class=Exit.Online", "count=5", "exits=yes"])
            let online = try collector.reportsByClass(ofApp: "com.acme.kills")["Exit.Online"]
            isOffline.with { $0 = true }
            let seconds = try run(folder, proxy.port, ["class=Exit.Offline", "count=5", "exits=yes"])
            isOffline.with { $0 = false }
            _ = try run(folder, proxy.port, ["flush=60"])
            let offline = try collector.reportsByClass(ofApp: "com.acme.kills")["Exit.Offline"]
            return (online, offline, seconds)
        }
        #expect(online == 5)
        #expect(offline == 5)
        // On an idle machine the run takes at most a second.
        #expect(seconds < 30)
    }
}
