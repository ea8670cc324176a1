/// A leak that the system causes and the app cannot fix: its class and stack, the systems where it happens, and the address of
/// its documentation.
///
/// This type is a class so that the thousands of leaks that one rule may describe share it.
public final class KnownLeakRule: Hashable, Sendable {
    /// The name by which an operator disables the rule.
    public let id: String
    /// The class without its module.
    public let className: NamePattern
    /// Patterns that elements of the leak's stack match in this order; other elements may come between them. Empty for any
    /// stack.
    public let stack: [NamePattern]
    /// ``LeakIdentity/kind`` of the leak; `nil` for any kind.
    public let kind: String?
    /// The systems where the leak happens. Empty for every system.
    public let systems: [SystemRange]
    /// Description of what happens, in one sentence.
    public let reason: String
    /// Address of the documentation.
    public let source: String

    public init(
        id: String, className: NamePattern, stack: [NamePattern] = [], kind: String? = nil,
        systems: [SystemRange] = [], reason: String, source: String
    ) {
        self.id = id
        self.className = className
        self.stack = stack
        self.kind = kind
        self.systems = systems
        self.reason = reason
        self.source = source
    }

    public static func == (one: KnownLeakRule, other: KnownLeakRule) -> Bool {
        one === other
            || (one.id == other.id && one.className == other.className && one.stack == other.stack
                && one.kind == other.kind && one.systems == other.systems && one.reason == other.reason
                && one.source == other.source)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// Returns `true` if elements of the leak's stack match all patterns of ``stack``, in this order.
    func describes(stack: [String]) -> Bool {
        var remaining = stack[...]
        for pattern in self.stack {
            guard let index = remaining.firstIndex(where: { pattern.matches($0) }) else { return false }
            remaining = remaining[(index + 1)...]
        }
        return true
    }

    /// Returns the number of a leak's reports that come from systems where the known leak happens.
    func reports(of leak: ObservedLeak) -> Int {
        guard !systems.isEmpty else { return leak.reports }
        return leak.systems.reduce(into: 0) { sum, system in
            if covers(system.value) { sum.addBounded(system.reports) }
        }
    }

    /// Returns `true` if the known leak happens in this system, such as `iOS 18.1`.
    func covers(_ system: String) -> Bool {
        systems.isEmpty || systems.contains { $0.contains(system) }
    }
}

/// The properties of a leak that are compared with a ``KnownLeakRule``.
package struct ObservedLeak: Sendable {
    package var className: String
    package var kind: String
    package var stack: [String]
    package var reports: Int
    /// Reports by system. Reports that name no system are not included.
    package var systems: [(value: String, reports: Int)]

    package init(
        className: String, kind: String, stack: [String], reports: Int,
        systems: [(value: String, reports: Int)]
    ) {
        self.className = className
        self.kind = kind
        self.stack = stack
        self.reports = reports
        self.systems = systems
    }
}

/// The known leak that explains a leak, or a part of its reports.
public struct KnownMatch: Hashable, Sendable {
    /// The rule that matches the most reports.
    public var rule: KnownLeakRule
    /// Reports from systems where this known leak happens.
    public var reports: Int
    /// Reports from systems that no rule for this leak covers. If there are any, the app causes the leak as well.
    public var reportsElsewhere: Int

    public init(rule: KnownLeakRule, reports: Int, reportsElsewhere: Int) {
        self.rule = rule
        self.reports = reports
        self.reportsElsewhere = reportsElsewhere
    }

    /// `true` if every report that names a system comes from a system that a rule for this leak covers.
    public var coversAllReports: Bool { reportsElsewhere == 0 }
}

extension LeakRow {
    /// Stores the known leak that explains this leak; `nil` if there is none. The state becomes ``LeakState/known`` if
    /// ``KnownMatch/coversAllReports``.
    package mutating func mark(_ match: KnownMatch?) {
        known = match
        if match?.coversAllReports == true { state = .known }
    }
}

/// The number of leaks in a set of leaks, and the number of their reports.
public struct LeakTotals: Hashable, Sendable {
    public var leaks = 0
    public var reports = 0

    public init(leaks: Int = 0, reports: Int = 0) {
        self.leaks = leaks
        self.reports = reports
    }
}
