import LeakPlatform

@testable import LeakStore

extension ClockRule {
    /// A rule that accepts every time of the system clock at once, because tests set the time.
    static var unguarded: ClockRule {
        var rule = ClockRule()
        (rule.maxLeadMilliseconds, rule.uptime) = (.max, { 0 })
        return rule
    }
}

/// A running time that a test advances independently of the system clock.
final class TestUptime: Sendable {
    private let milliseconds = Guarded<Int64>(0)

    func run(for milliseconds: Int64) { self.milliseconds.with { $0 += milliseconds } }

    /// The rule that a collector uses, with this running time.
    var rule: ClockRule {
        var rule = ClockRule()
        rule.uptime = { [milliseconds] in milliseconds.with { $0 } }
        return rule
    }
}
