/// The rules for known leaks that a reader applies. The rules are not stored: if an operator changes them, the results change
/// from the next start on, and the counts stay the same.
public struct KnownLeaks: Sendable {
    public let entries: [KnownLeakRule]
    /// Indices of the ``entries`` with a full class name, by this name.
    private let byClass: [ByteText: [Int]]
    /// Indices of the ``entries`` whose class ends in `*`.
    private let byPrefix: [Int]

    public static let none = KnownLeaks([])

    /// - Parameter entries: if two rules match the same number of reports of a leak, the first rule explains the leak.
    public init(_ entries: [KnownLeakRule]) {
        self.entries = entries
        var byClass: [ByteText: [Int]] = [:]
        var byPrefix: [Int] = []
        for (index, entry) in entries.enumerated() {
            let range = entry.className.range
            if ByteText(range.first) == ByteText(range.last) {
                byClass[ByteText(range.first), default: []].append(index)
            } else {
                byPrefix.append(index)
            }
        }
        self.byClass = byClass
        self.byPrefix = byPrefix
    }

    /// For each rule, the first and last class name that it matches, in the order of their bytes.
    package var classRanges: [(first: String, last: String)] {
        byClass.keys.map { ($0.text, $0.text) } + byPrefix.map { entries[$0].className.range }
    }

    /// Returns `true` if a rule names the class. This test is fast, and few leaks pass it; only these need ``match(_:)``.
    package func namesClass(_ className: String?) -> Bool {
        guard let className else { return false }
        return byClass[ByteText(className)] != nil
            || byPrefix.contains { entries[$0].className.matches(className) }
    }

    /// Returns the rule that matches the most reports of a leak.
    ///
    /// - Returns: `nil` if no report of the leak matches a rule.
    package func match(_ leak: ObservedLeak) -> KnownMatch? {
        let prefixMatches = byPrefix.filter { entries[$0].className.matches(leak.className) }
        let matchingRules = ((byClass[ByteText(leak.className)] ?? []) + prefixMatches).sorted().map {
            entries[$0]
        }
        .filter { ($0.kind == nil || $0.kind == leak.kind) && $0.describes(stack: leak.stack) }
        var bestMatch: KnownMatch?
        for rule in matchingRules {
            let reports = rule.reports(of: leak)
            if reports > bestMatch?.reports ?? 0 {
                bestMatch = KnownMatch(rule: rule, reports: reports, reportsElsewhere: 0)
            }
        }
        guard var bestMatch else { return nil }
        // Counts the reports from systems that no matching rule covers.
        for system in leak.systems where !matchingRules.contains(where: { $0.covers(system.value) }) {
            bestMatch.reportsElsewhere.addBounded(system.reports)
        }
        return bestMatch
    }
}
