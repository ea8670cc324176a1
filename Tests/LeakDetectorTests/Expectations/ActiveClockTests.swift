import Testing

@testable import LeakDetector

@Suite struct ActiveClockTests {
    private enum Step {
        /// An object is expected at the first uptime. The second is the uptime of the requested wake-up; `nil` if no wake-up
        /// was requested.
        case expect(Int, Int?)
        /// A wake-up that was requested for the second uptime arrives at the first. Then the next wake-up is requested.
        case wake(Int, Int)
        case begin
        case pause(Int)
        case resume(Int)
        case skip(Int)
    }

    /// Returns the clock's milliseconds after the steps.
    private func active(_ steps: [Step]) -> Int {
        var clock = ActiveClock()
        for step in steps {
            switch step {
            case .expect(let uptime, let wake): clock.advance(to: uptime, expectingWakeAt: wake)
            case .wake(let uptime, let wake): _ = clock.wake(at: uptime, askedFor: wake)
            case .begin: clock.recordFirstWakeRequest()
            case .pause(let uptime): clock.pause(at: uptime, expectingWakeAt: nil)
            case .resume(let uptime): clock.resume(at: uptime)
            case .skip(let uptime): clock.skip(to: uptime)
            }
        }
        return clock.milliseconds
    }

    @Test func `the detector's clock advances while wake-ups are on time`() {
        #expect(active([.expect(1_000, nil), .expect(1_400, nil)]) == 400)
        #expect(active([.expect(1_000, nil), .begin, .wake(2_000, 2_000)]) == 1_000)
        // A wake-up may be a little late on a busy device.
        #expect(active([.expect(1_000, nil), .begin, .wake(2_400, 2_000)]) == 1_400)
        // No wake-up was requested: an idle minute is normal.
        #expect(active([.expect(1_000, nil), .expect(61_000, nil)]) == 60_000)
        // The clock goes back.
        #expect(active([.expect(5_000, nil), .expect(4_000, nil), .expect(6_000, nil)]) == 1_000)
    }

    @Test func `the detector's clock stands still while the process is stopped`() {
        #expect(active([.expect(1_000, nil), .begin, .wake(62_000, 2_000)]) == 0)
        // Time that was counted before the late wake-up is taken back.
        #expect(
            active([
                .expect(1_000, nil), .begin, .expect(1_900, 2_000), .expect(2_400, 2_000),
                .wake(5_000, 2_000),
            ])
                == 0)
        // Time before the stop counts if it ended with a wake-up on time, or if no wake-up was requested in it.
        #expect(active([.expect(0, nil), .begin, .wake(1_000, 1_000), .begin, .wake(9_000, 2_000)]) == 1_000)
        #expect(active([.expect(0, nil), .expect(60_000, nil), .begin, .wake(90_000, 61_000)]) == 60_000)
        // At the second late wake-up in a row, time counts until half a second after the requested wake-up, because
        // the wake-ups of this device may always be late.
        #expect(
            active([.expect(0, nil), .begin, .wake(9_000, 1_000), .begin, .wake(20_000, 10_000)]) == 1_500)
        // After a wake-up on time, the next late wake-up is not the second in a row.
        #expect(
            active([
                .expect(0, nil), .begin, .wake(9_000, 1_000), .begin, .wake(10_000, 10_000), .begin,
                .wake(30_000, 11_000),
            ]) == 1_000)
    }

    @Test func `the detector's clock stops half a second after a wake-up was due`() {
        #expect(active([.expect(1_000, nil), .begin, .expect(60_000, 2_000)]) == 1_500)
        #expect(
            active([.expect(1_000, nil), .begin, .expect(60_000, 2_000), .expect(60_100, 2_000)]) == 1_500)
    }

    @Test func `the detector's clock stands still during a pause`() {
        #expect(active([.expect(1_000, nil), .pause(1_300), .expect(9_000, nil)]) == 300)
        #expect(active([.expect(1_000, nil), .pause(1_300), .resume(60_000), .expect(60_200, nil)]) == 500)
        // A resume without a pause changes nothing.
        #expect(active([.expect(1_000, nil), .begin, .resume(60_000), .wake(62_000, 2_000)]) == 0)
    }

    @Test func `the detector's clock stands still during a long check`() {
        #expect(active([.expect(0, nil), .skip(400), .expect(500, nil)]) == 500)
        #expect(active([.expect(0, nil), .skip(10_000), .expect(10_100, nil)]) == 100)
    }
}
