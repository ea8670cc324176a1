import Dispatch
import Foundation
import LeakMessage
import Testing

@testable import LeakDetector

private final class Plain {
    var itself: AnyObject?
}
private final class Generic<Value> { var itself: AnyObject? }
private enum Outer { final class Inner { var itself: AnyObject? } }
private actor Session {}
/// Sendable, because it has no properties.
private final class Empty: Sendable {}

/// Tests with real objects and real time. The grace period is 30 ms.
@Suite struct LeakDetectorTests {
    /// Collects reports, and waits for them.
    private final class Reports: @unchecked Sendable {
        // `Sendable` is unchecked: `list` is accessed only while `condition` is locked.
        private let condition = NSCondition()
        private var list: [LeakReport] = []

        func add(_ report: LeakReport) {
            condition.lock()
            list.append(report)
            condition.broadcast()
            condition.unlock()
        }

        /// Returns all reports as soon as there are `count`, or after five seconds.
        func wait(for count: Int) -> [LeakReport] {
            condition.lock()
            defer { condition.unlock() }
            let deadline = Date().addingTimeInterval(5)
            while list.count < count, condition.wait(until: deadline) {}
            return list
        }
    }

    private let reports = Reports()

    /// Replaces standard error by a pipe, and returns the end to read from.
    private static func readStandardError() -> Int32? {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0, dup2(ends[1], STDERR_FILENO) == STDERR_FILENO else { return nil }
        return ends[0]
    }

    /// Fills the pipe behind standard error, which stays in blocking mode.
    private static func fillStandardError() {
        let flags = fcntl(STDERR_FILENO, F_GETFL)
        _ = fcntl(STDERR_FILENO, F_SETFL, flags | O_NONBLOCK)
        for size in [4096, 1] {
            let bytes = [UInt8](repeating: 0x78, count: size)
            while unsafe write(STDERR_FILENO, bytes, bytes.count) > 0 {}
        }
        _ = fcntl(STDERR_FILENO, F_SETFL, flags)
    }

