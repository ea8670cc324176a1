import LeakPlatform

@testable import LeakStore

extension ClockRule {
    /// A rule that accepts every time of the system clock immediately, because tests set the time.
    static var unguarded: ClockRule {
        var rule = ClockRule()
        (rule.maxLeadMilliseconds, rule.uptime) = (.max, { 0 })
        return rule
    }
}

/// The time for which a collector has run, which a test advances independently of the system clock.
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
