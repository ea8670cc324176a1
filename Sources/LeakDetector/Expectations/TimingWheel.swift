/// Elements by the time at which they are due, in buckets of one tick each: adding and removing an element take the same time
/// for any number of elements.
///
/// A bucket holds the ticks that are ``bucketCount`` apart, so that any time fits. Times are milliseconds of one
/// clock; a time is rounded up to the next tick, so nothing is due early.
/// Varghese and Lauck, “Hashed and Hierarchical Timing Wheels”, scheme 6. https://doi.org/10.1145/41457.37504
struct TimingWheel<Element> {
    /// The length of a tick. A wake-up takes about 100 µs of processor time, so the tick limits wake-ups to ten per second.
    static var tickMilliseconds: Int { 100 }
    /// The wheel spans 6.4 s: longer than the usual grace periods.
    static var bucketCount: Int { 64 }

    private struct Entry {
        let tick: Int
        let element: Element
    }

    private struct Bucket {
        var entries: [Entry] = []
        var earliest = Int.max
    }

    /// The buckets, created when the first element is inserted: many detectors never see an object that outlives its grace
    /// period.
    private var buckets: [Bucket] = []
    /// All elements up to this tick were taken.
    private var lastTakenTick = -1
    private(set) var count = 0

    /// The time at which the next element is due, or `nil` when there is none.
    var nextDue: Int? {
        guard count > 0, let earliest = buckets.map(\.earliest).min() else { return nil }
        return earliest.multipliedReportingOverflow(by: Self.tickMilliseconds).partialValue
    }

    mutating func insert(_ element: Element, dueAt due: Int) {
        // Subtracts one before the division, so that times near the largest do not overflow.
        let roundedUp = due <= 0 ? 0 : (due - 1) / Self.tickMilliseconds + 1
        let tick = max(roundedUp, lastTakenTick + 1)
        let index = tick % Self.bucketCount
        if buckets.isEmpty { buckets = Array(repeating: Bucket(), count: Self.bucketCount) }
        buckets[index].entries.append(Entry(tick: tick, element: element))
        buckets[index].earliest = min(buckets[index].earliest, tick)
        count += 1
    }

    /// Removes elements, due or not, and returns them.
    mutating func take(where isTaken: (Element) -> Bool) -> [Element] {
        var removedElements: [Element] = []
        for index in buckets.indices where !buckets[index].entries.isEmpty {
            let before = removedElements.count
            buckets[index].entries.removeAll { entry in
                guard isTaken(entry.element) else { return false }
                removedElements.append(entry.element)
                return true
            }
            guard removedElements.count > before else { continue }
            buckets[index].earliest = buckets[index].entries.map(\.tick).min() ?? .max
        }
        count -= removedElements.count
        return removedElements
    }

    /// Removes the elements that are due, and returns them by tick, and within a tick in the order of insertion.
    mutating func takeDue(at now: Int) -> [Element] {
        let tick = now < 0 ? -1 : now / Self.tickMilliseconds
        guard tick > lastTakenTick else { return [] }
        let from = lastTakenTick + 1
        lastTakenTick = tick
        guard count > 0 else { return [] }
        var due: [Entry] = []
        for offset in 0..<min(tick - from + 1, Self.bucketCount) {
            let index = (from + offset) % Self.bucketCount
            guard buckets[index].earliest <= tick else { continue }
            let entries = buckets[index].entries
            due += entries.filter { $0.tick <= tick }
            buckets[index].entries = entries.filter { $0.tick > tick }
            buckets[index].earliest = buckets[index].entries.map(\.tick).min() ?? .max
        }
        count -= due.count
        let order = due.indices.sorted { (due[$0].tick, $0) < (due[$1].tick, $1) }
        return order.map { due[$0].element }
    }
}
