/// Where any thread leaves items and one thread takes them, within bounds.
///
/// Leaving an item waits for no more than other such short steps. A signal's handler that interrupts one on its own
/// thread is refused instead of waiting for itself. Memory is asked for only when more items wait than ever before.
@safe
public final class Mailbox<Item: Sendable>: @unchecked Sendable {
    // Unchecked: `state` is touched under the lock, `spare` by the one thread that takes.
    private let monitor = Monitor()
    /// Behind a pointer: a handler may not meet the book-keeping of exclusive accesses half done.
    private let state: UnsafeMutablePointer<State>
    private var spare = Shelf<Item>()
    private let itemLimit: Int
    private let byteLimit: Int

    private struct State: ~Copyable {
        var shelf = Shelf<Item>()
        var bytes = 0
        var weight = 0
        var sequence: UInt64 = 0
        var refusals = MailboxRefusals()
        var isTakerAsleep = false
        var isClosed = false
        /// Positions of the items that others may be merged into.
        var mergeable: [MergeKey: Int] = [:]
    }

    /// - Parameters:
    ///   - items: how many may wait.
    ///   - bytes: how many they may have together, as their owners count them.
    public init(items: Int, bytes: Int) {
        Visit.prepare()
        itemLimit = items
        byteLimit = bytes
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: State())
    }

    deinit {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    /// Leaves an item, if there is room.
    ///
    /// - Parameters:
    ///   - bytes: what it counts for against the bound.
    ///   - weight: what it adds to ``weight``, or to ``refusals``; of none, it is counted as a call.
    ///   - isPreferred: whether it may take the reserve, as much again as the bounds.
    ///   - isBarrier: whether nothing that comes later may be merged into what is there.
    /// - Returns: how many have been left so far, this one included; `nil` when it was not taken, which
    ///   ``refusals`` count.
    public func offer(
        _ item: consuming Item, bytes: Int, weight: Int = 1, isPreferred: Bool = false, isBarrier: Bool = true
    ) -> UInt64? {
        add(item, bytes: max(bytes, 0), weight: weight, bounds: isPreferred ? 2 : 1, isBarrier: isBarrier)
    }

    /// Leaves an item as ``offer(_:bytes:weight:isPreferred:isBarrier:)`` does, unless half of the room is taken.
    ///
    /// - Returns: `false` when half of the room is taken: then nothing was done. ``merge(_:bytes:weight:key:into:)`` is next.
    public func offerUnlessCrowded(_ item: consuming Item, bytes: Int, weight: Int) -> Bool {
        var isCrowded = false
        var item: Item? = consume item
        _ = alone {
            let bytes = max(bytes, 0)
            let (sum, isTooLarge) = unsafe state.pointee.bytes.addingReportingOverflow(bytes)
            isCrowded =
                unsafe isTooLarge || sum > byteLimit / 2 || state.pointee.shelf.count >= itemLimit / 2
            guard !isCrowded, let item = item.take() else { return }
            if unsafe state.pointee.isClosed {
                unsafe state.pointee.refusals.closed &+= weight
            } else {
                leave(item, bytes, weight)
            }
        }
        return !isCrowded
    }

    /// Merges an item into one that waits and has the same key. Leaves it where there is none, if there is room.
    ///
    /// Items that were left otherwise have no key. What was left before an item that is a barrier takes no more.
    ///
    /// - Parameters:
    ///   - weight: what it adds to ``weight``, or to ``refusals``.
    ///   - body: adds the item to the one that waits; `false` if that takes no more. Called under the lock: it must be short.
    public func merge(
        _ item: consuming Item, bytes: Int, weight: Int, key: MergeKey, into body: (inout Item) -> Bool
    ) {
        var item: Item? = consume item
        _ = alone {
            if unsafe state.pointee.isClosed {
                unsafe state.pointee.refusals.closed &+= weight
                return
            }
            if let index = unsafe state.pointee.mergeable[key],
                unsafe state.pointee.shelf.change(at: index, body)
            {
                unsafe state.pointee.weight &+= weight
                return
            }
            let (sum, isTooLarge) = unsafe state.pointee.bytes.addingReportingOverflow(max(bytes, 0))
            let isFull = unsafe isTooLarge || sum > byteLimit || state.pointee.shelf.count >= itemLimit
            guard !isFull, let item = item.take() else {
                unsafe state.pointee.refusals.full &+= weight
                return
            }
            unsafe state.pointee.mergeable[key] = state.pointee.shelf.count
            leave(item, max(bytes, 0), weight)
        }
    }

    /// Leaves an item whether there is room or not: for the few without which nothing goes on.
    ///
    /// - Returns: how many have been left so far, this one included; `nil` after ``close()``, and in a handler that
    ///   interrupted a call of this mailbox.
    @discardableResult
    public func insist(_ item: consuming Item) -> UInt64? {
        add(item, bytes: 0, weight: 0, bounds: nil, isBarrier: true)
    }

    /// - Parameter bounds: how many times the bounds it may take; `nil` for any.
    private func add(
        _ item: consuming Item, bytes: Int, weight: Int, bounds: Int?, isBarrier: Bool
    ) -> UInt64? {
        // The compiler cannot see that the closure runs once at most.
        var item: Item? = consume item
        let sequence: UInt64?? = alone {
            if unsafe state.pointee.isClosed {
                unsafe state.pointee.refusals.closed &+= weight
                return nil
            }
            let (sum, isTooLarge) = unsafe state.pointee.bytes.addingReportingOverflow(bytes)
            let isFull =
                bounds.map {
                    unsafe isTooLarge || sum / $0 > byteLimit || state.pointee.shelf.count / $0 >= itemLimit
                } ?? false
            if isFull {
                unsafe state.pointee.refusals.full &+= weight
                if weight == 0 { unsafe state.pointee.refusals.calls += 1 }
                return nil
            }
            guard let item = item.take() else { return nil }
            if isBarrier, unsafe !state.pointee.mergeable.isEmpty {
                unsafe state.pointee.mergeable.removeAll(keepingCapacity: true)
            }
            leave(item, bytes, weight)
            return unsafe state.pointee.sequence
        }
        return sequence ?? nil
    }

    /// Called under the lock, where there is room.
    private func leave(_ item: consuming Item, _ bytes: Int, _ weight: Int) {
        unsafe state.pointee.shelf.append(item)
        unsafe state.pointee.bytes += bytes
        unsafe state.pointee.sequence += 1
        unsafe state.pointee.weight &+= weight
        if unsafe state.pointee.isTakerAsleep {
            unsafe state.pointee.isTakerAsleep = false
            monitor.wakeOne()
        }
    }

    /// Moves all that is there to the end of `items`, in order. Only one thread may ever call this.
    ///
    /// - Parameter milliseconds: how long to wait for a first item, on a clock that nobody sets; `nil` waits for good.
    /// - Returns: whether more can come. After ``close()`` it is `false`, and does not wait.
    @discardableResult
    public func take(into items: inout [Item], milliseconds: Int64?) -> Bool {
        // Against a sum that passes what an Int64 holds.
        let deadline = milliseconds.map { MonotonicTime.now + min(max($0, 0), MonotonicTime.longest) }
        let isOpen = alone {
            while unsafe state.pointee.shelf.count == 0 && !state.pointee.isClosed {
                let left = deadline.map { $0 - MonotonicTime.now }
                if let left, left <= 0 { break }
                unsafe state.pointee.isTakerAsleep = true
                monitor.wait(milliseconds: left)
                unsafe state.pointee.isTakerAsleep = false
            }
            unsafe swap(&state.pointee.shelf, &spare)
            unsafe state.pointee.bytes = 0
            if unsafe !state.pointee.mergeable.isEmpty { unsafe state.pointee.mergeable = [:] }
            return unsafe !state.pointee.isClosed
        }
        guard let isOpen else { return true }
        spare.move(to: &items)
        return isOpen
    }

    /// Refuses every item from now on and wakes the thread that takes, which can still take what is there.
    public func close() {
        _ = alone {
            unsafe state.pointee.isClosed = true
            monitor.wakeAll()
        }
    }

    /// How many items have been left; 0 in a handler that interrupted a call of this mailbox.
    public var lastSequence: UInt64 { alone { unsafe state.pointee.sequence } ?? 0 }

    /// The weights of all items that have been left, together; 0 in a handler that interrupted a call of this mailbox.
    public var weight: Int { alone { unsafe state.pointee.weight } ?? 0 }

    /// How many items were not taken; none in a handler that interrupted a call of this mailbox.
    public var refusals: MailboxRefusals { alone { unsafe state.pointee.refusals } ?? MailboxRefusals() }

    /// Runs `body` under the lock.
    ///
    /// - Returns: `nil` when this thread is inside already: in a handler that interrupted a call of this mailbox.
    func alone<Result>(_ body: () -> Result) -> Result? {
        // Written out: a method passed by its name would be an object on the heap.
        Visit.to(self, refused: { countReentrant($0) }) {
            monitor.lock()
            defer { monitor.unlock() }
            return body()
        }
    }

    /// Counts what its sender may not leave as left from within.
    public func refuse(weight: Int) { countReentrant(weight) }

    private func countReentrant(_ count: Int) {
        _ = alone { unsafe state.pointee.refusals.reentrant += count }
    }
}

/// Equal for items that may be merged: a hash of 128 bits.
public struct MergeKey: Hashable, Sendable {
    private let high: Int
    private let low: Int

    public init(_ high: Int, _ low: Int) { (self.high, self.low) = (high, low) }
}

/// How many items a ``Mailbox`` has not taken, each counted with its weight.
public struct MailboxRefusals: Hashable, Sendable {
    /// For want of room.
    public var full = 0
    /// How many calls came from a signal's handler that had interrupted a call of the same mailbox on its own thread, of
    /// whatever sort they were.
    public var reentrant = 0
    /// After the mailbox was closed.
    public var closed = 0
    /// How many items without a weight were not taken for want of room.
    public var calls = 0

    public init() {}
}
