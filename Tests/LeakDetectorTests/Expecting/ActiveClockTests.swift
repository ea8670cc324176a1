import Testing

@testable import LeakDetector

@Suite struct ActiveClockTests {
    /// Steps of (uptime, expected wake-up), then the active time.
    @Test(
        arguments: [
            ([(1_000, nil), (1_400, nil)], 400),
            // On time, and late as on a busy device.
            ([(1_000, nil), (2_000, 2_000)], 1_000),
            ([(1_000, nil), (2_400, 2_000)], 1_400),
            // Stopped for a minute: when is not known, so nothing counts.
            ([(1_000, nil), (62_000, 2_000)], 0),
            // Late a second time in a row: that is how this device is, and what was asked for counts.
            ([(1_000, nil), (62_000, 2_000), (100_000, 63_000)], 1_500),
            // Stopped twice, and on time in between.
            ([(1_000, nil), (62_000, 2_000), (63_000, 63_000), (100_000, 64_000)], 1_000),
            // Late, and somebody moved the clock before the late wake-up came.
            ([(1_000, nil), (62_000, 2_000), (62_100, 2_000)], 100),
            // Nothing was awaited: an idle minute is ordinary.
            ([(1_000, nil), (61_000, nil)], 60_000),
            // The wake-up asked for is already past.
            ([(5_000, nil), (5_400, 2_000)], 400),
            // A clock that goes back.
            ([(5_000, nil), (4_000, nil), (6_000, nil)], 1_000),
        ] as [([(Int, Int?)], Int)])
    func `a stop does not count`(steps: [(uptime: Int, wake: Int?)], active: Int) {
        var clock = ActiveClock()
        var result = 0
        for step in steps { result = clock.advance(to: step.uptime, expectingWakeAt: step.wake) }
        #expect(result == active)
    }

    @Test func `a pause does not count`() {
        var clock = ActiveClock()
        _ = clock.advance(to: 1_000, expectingWakeAt: nil)
        clock.pause(at: 1_300, expectingWakeAt: 5_000)
        #expect(clock.advance(to: 9_000, expectingWakeAt: 5_000) == 300)
        clock.resume(at: 60_000)
        #expect(clock.advance(to: 60_200, expectingWakeAt: 61_000) == 500)
    }
}
