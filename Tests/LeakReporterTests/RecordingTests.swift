import Foundation
import LeakMessage
import Testing
import LeakPlatform

@testable import LeakReporter

/// Data that is sent with a report, and data that is left out. Also bursts of sightings, and limits.
@Suite struct RecordingTests {
    private let transport = FakeTransport { _, _ in FakeTransport.accepted() }

    private func reporter(_ change: (inout LeakReporter.Configuration) -> Void = { _ in }) -> LeakReporter {
        var configuration = LeakReporter.Configuration(
            endpoint: "http://localhost:8080", key: "k", app: AppInfo(id: "a"), install: .none)
        configuration.storage = .memory
        change(&configuration)
        let transport = transport
        return LeakReporter(configuration, backoff: Backoff(firstMilliseconds: 2, longestMilliseconds: 5)) {
            transport
        }
    }

    private func reports() throws -> [[String: Any]] {
        try transport.batches().flatMap { $0["reports"] as? [[String: Any]] ?? [] }
    }

    private func leak(_ name: String) -> LeakReport {
        var report = LeakReport()
        report.className = name
        return report
    }

    @Test func `a report contains the log, custom keys and user at the time of its recording`() throws {
        let reporter = reporter()
        reporter.log("opened cart")
        reporter.setCustomValue("cart", forKey: "tab")
        reporter.setCustomKeysAndValues(["ab": 2, "isNew": true])
        reporter.setUserID("u1")
        reporter.record(leak: leak("Shop.Cart"))
        reporter.log("closed cart")
        reporter.setCustomValue(nil, forKey: "tab")
        reporter.setUserID(nil)
        reporter.record(leak: leak("Shop.Pay"))
        #expect(reporter.flush(timeout: generousSeconds))
        let reports = try reports()
        #expect(reports.map { $0["user"] as? String } == ["u1", nil])
        #expect(reports.map { $0["log"] as? [String] } == [["opened cart"], ["opened cart", "closed cart"]])
        let keys = reports.map { $0["keys"] as? [String: Any] }
        #expect(keys[0]?["tab"] as? String == "cart")
        #expect(keys[0]?["ab"] as? Int == 2)
        #expect(keys[0]?["isNew"] as? Bool == true)
        #expect(keys[1]?.keys.sorted() == ["ab", "isNew"])
    }

