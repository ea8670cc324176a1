import LeakMessage

/// Checks that wait to be written down: one sum for each class, and one of all objects that were not looked at.
struct CheckCounts: Hashable, Sendable {
    private var counts: [String: Int] = [:]
    private(set) var unseen = 0

    init(_ checks: [ClassChecks]) {
        for check in checks { add(unseen: check.unseen) }
        for check in checks where check.count > 0 {
            counts[check.className] = Self.sum(counts[check.className] ?? 0, check.count)
        }
    }

    /// The checks, by name of the class.
    var list: [ClassChecks] {
        counts.sorted { $0.key < $1.key }.map { ClassChecks(className: $0.key, count: $0.value) }
    }

    /// What they count for against the bound of what waits.
    var bytes: Int { counts.keys.reduce(0) { $0 + Self.bytes(of: $1) } }

    /// Adds other checks.
    ///
    /// - Returns: the bytes that these are longer then; `nil` when those are more than `room`, and nothing was added.
    mutating func add(_ other: CheckCounts, _ room: Int) -> Int? {
        var growth = 0
        var newClasses = 0
        for (name, count) in other.counts {
            guard let former = counts[name] else {
                newClasses += 1
                growth += Self.bytes(of: name)
                continue
            }
            guard former + count <= WireLimits.classChecks else { return nil }
        }
        guard growth <= room, counts.count + newClasses <= WireLimits.checksCount else { return nil }
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