    /// If the mode `log` blocked, the process of the test would never end.
    @Test func `the mode log does not block its queue if standard error is a full pipe that is not read`()
        async
    {
        await #expect(processExitsWith: .success) {
            guard let reader = Self.readStandardError() else { exit(2) }
            var limits = LeakDetector.Limits()
            limits.graceMilliseconds = 1
            limits.secondCheckMilliseconds = 1
            let queue = DispatchQueue(label: "test")
            let detector = LeakDetector.start(.log, limits: limits, queue: queue)
            let first = Plain()
            detector.expectDeallocation(of: first)
            var text = [UInt8](repeating: 0, count: 13)
            guard unsafe read(reader, &text, 13) == 13, text == Array("LeakDetector:".utf8) else { exit(3) }
            // The rest of the first message is written before the queue is free.
            queue.sync {}
            Self.fillStandardError()
            let second = Plain()
            detector.expectDeallocation(of: second)
            while detector.counts.leaked < 2 { usleep(1_000) }
            queue.sync {}
            withExtendedLifetime((first, second)) {}
            exit(0)
        }
    }

    @Test func `the types of the detector have the same meaning with and without its name`() {
        #expect(LeakWatcher.self == LeakDetector.LeakWatcher.self)
        #expect(Deallocating<Plain>.self == LeakDetector.Deallocating<Plain>.self)
        #expect((any LeakExplainer).self == (any LeakDetector.LeakExplainer).self)
    }

    private func detector(_ change: (inout LeakDetector.Limits) -> Void = { _ in }) -> LeakDetector {
        var limits = LeakDetector.Limits()
        limits.graceMilliseconds = 30
        limits.secondCheckMilliseconds = 30
        change(&limits)
        return LeakDetector(limits: limits, queue: DispatchQueue(label: "test"), report: reports.add)
    }

    /// Waits until no expected object is left to be checked, for at most five seconds.
    private func waitForChecks(_ detector: LeakDetector) {
        let deadline = Date().addingTimeInterval(5)
        while detector.counts.outstanding > 0, Date() < deadline { Thread.sleep(forTimeInterval: 0.01) }
    }

    @Test func `a cycle is reported with its class, path, reason and source line`() throws {
        let detector = detector()
        do {
            let object = Plain()
            object.itself = object
            detector.expectDeallocation(
                of: object, path: ["Tab", "Cart"], reason: "popped", file: "App/Cart.swift", line: 7)
        }
        let report = try #require(reports.wait(for: 1).first)
        #expect(report.event == .leak)
        #expect(report.kind == .object)
        #expect(report.className == "LeakDetectorTests.Plain")
        #expect(report.stack == ["Tab", "Cart", "LeakDetectorTests.Plain"])
        #expect(report.reason == "popped")
        #expect(report.alive == 1)
        #expect(try #require(report.waitedMilliseconds) >= 60)
        #expect(report.keys == [CustomKey("file", .string("App/Cart.swift")), CustomKey("line", .number(7))])
        #expect(report.id?.count == 36)
    }

    @Test func `an object that is freed late is reported as freed, under the same id`() throws {
        let detector = detector()
        var object: Plain? = Plain()
        detector.expectDeallocation(of: object!)
        #expect(reports.wait(for: 1).count == 1)
        object = nil
        let all = reports.wait(for: 2)
        #expect(all.map(\.event) == [.leak, .freed])
        #expect(all[0].id == all[1].id)
        #expect(all[1].className == all[0].className)
        #expect(all[1].stack == all[0].stack)
        #expect(try #require(all[1].livedMilliseconds) > 0)
        #expect(detector.counts.freed == 1)
    }

    @Test func `an object that is freed within its grace period is checked and not reported`() {
        let detector = detector()
        for _ in 0..<10 { detector.expectDeallocation(of: Plain()) }
        waitForChecks(detector)
        #expect(detector.takeChecks() == [ClassChecks(className: "LeakDetectorTests.Plain", count: 10)])
        #expect(detector.takeChecks() == [])
        #expect(detector.counts.leaked == 0)
    }

    @Test func `an object that is expected twice is reported once`() {
        let detector = detector()
        let object = Plain()
        detector.expectDeallocation(of: object)
        detector.expectDeallocation(of: object)
        waitForChecks(detector)
        detector.expectDeallocation(of: object)
        waitForChecks(detector)
        #expect(reports.wait(for: 1).count == 1)
        #expect(detector.counts.leaked == 1)
        withExtendedLifetime(object) {}
    }

    @Test func `the detector does not retain expected objects`() {
        let detector = detector { $0.graceMilliseconds = 10_000 }
        weak var trace: Plain?
        do {
            let object = Plain()
            trace = object
            detector.expectDeallocation(of: object)
        }
        #expect(trace == nil)
    }

    @Test func `reported class names contain no addresses`() {
        let dictionary = "Swift.Dictionary<Swift.String, Swift.Int>"
        final class Local { var itself: AnyObject? }
        let detector = detector()
        let objects: [AnyObject] = [
            Plain(), Generic<Plain>(), Outer.Inner(), Local(), Session(), Generic<[String: Int]>(),
        ]
        for object in objects { detector.expectDeallocation(of: object) }
        let names = reports.wait(for: objects.count).compactMap(\.className)
        #expect(
            Set(names) == [
                "LeakDetectorTests.Plain", "LeakDetectorTests.Generic<LeakDetectorTests.Plain>",
                "LeakDetectorTests.Outer.Inner", "LeakDetectorTests.LeakDetectorTests.Local",
                "LeakDetectorTests.Session",
                "LeakDetectorTests.Generic<\(dictionary)>",
            ])
        withExtendedLifetime(objects) {}
    }

    /// The detector's check may release the last reference to an object; its `deinit` then runs with no lock held.
    @Test func `an object may expect the deallocation of another object in its deinit`() {
        final class Owner: Sendable {
            let detector: LeakDetector
            let model = Empty()
            init(_ detector: LeakDetector) { self.detector = detector }
            deinit { detector.expectDeallocation(of: model) }
        }
        let detector = detector()
        for _ in 0..<100 { detector.expectDeallocation(of: Owner(detector)) }
        waitForChecks(detector)
        #expect(detector.counts.checked == 200)
        #expect(detector.counts.leaked == 0)
    }

    @Test func `leaks from eight threads are reported once each`() {
        let detector = detector { $0.outstanding = 100_000 }
        let kept = (0..<8).map { _ in (0..<5).map { _ in Empty() } }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for number in 0..<1_000 {
                detector.expectDeallocation(of: Empty())
                if number < 5 { detector.expectDeallocation(of: kept[thread][number]) }
            }
        }
        waitForChecks(detector)
        #expect(reports.wait(for: 40).count == 40)
        #expect(detector.counts.checked == 8_040)
        withExtendedLifetime(kept) {}
    }

    @Test(arguments: [Int.max, .min])
    func `extreme limits do not crash the detector`(extreme: Int) {
        let detector = detector { limits in
            limits.graceMilliseconds = extreme
            limits.secondCheckMilliseconds = extreme
            limits.survivorMilliseconds = extreme
            limits.survivors = extreme
            limits.checkedTypes = extreme
        }
        let object = Plain()
        detector.expectDeallocation(of: object)
        detector.expectDeallocation(of: object, after: 0)
        if extreme < 0 { #expect(reports.wait(for: 1).count >= 1) }
        #expect(detector.counts.dropped == 0)
        withExtendedLifetime(object) {}
    }

    @Test func `a session counts the checks since the previous session`() throws {
        let detector = detector()
        #expect(detector.takeSession() == nil, "without a check there is no session")
        let kept = Plain()
        detector.expectDeallocation(of: kept)
        detector.expectDeallocation(of: Plain())
        waitForChecks(detector)
        let first = try #require(detector.takeSession())
        #expect(first.checks == 2)
        #expect(first.leaks == 1)
        #expect(try #require(first.startedAt).milliseconds > 1_700_000_000_000)
        #expect(detector.takeSession() == nil)
        detector.expectDeallocation(of: Plain())
        waitForChecks(detector)
        let second = try #require(detector.takeSession())
        #expect((second.checks, second.leaks) == (1, 0))
        #expect(second.id != first.id)
        withExtendedLifetime(kept) {}
    }

    @Test(arguments: [-1, 0, Double.nan, -Double.infinity])
    func `an object with an invalid grace period is checked without waiting`(seconds: Double) {
        let detector = detector { $0.graceMilliseconds = 60_000 }
        let object = Plain()
        detector.expectDeallocation(of: object, after: seconds)
        #expect(reports.wait(for: 1).count == 1)
        withExtendedLifetime(object) {}
    }
}