    /// Sightings with different keys are not merged. Log lines are not compared: they always differ, so no sightings would ever be
    /// merged.
    @Test
    func `sightings with different custom keys are not merged; merged sightings have the log of the first`()
        throws
    {
        let reporter = reporter { $0.sendsAutomatically = false }
        for (number, experiment) in ["A", "B", "B"].enumerated() {
            reporter.setCustomValue(experiment, forKey: "experiment")
            reporter.log("round \(number)")
            reporter.record(leak: leak("Shop.Cart"))
        }
        reporter.sendUnsentReports()
        #expect(eventually { reporter.statistics.sent == 3 })
        let reports = try reports().sorted { ($0["count"] as? Int ?? 1) < ($1["count"] as? Int ?? 1) }
        #expect(reports.map { $0["count"] as? Int ?? 1 } == [1, 2])
        #expect(
            reports.map { ($0["keys"] as? [String: Any])?["experiment"] as? String } == ["A", "B"])
        #expect(reports.map { $0["log"] as? [String] } == [["round 0"], ["round 0", "round 1"]])
    }

    @Test func `a freed object is not counted as a leak of its session`() throws {
        let reporter = reporter()
        reporter.startSession()
        reporter.record(checks: [ClassChecks(className: "A", count: 5)])
        var freed = leak("Shop.Cart")
        freed.livedMilliseconds = 900
        reporter.record(freed: freed)
        reporter.record(
            message: "LEAKED VIEWCONTROLLER DEINNITED <Shop.Pay: 0x7f88acc69260>\n\nDeinnited after 8.912s.")
        reporter.endSession()
        #expect(reporter.flush(timeout: generousSeconds))
        let sessions = try transport.batches().flatMap { $0["sessions"] as? [[String: Any]] ?? [] }
        #expect(sessions.map { $0["leaks"] as? Int } == [0])
        #expect(sessions.map { $0["checks"] as? Int } == [5])
        #expect(try reports().first?["type"] as? String == "freed")
        #expect(try reports().first?["lived_ms"] as? Int == 900)
    }

    @Test func `beforeSend may change a report before it is stored, or drop it`() throws {
        let reporter = reporter {
            $0.beforeSend = { report in
                guard report.className != "Shop.Secret" else { return nil }
                var report = report
                report.log = []
                report.message = String(repeating: "x", count: 100_000)
                return report
            }
        }
        reporter.log("private")
        for name in ["Shop.Secret", "Shop.Cart", "Shop.Secret"] { reporter.record(leak: leak(name)) }
        #expect(reporter.flush(timeout: generousSeconds))
        let reports = try reports()
        #expect(reports.map { $0["class"] as? String } == ["Shop.Cart"])
        #expect(reports.first?["log"] == nil)
        #expect((reports.first?["message"] as? String)?.utf8.count == WireLimits.messageBytes)
        #expect(reporter.statistics.dropped == [.beforeSend: 2])
        // The number of drops is sent with the next batch if the first batch was already sent.
        reporter.record(leak: leak("Shop.Pay"))
        #expect(reporter.flush(timeout: generousSeconds))
        let told = try transport.batches().compactMap { ($0["dropped"] as? [String: Int])?["before_send"] }
        #expect(told.reduce(0, +) == 2)
    }

    @Test func `a session asks the app for its checks, and reports the sums of checks and leaks`() throws {
        let left = Guarded([3, 2])
        let reporter = reporter()
        reporter.startSession {
            let count = left.with { $0.isEmpty ? 0 : $0.removeFirst() }
            return count > 0 ? [ClassChecks(className: "Shop.Cart", count: count)] : []
        }
        reporter.record(leak: leak("Shop.Cart"))
        #expect(reporter.flush(timeout: generousSeconds))
        reporter.record(leak: leak("Shop.Cart"))
        reporter.endSession()
        reporter.endSession()
        #expect(reporter.flush(timeout: generousSeconds))
        let batches = try transport.batches()
        let sessions = batches.flatMap { $0["sessions"] as? [[String: Any]] ?? [] }
        #expect(sessions.map { $0["checks"] as? Int } == [5])
        #expect(sessions.map { $0["leaks"] as? Int } == [2])
        let checks = batches.flatMap { $0["checks"] as? [[String: Any]] ?? [] }
        #expect(checks.compactMap { $0["count"] as? Int }.reduce(0, +) == 5)
    }

    @Test func `objects that a detector left out are counted in the session in which the app records them`()
        throws
    {
        let reporter = reporter()
        reporter.startSession()
        reporter.record(checks: [
            ClassChecks(className: "A", count: 1, unseen: 5),
            ClassChecks(className: "B", count: 0, unseen: 2),
        ])
        reporter.record(checks: [ClassChecks(className: "A", count: 0, unseen: 3)])
        reporter.endSession()
        #expect(reporter.flush(timeout: generousSeconds))
        let sessions = try transport.batches().flatMap { $0["sessions"] as? [[String: Any]] ?? [] }
        #expect(sessions.map { $0["unseen"] as? Int } == [10])
        #expect(sessions.map { $0["checks"] as? Int } == [1])
    }

    @Test func `a session without data is not reported`() throws {
        let reporter = reporter()
        reporter.startSession()
        reporter.endSession()
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(transport.posts.isEmpty)
    }

    @Test func `a thousand sightings of one leak are sent as one report`() throws {
        let reporter = reporter { $0.bounds.gatherMilliseconds = 60_000 }
        for number in 0..<1_000 {
            reporter.record(
                message:
                    "VIEWCONTROLLER STILL IN MEMORY <Shop.Cart: 0x\(String(0x7f88_0000 + number * 16, radix: 16))>"
            )
        }
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(try reports().map { $0["count"] as? Int } == [1_000])
        #expect(reporter.statistics.sent == 1_000)
    }

    @Test func `different leaks beyond the limit of a session are counted as dropped`() throws {
        let reporter = reporter { $0.bounds.reportsPerSession = 3 }
        for number in 0..<10 { reporter.record(leak: leak("Shop.Page\(number)")) }
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.sent == 3)
        #expect(reporter.statistics.dropped == [.budget: 7])
        reporter.startSession()
        reporter.record(leak: leak("Shop.Page9"))
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.sent == 4)
    }

    @Test func `a run that the sampling rate does not select sends nothing`() {
        let reporter = reporter { $0.bounds.sampleRate = 0 }
        reporter.startSession { [ClassChecks(className: "A", count: 1)] }
        reporter.record(leak: leak("Shop.Cart"))
        reporter.endSession()
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(transport.posts.isEmpty)
        #expect(reporter.statistics.dropped == [.sampled: 1])
    }

    /// A reporter whose thread is blocked by the first report, until ``release()`` is called.
    private final class HeldReporter {
        private let isOpen = Guarded(false)
        private let isHeld = Guarded(false)
        let place = SharedQueueFolder()
        let transport: FakeTransport
        let reporter: LeakReporter

        init(_ change: (inout LeakReporter.Configuration) -> Void = { _ in }) {
            let (isOpen, isHeld) = (isOpen, isHeld)
            transport = FakeTransport { _, _ in FakeTransport.accepted() }
            reporter = place.reporter(transport) {
                $0.bounds.reportsPerSession = .max
                $0.bounds.bytesPerDay = .max
                $0.beforeSend = { report in
                    guard report.className == "Gate" else { return report }
                    isHeld.with { $0 = true }
                    isHeld.wakeAll()
                    // Waits without a time limit, because 100,000 calls of the test may take long.
                    _ = isOpen.wait { $0 ? true : nil }
                    return report
                }
                change(&$0)
            }
            var gate = LeakReport()
            gate.className = "Gate"
            reporter.record(leak: gate)
            _ = isHeld.wait { $0 ? true : nil }
        }

        deinit { release() }

        func release() {
            isOpen.with { $0 = true }
            isOpen.wakeAll()
        }
    }

    @Test func `no sighting of a burst is lost if the queue has room for its different leaks`() {
        let held = HeldReporter()
        for number in 0..<100_000 { held.reporter.record(leak: leak("Burst.Leak\(number % 50)")) }
        #expect(held.reporter.statistics.waiting == 100_001)
        #expect(held.reporter.statistics.dropped == [:])
        held.release()
        #expect(held.reporter.flush(timeout: generousSeconds))
        #expect(held.reporter.statistics.dropped == [:])
        #expect(held.reporter.statistics.sent == 100_001)
    }

    private enum Interjection: CaseIterable {
        case customValue, newCustomValue, user, checks, log, explanation, sessionOfTheApp, flush
    }

    /// Tests each kind of call that an app may make in between. Log lines, explanations and sessions for which the queue has
    /// no room are counted as refused calls.
    @Test(arguments: Interjection.allCases)
    private func `no sighting of a burst is lost if other calls come in between`(interjection: Interjection) {
        let held = HeldReporter()
        let reporter = held.reporter
        for number in 0..<30_000 {
            switch interjection {
            case .customValue: reporter.setCustomValue(number / 20 % 3, forKey: "k")
            case .newCustomValue: reporter.setCustomValue(number, forKey: "k")
            case .user: reporter.setUserID("u\(number / 20 % 3)")
            case .checks:
                reporter.record(checks: [ClassChecks(className: "Burst.Leak\(number % 70)", count: 1)])
            case .log: reporter.log("line \(number)")
            case .explanation where number < 20_000:
                reporter.record(leak("Burst.Explained\(number)"), explanation: RetainExplanation())
            case .sessionOfTheApp where number < 20_000:
                reporter.record(session: EndedSession(id: "\(number)", checks: 1, leaks: 0))
            case .flush where number % 20 == 0: reporter.thread.post(.flush)
            default: break
            }
            // The leaks with numbers from 25 on occur only after 24,000 sightings.
            reporter.record(leak: leak("Burst.Leak\(number < 24_000 ? number % 25 : number % 50)"))
        }
        #expect(reporter.statistics.waiting == 30_001)
        #expect(reporter.statistics.dropped == [:])
        if interjection != .log, interjection != .explanation, interjection != .sessionOfTheApp {
            #expect(reporter.statistics.refusedCalls == 0)
        }
        held.release()
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.dropped == [:])
        #expect(reporter.statistics.sent == 30_001)
    }

    @Test func `sightings of a burst are counted with their own custom values and user`() throws {
        let held = HeldReporter { $0.bounds.memoryBytes = 64 * 1024 }
        for number in 0..<200 { held.reporter.record(leak: leak("Burst.Leak\(number)")) }
        for round in 0..<300 {
            held.reporter.setUserID(round % 2 == 0 ? "jane" : nil)
            held.reporter.setCustomValue(round % 3, forKey: "k")
            held.reporter.record(leak: leak("Burst.Last"))
        }
        held.release()
        #expect(held.reporter.flush(timeout: generousSeconds))
        var counts: [String: Int] = [:]
        for batch in try held.transport.batches() {
            for report in batch["reports"] as? [[String: Any]] ?? []
            where report["class"] as? String == "Burst.Last" {
                let user = report["user"] as? String ?? batch["user"] as? String ?? "nobody"
                let value = (report["keys"] as? [String: Int])?["k"] ?? -1
                counts["\(user) \(value)", default: 0] += report["count"] as? Int ?? 1
            }
        }
        let names = ["jane 0", "jane 1", "jane 2", "nobody 0", "nobody 1", "nobody 2"]
        #expect(counts == Dictionary(uniqueKeysWithValues: names.map { ($0, 50) }))
    }

    @Test
    func `the number of different leaks in a burst is limited, and further leaks are counted as dropped`() {
        let held = HeldReporter()
        for number in 0..<20_000 { held.reporter.record(leak: leak("Burst.Leak\(number)")) }
        let dropped = held.reporter.statistics.dropped[.queueFull] ?? 0
        #expect(dropped > 10_000, "a megabyte has room for about five thousand")
        held.release()
        #expect(held.reporter.flush(timeout: generousSeconds))
        let statistics = held.reporter.statistics
        #expect(statistics.sent + statistics.dropped.values.reduce(0, +) == 20_001)
    }

    @Test func `custom values that are set during a burst apply only to later sightings`() throws {
        let held = HeldReporter { $0.bounds.memoryBytes = 64 * 1024 }
        for number in 0..<200 { held.reporter.record(leak: leak("Burst.Leak\(number)")) }
        for experiment in ["A", "B", "B"] {
            held.reporter.setCustomValue(experiment, forKey: "experiment")
            for _ in 0..<3 { held.reporter.record(leak: leak("Burst.Last")) }
        }
        held.release()
        #expect(held.reporter.flush(timeout: generousSeconds))
        let reports = try held.transport.batches().flatMap { $0["reports"] as? [[String: Any]] ?? [] }
        var counts: [String: Int] = [:]
        for report in reports where report["class"] as? String == "Burst.Last" {
            let experiment = (report["keys"] as? [String: String])?["experiment"] ?? ""
            counts[experiment, default: 0] += report["count"] as? Int ?? 1
        }
        #expect(counts == ["A": 3, "B": 6])
    }

    /// A check is recorded before its sighting: a kill between the two must not leave the sighting without its check.
    @Test func `no sighting of a burst is recorded before its check`() throws {
        let held = HeldReporter { $0.bounds.memoryBytes = 64 * 1024 }
        for number in 0..<200 { held.reporter.record(leak: leak("Burst.Leak\(number)")) }
        for _ in 0..<3 {
            held.reporter.record(checks: [ClassChecks(className: "Burst.Last", count: 1)])
            held.reporter.record(leak: leak("Burst.Last"))
        }
        // The thread that processes entries is blocked, so the test can take the entries from the queue.
        var entries: [ReporterThread.Entry] = []
        held.reporter.thread.entryQueue.take(into: &entries, milliseconds: 0)
        let last = entries.suffix(2).map { entry in
            switch entry {
            case .checks(let checks): "\(checks.list[0].count) checks"
            case .report(let report): "sighting of \(report.clampedCount)"
            default: "other"
            }
        }
        held.release()
        #expect(last == ["3 checks", "sighting of 3"])
    }
}
