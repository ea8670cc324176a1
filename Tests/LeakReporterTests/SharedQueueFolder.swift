import Foundation
import LeakMessage
import LeakPlatform

@testable import LeakReporter

/// A folder that reporters of several runs share. It is removed when the test ends.
final class SharedQueueFolder {
    let folder = NSTemporaryDirectory() + "/reporter-" + UUID().uuidString
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func reporter(
        _ transport: FakeTransport, _ change: (inout LeakReporter.Configuration) -> Void = { _ in },
        now: @escaping @Sendable () -> CurrentTime = { .now }
    ) -> LeakReporter {
        var configuration = LeakReporter.Configuration(
            endpoint: "http://localhost:8080", key: "k", app: AppInfo(id: "a", version: "1"),
            install: .none)
        configuration.storage = .folder(folder)
        change(&configuration)
        return LeakReporter(
            configuration, backoff: Backoff(firstMilliseconds: 2, longestMilliseconds: 5), { $0.now = now }
        ) { transport }
    }

    var files: [String] {
        FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }.sorted() ?? []
    }
}
