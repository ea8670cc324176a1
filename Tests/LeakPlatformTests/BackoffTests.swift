import Testing
import LeakPlatform

@Suite struct BackoffTests {
    private let backoff = Backoff(firstMilliseconds: 1_000, longestMilliseconds: 3_600_000)

    @Test(arguments: [
        (0, 1_000), (1, 1_000), (2, 2_000), (3, 4_000), (12, 2_048_000), (13, 3_600_000), (500, 3_600_000),
        (Int.max, 3_600_000), (Int.min, 1_000),
    ])
    func `waits of the back-off double up to the longest wait`(failures: Int, milliseconds: Int) {
        #expect(backoff.milliseconds(afterFailures: failures, jitter: 1) == milliseconds)
    }

    @Test(arguments: [(0.0, 0), (0.25, 2_000), (0.5, 4_000), (-3, 0), (7, 8_000)])
    func `a wait of the back-off is its limit times the jitter, which is clamped to 0 to 1`(
        jitter: Double, milliseconds: Int
    ) {
        #expect(backoff.milliseconds(afterFailures: 4, jitter: jitter) == milliseconds)
    }

    @Test func `a first wait that is longer than the longest wait is shortened to it`() {
        let backoff = Backoff(firstMilliseconds: .max, longestMilliseconds: 5)
        #expect(backoff.milliseconds(afterFailures: 3, jitter: 1) == 5)
    }

    @Test func `random waits of the back-off differ, and none is longer than its limit`() {
        let backoff = Backoff(firstMilliseconds: 100, longestMilliseconds: 5_000)
        for failures in [1, 2, 5, 9, 1_000, .max] {
            let bound = min(100 << min(failures - 1, 6), 5_000)
            let waits = (0..<200).map { _ in backoff.milliseconds(afterFailures: failures) }
            #expect(waits.allSatisfy { $0 >= 0 && $0 <= bound }, "\(failures)")
            #expect(Set(waits).count > 10 && waits.contains { $0 > bound / 2 }, "\(failures)")
        }
    }
}
