/// The list of known leaks that a reader applies. The store does not save it: another list changes what is shown from the next
/// start on, and nothing that was counted.
public struct KnownLeaks: Sendable {
    public let entries: [KnownLeakRule]
    /// Indices of ``entries`` by the class they name.
    private let byClass: [ByteText: [Int]]
    /// Indices of ``entries`` whose class ends in `*`.
    private let byPrefix: [Int]

    public static let none = KnownLeaks([])

    /// - Parameter entries: if two entries match equally many reports of a leak, the first one explains it.
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

    /// Ranges of the classes that the entries name, in the order of their bytes.
    package var classRanges: [(first: String, last: String)] {
        byClass.keys.map { ($0.text, $0.text) } + byPrefix.map { entries[$0].className.range }
    }

    /// Returns `true` if an entry names the class. Few leaks pass this test, and only they cost a closer look.
    package func names(_ className: String?) -> Bool {
        guard let className else { return false }
        return byClass[ByteText(className)] != nil
            || byPrefix.contains { entries[$0].className.matches(className) }
    }

    /// - Returns: `nil` if no report of the leak matches an entry.
    package func match(_ leak: ObservedLeak) -> KnownMatch? {
        let prefixed = byPrefix.filter { entries[$0].className.matches(leak.className) }
        let fitting = ((byClass[ByteText(leak.className)] ?? []) + prefixed).sorted().map { entries[$0] }
            .filter { ($0.kind == nil || $0.kind == leak.kind) && $0.describes(stack: leak.stack) }
        var best: KnownMatch?
        for entry in fitting {
            let reports = entry.reports(of: leak)
            if reports > best?.reports ?? 0 { best = KnownMatch(leak: entry, reports: reports, elsewhere: 0) }
        }
        guard var best else { return nil }
        // Reports from a system that any matching entry covers do not count as elsewhere.
        for system in leak.systems where !fitting.contains(where: { $0.covers(system.value) }) {
            best.elsewhere.addBounded(system.reports)
        }
        return best
    }
}
