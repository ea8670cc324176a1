import Testing

@testable import LeakDetectorTesting

@Suite struct PollDelaysTests {
    @Test(arguments: [0.0005, 0.001, 0.0042, 0.1, 1, 3.3])
    func `the pauses of a wait add up to the requested time`(seconds: Double) {
        #expect(abs(Array(PollDelays(within: seconds)).reduce(0, +) - seconds) < 1e-9)
    }

    @Test(arguments: [0, -1, -Double.infinity, .nan])
    func `a wait has no pauses if its time is zero, negative or not a number`(seconds: Double) {
        #expect(Array(PollDelays(within: seconds)).isEmpty)
    }

    @Test func `the pauses of a wait double from a thousandth to a twentieth of a second`() {
        #expect(
            Array(PollDelays(within: 10).prefix(8)) == [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.05, 0.05])
    }

    @Test func `a wait with an infinite time ends after a day`() {
        #expect(abs(Array(PollDelays(within: .infinity)).reduce(0, +) - 86_400) < 1e-3)
    }
}
