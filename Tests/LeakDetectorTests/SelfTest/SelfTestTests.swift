import Dispatch
import LeakMessage
import Testing
import LeakPlatform

@testable import LeakDetector

@Suite struct SelfTestTests {
    private func detector(_ change: (inout LeakDetector.Limits) -> Void = { _ in }) -> LeakDetector {
        var limits = LeakDetector.Limits()
        limits.secondCheckMilliseconds = 0
        change(&limits)
        return LeakDetector(
            .report { report in Issue.record("a self-test must not be reported: \(report)") },
            limits: limits, queue: DispatchQueue(label: "self-test"))
    }

    @Test func `the self-test of a working detector passes, and changes no count`() async throws {
        let detector = detector()
        let result = await detector.selfTest()
        guard case .works(let leak, let freed) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(leak.className == "LeakDetector.LeakDetectorSelfTestObject")
        #expect(leak.event == .leak && freed.event == .freed)
        #expect(leak.id == freed.id)
        #expect(try #require(leak.waitedMilliseconds) >= 0)
        #expect(detector.counts == LeakDetector.Counts())
        #expect(detector.takeChecks() == [])
        #expect(detector.takeSession() == nil)
    }

    @Test func `the self-test of a detector with a blocked queue returns silent after its timeout`() async {
        let queue = DispatchQueue(label: "stopped")
        queue.suspend()
        let detector = LeakDetector(.report { _ in }, queue: queue)
        #expect(await detector.selfTest(timeout: 0.2) == .silent)
        queue.resume()
    }

    @Test func `the self-test of a paused detector returns paused`() async {
        let detector = detector()
        detector.pause()
        #expect(await detector.selfTest() == .paused)
    }

    @Test func `the self-test of a detector that expects as many objects as allowed returns full`() async {
        let detector = detector { $0.outstanding = 1 }
        let page = Page()
        detector.expectDeallocation(of: page, after: 60)
        #expect(await detector.selfTest() == .full)
        withExtendedLifetime(page) {}
    }

    @Test func `the self-test returns stopped if the detector was stopped before or during the self-test`()
        async throws
    {
        let queue = DispatchQueue(label: "stopped")
        queue.suspend()
        let detector = LeakDetector(.report { _ in }, queue: queue)
        // The timeout is longer than a busy machine may delay this test. Otherwise the probe could be gone before the
        // test sees it.
        async let result = detector.selfTest(timeout: 3600)
        while detector.probes.with({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
        detector.stop()
        #expect(await result == .stopped)
        #expect(await detector.selfTest() == .stopped)
        queue.resume()
    }
}
