import Foundation
import LeakMessage
import LeakTransport
import Testing
import LeakPlatform

@testable import LeakReporter

/// Transitions to the background and back, as ``BackgroundObserver`` reports them on Apple's systems.
@Suite struct BackgroundFlushTests {
    private let transport = FakeTransport { _, _ in FakeTransport.accepted() }

    private func reporter(
        _ transport: FakeTransport, _ change: (inout LeakReporter.Configuration) -> Void = { _ in }
    ) -> LeakReporter {
        var configuration = LeakReporter.Configuration(
            endpoint: "http://localhost:8080", key: "k", app: AppInfo(id: "a", version: "1"),
            install: .none)
        configuration.storage = .memory
        // No batch is sent automatically during a test.
        configuration.bounds.gatherMilliseconds = 600_000
        configuration.bounds.gatherDenominatorsMilliseconds = 600_000
        change(&configuration)
        return LeakReporter(
            configuration, backoff: Backoff(firstMilliseconds: 600_000, longestMilliseconds: 3_600_000)
        ) { transport }
    }

    private func backgroundFlush(_ reporter: LeakReporter, milliseconds: Int = 60_000) -> BackgroundFlush {
        BackgroundFlush(reporter.thread, milliseconds: milliseconds)
    }

    /// Runs the flush on a separate thread, as the system does.
    private func waitUntilSent(_ backgroundFlush: BackgroundFlush) -> Guarded<Bool> {
        let isOver = Guarded(false)
        Thread.detachNewThread {
            backgroundFlush.waitUntilSent()
            isOver.with { $0 = true }
        }
        return isOver
    }

    private func sessions() throws -> [[String: Any]] {
        try transport.batches().flatMap { $0["sessions"] as? [[String: Any]] ?? [] }
    }

    @Test func `the session ends and waiting records are sent before the system may suspend the app`() throws
    {
        let reporter = reporter(transport)
        reporter.startSession { [ClassChecks(className: "Shop.Cart", count: 3)] }
        reporter.record(message: "leak")
        let backgroundFlush = backgroundFlush(reporter)
        backgroundFlush.handOver()
        backgroundFlush.waitUntilSent()
        #expect(reporter.statistics.sent == 1)
        #expect(try sessions().map { $0["checks"] as? Int } == [3])
        #expect(try sessions().map { $0["leaks"] as? Int } == [1])
    }

    @Test
    func `a background flush waits for the call of handOver, and sends what was recorded before that call`() {
        let reporter = reporter(transport)
        let backgroundFlush = backgroundFlush(reporter)
        let isOver = waitUntilSent(backgroundFlush)
        reporter.record(message: "leak")
        #expect(!isOver.with { $0 }, "the flush waits for the handover")
        backgroundFlush.handOver()
        #expect(eventually { isOver.with { $0 } })
        #expect(reporter.statistics.sent == 1)
    }

    @Test func `each return to the foreground begins one session`() throws {
        let reporter = reporter(transport)
        reporter.startSession { [ClassChecks(className: "Shop.Cart", count: 1)] }
        for _ in 0..<2 {
            reporter.thread.post(.foreground)
            backgroundFlush(reporter).handOver()
            backgroundFlush(reporter).handOver()
            reporter.thread.post(.foreground)
        }
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(try sessions().count == 2)
        #expect(Set(try sessions().map { $0["id"] as? String }).count == 2)
    }

    @Test func `returning to the foreground starts no session if the app started none, or ended it`() throws {
        let reporter = reporter(transport)
        func leaveAndReturn() {
            backgroundFlush(reporter).handOver()
            reporter.thread.post(.foreground)
            reporter.record(message: "leak")
            #expect(reporter.flush(timeout: generousSeconds))
        }
        leaveAndReturn()
        reporter.startSession()
        reporter.record(message: "leak")
        backgroundFlush(reporter).handOver()
        reporter.endSession()
        leaveAndReturn()
        reporter.endSession()
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(try sessions().count == 1)
    }

    @Test func `a background flush ends when the system ends the app's background time`() {
        let answer = DispatchSemaphore(value: 0)
        let slow = FakeTransport { _, _ in
            answer.wait()
            return FakeTransport.accepted()
        }
        let reporter = reporter(slow)
        reporter.record(message: "leak")
        let backgroundFlush = backgroundFlush(reporter)
        backgroundFlush.handOver()
        let isOver = waitUntilSent(backgroundFlush)
        #expect(eventually { slow.posts.count == 1 })
        #expect(!isOver.with { $0 })
        backgroundFlush.end()
        #expect(eventually { isOver.with { $0 } })
        answer.signal()
        #expect(eventually { reporter.statistics.sent == 1 })
    }

    @Test func `a session also ends if the system gives the app no background time`() throws {
        let reporter = reporter(transport)
        reporter.startSession { [ClassChecks(className: "Shop.Cart", count: 1)] }
        let backgroundFlush = backgroundFlush(reporter)
        backgroundFlush.end()
        backgroundFlush.waitUntilSent()
        backgroundFlush.handOver()
        #expect(
            eventually {
                reporter.statistics.batches == 0 && !reporter.thread.publishedState.with { $0.hasSession }
            })
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(try sessions().count == 1)
    }

    @Test func `a background flush whose handOver is never called ends at the time limit`() {
        let reporter = reporter(transport)
        reporter.record(message: "leak")
        backgroundFlush(reporter, milliseconds: 20).waitUntilSent()
        #expect(transport.posts.isEmpty)
    }

    @Test(arguments: [TransportResult.noResponse(reason: "offline"), FakeTransport.status(503)])
    func `a failed attempt is not repeated while the flush delays the suspension of the app`(
        reply: TransportResult
    ) {
        let away = FakeTransport { _, _ in reply }
        let reporter = reporter(away)
        reporter.record(message: "leak")
        let backgroundFlush = backgroundFlush(reporter, milliseconds: 1_800_000)
        backgroundFlush.handOver()
        backgroundFlush.waitUntilSent()
        #expect(away.posts.count == 1)
        #expect(reporter.statistics.waiting == 1)
    }

    @Test func `after a collector asked for a pause, a background flush sends nothing and does not wait`() {
        let busy = FakeTransport { _, _ in
            .response(
                TransportResult.Response(
                    status: 429, retryAfter: "3600", contentType: "application/problem+json"))
        }
        let reporter = reporter(busy)
        reporter.record(message: "leak")
        for _ in 0..<3 {
            let backgroundFlush = backgroundFlush(reporter, milliseconds: 1_800_000)
            backgroundFlush.handOver()
            backgroundFlush.waitUntilSent()
        }
        #expect(busy.posts.count == 1)
    }

    @Test func `a reporter that sends only on request sends nothing in the background or at its end`() throws
    {
        let folder = NSTemporaryDirectory() + "/backgroundFlush-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            let reporter = reporter(transport) {
                $0.sendsAutomatically = false
                $0.storage = .folder(folder)
            }
            reporter.record(message: "leak")
            let backgroundFlush = backgroundFlush(reporter)
            backgroundFlush.handOver()
            backgroundFlush.waitUntilSent()
            #expect(reporter.statistics.stored == 1)
            reporter.thread.finish(seconds: 60)
            #expect(reporter.statistics.waiting == 1)
        }
        #expect(transport.posts.isEmpty)
        let next = reporter(transport) { $0.storage = .folder(folder) }
        #expect(eventually { next.flush(timeout: 5) && next.statistics.sent == 1 })
        #expect(transport.posts.count == 1)
    }
}
