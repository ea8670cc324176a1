import LeakPlatform

@testable import LeakStore

extension ClockRule {
    /// A rule that follows every step of the clock, because tests set the time.
    static var unguarded: ClockRule {
        var rule = ClockRule()
        (rule.step, rule.uptime) = (.max, { 0 })
        return rule
    }
}

/// Running time that a test controls, besides the system clock.
final class TestUptime: Sendable {
    private let milliseconds = Guarded<Int64>(0)

    func run(for milliseconds: Int64) { self.milliseconds.with { $0 += milliseconds } }

    /// The rule of a collector, by this running time.
    var rule: ClockRule {
        var rule = ClockRule()
        rule.uptime = { [milliseconds] in milliseconds.with { $0 } }
        return rule
    }
}
