import Testing

@testable import LeakReporter

@Suite struct PollIntervalTests {
    private func monotonicTime(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(milliseconds: seconds * 1_000)
    }

    @Test func `a counting app is polled twice a minute, an idle app less and less often`() {
        var pace = PollInterval(milliseconds: 30_000)
        #expect(pace.nextPollAt == nil && !pace.isDue(at: monotonicTime(1_000)))
        pace.start(at: monotonicTime(0))
        #expect(
            pace.nextPollAt == monotonicTime(30) && !pace.isDue(at: monotonicTime(29))
                && pace.isDue(at: monotonicTime(30)))
        var waits: [Int] = []
        for hasSome in [true, false, false, false, false, false, false, true, false] {
            pace.finish(hasChecks: hasSome, at: monotonicTime(0))
            waits.append((pace.nextPollAt?.milliseconds ?? 0) / 1_000)
        }
        #expect(waits == [30, 60, 120, 240, 480, 900, 900, 30, 60])
        pace.stop()
        pace.finish(hasChecks: true, at: monotonicTime(0))
        #expect(pace.nextPollAt == nil && !pace.isDue(at: monotonicTime(1_000_000)))
    }

    @Test func `a polling interval longer than the maximum is kept`() {
        var pace = PollInterval(milliseconds: 3_600_000)
        pace.start(at: monotonicTime(0))
        pace.finish(hasChecks: false, at: monotonicTime(0))
        #expect(pace.nextPollAt == monotonicTime(3_600))
    }
}
