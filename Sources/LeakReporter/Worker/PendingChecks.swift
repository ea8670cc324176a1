import LeakMessage

/// Counts of checks that wait to be stored: one sum per class, and one sum of all objects that were not checked.
struct PendingChecks: Hashable, Sendable {
    private var counts: [String: Int] = [:]
    private(set) var unseen = 0

    init(_ checks: [ClassChecks]) {
        for check in checks { add(unseen: check.unseen) }
        for check in checks where check.count > 0 {
            counts[check.className] = Self.sum(counts[check.className] ?? 0, check.count)
        }
    }

    /// The checks, sorted by the name of the class.
    var list: [ClassChecks] {
        counts.sorted { $0.key < $1.key }.map { ClassChecks(className: $0.key, count: $0.value) }
    }

    /// The bytes that the checks count toward the limit of the entry queue.
    var bytes: Int { counts.keys.reduce(0) { $0 + Self.bytes(of: $1) } }

    /// Adds other checks.
    ///
    /// - Returns: the growth in bytes; `nil` if it exceeds `freeBytes`, or if another limit is exceeded; nothing is added then.
    mutating func add(_ other: PendingChecks, _ freeBytes: Int) -> Int? {
        var growth = 0
        var newClasses = 0
        for (name, count) in other.counts {
            guard let currentCount = counts[name] else {
                newClasses += 1
                growth += Self.bytes(of: name)
                continue
            }
            guard currentCount + count <= WireLimits.classChecks else { return nil }
        }
        guard growth <= freeBytes, counts.count + newClasses <= WireLimits.checkedClassCount else {
            return nil
        }
        counts.merge(other.counts, uniquingKeysWith: +)
        add(unseen: other.unseen)
        return growth
    }

    private mutating func add(unseen count: Int) {
        let (sum, isTooLarge) = unseen.addingReportingOverflow(max(count, 0))
        unseen = isTooLarge ? .max : sum
    }

    private static func bytes(of name: String) -> Int { name.utf8.count + 64 }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        min(one + min(other, WireLimits.classChecks), WireLimits.classChecks)
    }
}
