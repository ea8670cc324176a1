/// A buffer for items that are added one by one and removed together, in order.
///
/// Unlike an array, it is never copied, and it keeps room for ``smallestCapacity`` items after its items are removed.
@safe
struct MoveBuffer<Item>: ~Copyable {
    static var smallestCapacity: Int { 64 }

    private var items: UnsafeMutablePointer<Item>
    private(set) var capacity = Self.smallestCapacity
    private(set) var count = 0

    init() { unsafe items = .allocate(capacity: Self.smallestCapacity) }

    deinit {
        unsafe items.deinitialize(count: count)
        unsafe items.deallocate()
    }

    mutating func append(_ item: consuming Item) {
        if count == capacity { resize(to: capacity * 2) }
        unsafe (items + count).initialize(to: item)
        count += 1
    }

    /// Runs `body` with the item at `index`, which must exist.
    func change<Result>(at index: Int, _ body: (inout Item) -> Result) -> Result {
        unsafe body(&items[index])
    }

    /// Moves all items to the end of `taken`, and shrinks the buffer to ``smallestCapacity`` if it has grown.
    mutating func move(to taken: inout [Item]) {
        unsafe taken.append(contentsOf: UnsafeBufferPointer(start: items, count: count))
        unsafe items.deinitialize(count: count)
        count = 0
        if capacity > Self.smallestCapacity { resize(to: Self.smallestCapacity) }
    }

    private mutating func resize(to capacity: Int) {
        let former = unsafe items
        unsafe items = .allocate(capacity: capacity)
        unsafe items.moveInitialize(from: former, count: count)
        unsafe former.deallocate()
        self.capacity = capacity
    }
}
