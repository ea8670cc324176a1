import Testing

@testable import LeakDetector

@Suite struct ActiveClockTests {
    private enum Step {
        /// Somebody expects an object at that uptime, while a wake-up is asked for, or none.
        case expect(Int, Int?)
        /// The wake-up that was asked for the second uptime comes at the first, and the next is asked for.
        case wake(Int, Int)
        case begin
        case pause(Int)
        case resume(Int)
        case skip(Int)
    }

    private func active(_ steps: [Step]) -> Int {
        var clock = ActiveClock()
        for step in steps {
            switch step {
            case .expect(let uptime, let wake): clock.advance(to: uptime, expectingWakeAt: wake)
            case .wake(let uptime, let wake): _ = clock.wake(at: uptime, askedFor: wake)
            case .begin: clock.begin()
            case .pause(let uptime): clock.pause(at: uptime, expectingWakeAt: nil)
            case .resume(let uptime): clock.resume(at: uptime)
            case .skip(let uptime): clock.skip(to: uptime)
            }
        }
        return clock.milliseconds
    }

    @Test func `time counts while wake-ups come as they should`() {
        #expect(active([.expect(1_000, nil), .expect(1_400, nil)]) == 400)
        #expect(active([.expect(1_000, nil), .begin, .wake(2_000, 2_000)]) == 1_000)
        // Late as on a busy device.
        #expect(active([.expect(1_000, nil), .begin, .wake(2_400, 2_000)]) == 1_400)
        // Nothing was awaited: an idle minute is ordinary.
        #expect(active([.expect(1_000, nil), .expect(61_000, nil)]) == 60_000)
        // A clock that goes back.
        #expect(active([.expect(5_000, nil), .expect(4_000, nil), .expect(6_000, nil)]) == 1_000)
    }

    @Test func `a stop does not count`() {
        #expect(active([.expect(1_000, nil), .begin, .wake(62_000, 2_000)]) == 0)
        // Nor what was counted before it was known to be one, whoever counted it.
        #expect(
            active([
                .expect(1_000, nil), .begin, .expect(1_900, 2_000), .expect(2_400, 2_000),
                .wake(5_000, 2_000),
            ])
                == 0)
        // But what was certain before does.
        #expect(active([.expect(0, nil), .begin, .wake(1_000, 1_000), .begin, .wake(9_000, 2_000)]) == 1_000)
        #expect(active([.expect(0, nil), .expect(60_000, nil), .begin, .wake(90_000, 61_000)]) == 60_000)
        // Of a second one in a row the time asked for counts: that is how this device is.
        #expect(
            active([.expect(0, nil), .begin, .wake(9_000, 1_000), .begin, .wake(20_000, 10_000)]) == 1_500)
        // On time in between.
        #expect(
            active([
                .expect(0, nil), .begin, .wake(9_000, 1_000), .begin, .wake(10_000, 10_000), .begin,
                .wake(30_000, 11_000),
            ]) == 1_000)
    }

    @Test func `while a wake-up is late nobody counts on`() {
        #expect(active([.expect(1_000, nil), .begin, .expect(60_000, 2_000)]) == 1_500)
        #expect(
            active([.expect(1_000, nil), .begin, .expect(60_000, 2_000), .expect(60_100, 2_000)]) == 1_500)
    }

    @Test func `a pause does not count`() {
        #expect(active([.expect(1_000, nil), .pause(1_300), .expect(9_000, nil)]) == 300)
        #expect(active([.expect(1_000, nil), .pause(1_300), .resume(60_000), .expect(60_200, nil)]) == 500)
        // There was none.
        #expect(active([.expect(1_000, nil), .begin, .resume(60_000), .wake(62_000, 2_000)]) == 0)
    }

    @Test func `what looking took does not count, if it took long`() {
        #expect(active([.expect(0, nil), .skip(400), .expect(500, nil)]) == 500)
        #expect(active([.expect(0, nil), .skip(10_000), .expect(10_100, nil)]) == 100)
    }
}
