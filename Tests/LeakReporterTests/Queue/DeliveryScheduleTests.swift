import Testing
import LeakPlatform

@testable import LeakReporter

@Suite struct DeliveryScheduleTests {
    private let now = MonotonicTime(milliseconds: 1_000)
    private let later = DeliveryResult.postponed(afterMilliseconds: nil, reason: "away")
    private let unauthorized = DeliveryResult.unauthorized(reason: "401")

    private func schedule(_ deliveries: [DeliveryResult], jitter: Double = 1) -> DeliverySchedule {
        var schedule = DeliverySchedule(Backoff(firstMilliseconds: 1_000, longestMilliseconds: 60_000))
        for delivery in deliveries { schedule.finish(delivery, at: now, jitter: jitter) }
        return schedule
    }

    private func wait(_ deliveries: [DeliveryResult], jitter: Double = 1) -> Int? {
        schedule(deliveries, jitter: jitter).nextAttemptAt.map { $0.milliseconds - now.milliseconds }
    }

    @Test func `the back-off doubles with each failure and restarts with each response`() {
        let yes = DeliveryResult.accepted(rejected: [], reason: nil)
        #expect(wait([]) == nil)
        #expect(wait([later]) == 1_000)
        #expect(wait([later, later, later]) == 4_000)
        #expect(wait([later, later], jitter: 0.25) == 500)
        for answer in [yes, .tooLong(isFinal: true, reason: "413"), .rejected(reason: "400")] {
            #expect(wait([later, later, answer]) == nil)
            #expect(wait([later, later, answer, later]) == 1_000)
        }
        #expect(wait(Array(repeating: later, count: 100)) == 60_000)
    }

    @Test
    func `the longer of back-off and Retry-After applies, and a flush shortens only the back-off`() {
        var asked = schedule([.postponed(afterMilliseconds: 300, reason: "busy")])
        #expect(asked.nextAttemptAt == now.advanced(byMilliseconds: 1_000))
        asked.retryAllNow()
        #expect(asked.nextAttemptAt == now.advanced(byMilliseconds: 300))
        #expect(wait([.postponed(afterMilliseconds: 9_000, reason: "busy")]) == 9_000)
        #expect(wait([.postponed(afterMilliseconds: 9_000, reason: "busy"), later]) == 2_000)
    }

    @Test func `a key that is rejected twice in a row is tried again after an hour, even if the app flushes`()
    {
        #expect(wait([unauthorized], jitter: 0) == 1_500)
        #expect(wait([unauthorized, .rejected(reason: "400"), unauthorized]) == 1_500)
        for many in 2...30 {
            var schedule = schedule(Array(repeating: unauthorized, count: many))
            schedule.retryAllNow()
            #expect(schedule.nextAttemptAt == now.advanced(byMilliseconds: 3_600_000))
            #expect(!schedule.isStopped)
            #expect(schedule.lastFailure?.contains("ingest key") == true)
        }
        // The failure between the two rejections may come from a proxy in front of the collector.
        #expect(wait([unauthorized, later, unauthorized]) == 3_600_000)
    }

    @Test func `failed attempts are counted, and the message of the last failure is kept`() {
        let some = schedule([
            later, .rejected(reason: "400"), unauthorized, .accepted(rejected: [], reason: nil),
        ])
        #expect(some.failedAttempts == 2)
        #expect(some.lastFailure == "401")
    }
}
