/// A leak that the system makes and the app cannot mend: what it looks like, where it happens, and how one knows.
///
/// A class, so that the thousands of leaks that one entry may describe share it.
public final class KnownLeak: Hashable, Sendable {
    /// What an operator switches it off by.
    public let id: String
    /// The class without its module.
    public let className: NamePattern
    /// Each is an element of the leak's stack, in this order; others may stand between. Empty: under any stack.
    public let stack: [NamePattern]
    /// `nil`: of any kind.
    public let kind: String?
    /// Empty: on every system.
    public let systems: [SystemRange]
    /// What happens, in a sentence.
    public let reason: String
    /// Where that is documented: an address.
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

    public static func == (one: KnownLeak, other: KnownLeak) -> Bool {
        one === other
            || (one.id == other.id && one.className == other.className && one.stack == other.stack
                && one.kind == other.kind && one.systems == other.systems && one.reason == other.reason
                && one.source == other.source)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    func describes(stack: [String]) -> Bool {
        var rest = stack[...]
        for pattern in self.stack {
            guard let place = rest.firstIndex(where: { pattern.matches($0) }) else { return false }
            rest = rest[(place + 1)...]
        }
        return true
    }

    /// How many of a leak's reports come from where this happens.
    func reports(of leak: ObservedLeak) -> Int {
        guard !systems.isEmpty else { return leak.reports }
        return leak.systems.reduce(into: 0) { sum, system in
            if covers(system.value) { sum.addBounded(system.reports) }
        }
    }

    func covers(_ system: String) -> Bool {
        systems.isEmpty || systems.contains { $0.contains(system) }
    }
}

/// What a leak's reports say that a ``KnownLeak`` asks for.
package struct ObservedLeak: Sendable {
    package var className: String
    package var kind: String
    package var stack: [String]
    package var reports: Int
    /// Reports that name no system are in none of them.
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

/// Why a leak, or a part of its reports, is the system's.
public struct KnownMatch: Hashable, Sendable {
    /// The entry that most of the reports fit.
    public var leak: KnownLeak
    /// Reports from systems where this happens.
    public var reports: Int
    /// Reports from systems where nothing of the kind is known. As long as there are any, the leak is the app's as well.
    public var elsewhere: Int

    public init(leak: KnownLeak, reports: Int, elsewhere: Int) {
        self.leak = leak
        self.reports = reports
        self.elsewhere = elsewhere
    }

    /// Whether nothing speaks against the system.
    public var isAll: Bool { elsewhere == 0 }
}

extension LeakRow {
    package mutating func mark(_ match: KnownMatch?) {
        known = match
        if match?.isAll == true { state = .known }
    }
}

/// How many leaks are the system's alone.
public struct KnownTotals: Hashable, Sendable {
    public var leaks = 0
    public var reports = 0

    public init(leaks: Int = 0, reports: Int = 0) {
        self.leaks = leaks
        self.reports = reports
    }
}
