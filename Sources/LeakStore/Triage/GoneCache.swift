/// How many leaks of a release the next one does not have, for as long as neither has more.
package struct GoneCache {
    /// Of many apps; 0.5 MiB.
    private static let capacity = 5_000

    private var counts: [Int64: (leaks: Int, former: Int64, formerLeaks: Int, gone: Int)] = [:]

    package init() {}

    package func gone(in release: Int64, _ leaks: Int, from former: Int64, _ formerLeaks: Int) -> Int? {
        guard let known = counts[release],
            (known.leaks, known.former, known.formerLeaks) == (leaks, former, formerLeaks)
        else { return nil }
        return known.gone
    }

    package mutating func keep(
        _ gone: Int, in release: Int64, _ leaks: Int, from former: Int64, _ formerLeaks: Int
    ) {
        if counts.count >= Self.capacity { counts.removeAll() }
        counts[release] = (leaks, former, formerLeaks, gone)
    }
}
