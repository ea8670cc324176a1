/// Delays between checks of objects that may still be deallocated, in seconds: short at first, so that a test ends soon if its
/// objects are deallocated soon.
///
/// The delays add up to the requested time. The sum uses the requested delays and not a clock, so a stop in a debugger or a busy
/// machine does not use up the time of the objects.
struct PollDelays: Sequence, IteratorProtocol {
    static let shortest = 0.001
    static let longest = 0.05
    /// The longest wait, a day. A longer wait is a mistake.
    static let longestWait = 86_400.0

    /// The rest of the requested time, in seconds.
    private var remainingSeconds: Double
    private var nextDelay = shortest

    /// - Parameter seconds: the sum of all delays, at most ``longestWait``; a value that is not above 0 means no delay.
    init(within seconds: Double) {
        // The condition is written so that NaN means no delay.
        remainingSeconds = seconds > 0 ? Swift.min(seconds, Self.longestWait) : 0
    }

    mutating func next() -> Double? {
        guard remainingSeconds > 0 else { return nil }
        let pause = Swift.min(nextDelay, remainingSeconds)
        remainingSeconds -= pause
        nextDelay = Swift.min(nextDelay * 2, Self.longest)
        return pause
    }
}
