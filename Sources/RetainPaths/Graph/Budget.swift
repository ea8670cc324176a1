/// Limits of one search.
public struct Budget: Hashable, Sendable {
    /// The maximum number of visited objects, including contexts of closures and storage of containers.
    public var objects: Int
    /// The maximum number of buffers: storage of strings, and of containers whose elements hold no references. Buffers only
    /// count in the cost of an object.
    public var buffers: Int
    /// The maximum number of references in a reported cycle. If all cycles are longer, the shortest is reported with its first
    /// references only.
    public var cycleLength: Int
    /// The maximum number of different cycles that are reported.
    public var cycles: Int
    /// The maximum number of bytes that are copied. Copying a page of 4 KiB takes 0.9 µs.
    public var pageBytes: Int
    /// The maximum time of one search of the heap, at most an hour. A search that reaches this time keeps the
    /// results of the rounds that it finished.
    public var searchTime: Duration

    /// Makes a budget. Values outside of their limits are moved to the nearest limit.
    public init(
        objects: Int, buffers: Int, cycleLength: Int, cycles: Int, pageBytes: Int, searchTime: Duration
    ) {
        self.objects = min(max(objects, 1), Self.largest)
        self.buffers = min(max(buffers, 0), Self.largest)
        self.cycleLength = min(max(cycleLength, 1), Self.largest)
        self.cycles = min(max(cycles, 0), Self.largest)
        self.pageBytes = max(pageBytes, 0)
        self.searchTime = min(max(searchTime, .zero), .seconds(3_600))
    }

    /// The maximum of each number in a budget. Objects, and at most 16 times as many references, are numbered with 32 bits.
    private static let largest = 1 << 26

    /// The budget with every number within its limits.
    var limited: Budget {
        Budget(
            objects: objects, buffers: buffers, cycleLength: cycleLength, cycles: cycles,
            pageBytes: pageBytes,
            searchTime: searchTime
        )
    }

    /// The budget for apps in the field: at most about 1 ms for one walk, without a search of the heap. An explanation takes
    /// two to eight walks, and more if it searches for a holder, see ``RetainPathFinder/budget``.
    public static let release = Budget(
        objects: 2_000, buffers: 2_000, cycleLength: 12, cycles: 8, pageBytes: 4 << 20,
        searchTime: .milliseconds(500))

    /// The budget for tests and tools, where completeness matters more than time: about 20 ms for a walk over 100,000 objects.
    public static let thorough = Budget(
        objects: 1_000_000, buffers: 1_000_000, cycleLength: 12, cycles: 8, pageBytes: 1 << 30,
        searchTime: .seconds(10))
}
