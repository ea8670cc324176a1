import Testing

@testable import LeakReporter

@Suite struct PollIntervalTests {
    private func monotonicTime(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(milliseconds: seconds * 1_000)
    }

    @Test func `an app is polled for checks twice a minute, and less and less often while it has none`() {
        var interval = PollInterval(milliseconds: 30_000)
        #expect(interval.nextPollAt == nil && !interval.isDue(at: monotonicTime(1_000)))
        interval.start(at: monotonicTime(0))
        #expect(
            interval.nextPollAt == monotonicTime(30) && !interval.isDue(at: monotonicTime(29))
                && interval.isDue(at: monotonicTime(30)))
        var waits: [Int] = []
        for hasSome in [true, false, false, false, false, false, false, true, false] {
            interval.finish(foundChecks: hasSome, at: monotonicTime(0))
            waits.append((interval.nextPollAt?.milliseconds ?? 0) / 1_000)
        }
        #expect(waits == [30, 60, 120, 240, 480, 900, 900, 30, 60])
        interval.stop()
        interval.finish(foundChecks: true, at: monotonicTime(0))
        #expect(interval.nextPollAt == nil && !interval.isDue(at: monotonicTime(1_000_000)))
    }

    @Test func `a polling interval that is set above the maximum is not shortened`() {
        var interval = PollInterval(milliseconds: 3_600_000)
        interval.start(at: monotonicTime(0))
        interval.finish(foundChecks: false, at: monotonicTime(0))
        #expect(interval.nextPollAt == monotonicTime(3_600))
    }
}
