import Dispatch
import Foundation
import LeakMessage
import Testing
import LeakPlatform
import UIKit

@testable import LeakReporter

/// The background state belongs to the whole process, so one check runs at a time.
@Suite(.serialized) struct BackgroundChecks {
    private let activities = ExpiringActivities.ofThisProcess
    private let transport = FakeTransport { _, _ in FakeTransport.accepted() }

    private func reporter(_ transport: FakeTransport) -> LeakReporter {
        var configuration = LeakReporter.Configuration(
            endpoint: "http://localhost:8080", key: "k", app: AppInfo(id: "a"), install: .none)
        configuration.storage = .memory
        // No batch becomes due within a check.
        configuration.bounds.gatherMilliseconds = 600_000
        configuration.bounds.gatherDenominatorsMilliseconds = 600_000
        return LeakReporter(configuration) { transport }
    }

    /// Posts a notification on the main actor, as the system does.
    private func post(_ name: Notification.Name) async {
        await MainActor.run { NotificationCenter.default.post(name: name, object: nil) }
    }

    private func sessions() throws -> [[String: Any]] {
        try transport.batches().flatMap { $0["sessions"] as? [[String: Any]] ?? [] }
    }

    @Test(
        arguments: [
            (UIApplication.didEnterBackgroundNotification, UIApplication.willEnterForegroundNotification),
            (.NSExtensionHostDidEnterBackground, .NSExtensionHostWillEnterForeground),
        ])
    func
        `when the app enters the background its session ends and is sent, and on its return the next session begins`(
            leave: Notification.Name, comeBack: Notification.Name
        ) async throws
    {
        let reporter = reporter(transport)
        reporter.startSession { [ClassChecks(className: "Shop.Cart", count: 1)] }
        await post(leave)
        #expect(eventually { reporter.statistics.batches == 1 && activities.runningCount == 0 })
        #expect(try sessions().count == 1)
        await post(comeBack)
        await post(leave)
        #expect(eventually { reporter.statistics.batches == 2 && activities.runningCount == 0 })
        #expect(try sessions().count == 2)
    }

    @Test
    func `reports that an app records in its own observer of the background notification are sent`() async {
        let reporter = reporter(transport)
        let name = UIApplication.didEnterBackgroundNotification
        let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
            reporter.record(message: "leak")
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        await post(name)
        #expect(eventually { reporter.statistics.sent == 1 && activities.runningCount == 0 })
    }

    @Test
    func `when the background time is up, the activity ends although a batch is still being sent`() async {
        let answer = DispatchSemaphore(value: 0)
        let slow = FakeTransport { _, _ in
            answer.wait()
            return FakeTransport.accepted()
        }
        let reporter = reporter(slow)
        reporter.record(message: "leak")
        await post(UIApplication.didEnterBackgroundNotification)
        #expect(eventually { slow.posts.count == 1 })
        #expect(activities.runningCount == 1)
        activities.expire()
        #expect(eventually { activities.runningCount == 0 })
        answer.signal()
        #expect(eventually { reporter.statistics.sent == 1 })
    }

    @Test func `a session also ends if the system gives no background time`() async throws {
        let reporter = reporter(transport)
        reporter.startSession { [ClassChecks(className: "Shop.Cart", count: 1)] }
        #expect(eventually { reporter.thread.publishedState.with { $0.hasSession } })
        await MainActor.run {
            activities.refusing {
                NotificationCenter.default.post(
                    name: UIApplication.didEnterBackgroundNotification, object: nil)
            }
        }
        #expect(eventually { !reporter.thread.publishedState.with { $0.hasSession } })
        #expect(transport.posts.isEmpty)
    }

    @Test func `a freed reporter observes no more notifications`() async {
        let before = activities.count
        do { _ = reporter(transport) }
        await post(UIApplication.didEnterBackgroundNotification)
        #expect(activities.count == before)
    }
}
