/// How long to pause between looks at objects that may go yet, in seconds: short at first, so that a test whose objects
/// go soon ends soon.
///
/// The pauses add up to the time asked for. Counting what was asked for in place of what a clock shows keeps a stop in
/// a debugger, or a machine that is busy elsewhere, from eating the time that objects have.
struct Pauses: Sequence, IteratorProtocol {
    static let shortest = 0.001
    static let longest = 0.05
    /// A day: a longer wait is a mistake.
    static let longestWait = 86_400.0

    private var left: Double
    private var upcoming = shortest

    /// - Parameter seconds: the sum of all pauses; what is not above 0 is none.
    init(within seconds: Double) {
        // Written so that NaN is no pause at all.
        left = seconds > 0 ? Swift.min(seconds, Self.longestWait) : 0
    }

    mutating func next() -> Double? {
        guard left > 0 else { return nil }
        let pause = Swift.min(upcoming, left)
        left -= pause
        upcoming = Swift.min(upcoming * 2, Self.longest)
        return pause
    }
}
