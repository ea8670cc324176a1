internal import LeakPlatform

/// A bounded queue to which any thread adds items and from which one thread takes them.
///
/// Apart from ``take(into:milliseconds:)``, a call waits only for the short steps of other threads under the lock. A call of a
/// signal handler that interrupts such a step on its own thread is rejected, because it would deadlock.
/// ``offer(_:bytes:weight:in:separating:)`` allocates memory only if the buffer must grow beyond its smallest capacity.
@safe
final class BoundedQueue<Item: Sendable>: @unchecked Sendable {
    // `Sendable` is unchecked: `state` is accessed only while `monitor` is locked, and `spare` only by the one thread that takes
    // items.
    private let monitor = Monitor()
    /// The state. It is behind a pointer, because a signal handler must not interrupt Swift's checks of exclusive access.
    private let state: UnsafeMutablePointer<State>
    private var spare = MoveBuffer<Item>()
    private let itemLimit: Int
    private let byteLimit: Int

    private struct State: ~Copyable {
        var buffer = MoveBuffer<Item>()
        var ordinary = Usage()
        var reserve = Usage()
        var weight = 0
        var sequence: UInt64 = 0
        var rejections = QueueRejections()
        var isConsumerWaiting = false
        var isClosed = false
        var settings = Settings()
        /// Positions of the items that later items may be merged into, by key.
        var positions: [MergeKey: Int] = [:]
        /// The same positions by the coarser key, which is used when room is short.
        var coarsePositions: [MergeKey: Int] = [:]
        /// Positions of the items that ``BoundedQueue/mergeAhead(_:bytes:key:into:)`` added, by key.
        var positionsAhead: [MergeKey: Int] = [:]

        /// Stops later items from being merged into waiting items, except into those of
        /// ``BoundedQueue/mergeAhead(_:bytes:key:into:)``.
        mutating func endMerging() {
            if !positions.isEmpty { positions.removeAll(keepingCapacity: true) }
            if !coarsePositions.isEmpty { coarsePositions.removeAll(keepingCapacity: true) }
        }

        /// Stops later items from being merged into waiting items.
        mutating func endAllMerging() {
            endMerging()
            if !positionsAhead.isEmpty { positionsAhead.removeAll(keepingCapacity: true) }
            settings = Settings()
        }
    }

    /// The room used by items.
    private struct Usage {
        var bytes = 0
        var itemCount = 0
    }

    private enum Share {
        case half, threeQuarters, whole

        func of(_ limit: Int) -> Int {
            switch self {
            case .half: limit / 2
            case .threeQuarters: limit - limit / 4
            case .whole: limit
            }
        }
    }

    /// The settings that were changed since items were last taken, or since the last item with the barrier
    /// ``MergeBarrier/all``, and hashes of their values.
    private struct Settings {
        private var values: [MergeKey: MergeKey] = [:]
        private(set) var hash = MergeKey(0, 0)
        private(set) var coarseHash = MergeKey(0, 0)
        /// Position of the last change of settings; `nil` once an item that depends on it follows.
        var position: Int?

        /// If more than this number of settings were changed, waiting items accept no more merges, and the hashes start again.
        private static var limit: Int { 256 }

        mutating func set(_ changes: [QueueSetting]) {
            for change in changes {
                let former = values.updateValue(change.value, forKey: change.name) ?? MergeKey(0, 0)
                hash = hash.combined(with: former).combined(with: change.value)
                guard change.isCoarse else { continue }
                coarseHash = coarseHash.combined(with: former).combined(with: change.value)
            }
        }

        var isFull: Bool { values.count > Self.limit }
    }

    /// - Parameters:
    ///   - items: the most items that may wait.
    ///   - bytes: the most bytes of all waiting items together, as their callers count them.
    init(items: Int, bytes: Int) {
        ReentrancyGuard.prepare()
        itemLimit = items
        byteLimit = bytes
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: State())
    }

    deinit {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    /// Adds an item, if there is room.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that the item counts against the limit.
    ///   - weight: the number that the item adds to ``weight``, or to ``rejections`` if it is rejected. An item with weight
    ///     0 that finds no room is counted in ``QueueRejections/weightlessItems``.
    ///   - room: the share of the queue that the item may use.
    ///   - separation: the later items that must not be merged into earlier items.
    /// - Returns: the number of items added so far, including this item; `nil` if the item was rejected, which ``rejections``
    ///   counts.
    func offer(
        _ item: consuming Item, bytes: Int, weight: Int = 1, in room: QueueRoom = .ordinary,
        separating separation: MergeBarrier = .all
    ) -> UInt64? {
        add(item, bytes: max(bytes, 0), weight: weight, in: room, separating: separation)
    }

    /// Adds an item without a key, unless half of the room is used.
    ///
    /// - Returns: `false` if half of the room is used. Then the item was not added, and the caller uses
    ///   ``merge(_:bytes:weight:key:coarseKey:into:)`` instead.
    func offerUnlessHalfFull(_ item: consuming Item, bytes: Int, weight: Int) -> Bool {
        var isHalfFull = false
        var item: Item? = consume item
        _ = withLock {
            let bytes = max(bytes, 0)
            isHalfFull = !fits(bytes, .half)
            guard !isHalfFull, let item = item.take() else { return }
            if unsafe state.pointee.isClosed {
                unsafe state.pointee.rejections.closed &+= weight
            } else {
                unsafe state.pointee.settings.position = nil
                append(item, bytes: bytes, weight: weight, in: .ordinary)
            }
        }
        return !isHalfFull
    }

    /// Merges an item into a waiting item that has the same key and was added under the same settings. If there is no such item,
    /// adds the item if there is room. In the last quarter of the room, it is enough that the coarser key and the coarse
    /// settings are the same.
    ///
    /// The item is never merged into items that other functions added, nor into items before a separating item.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that the item counts against the limit if it is added.
    ///   - weight: the number that the item adds to ``weight``, or to ``rejections`` if it is rejected.
    ///   - body: merges the item into the waiting item; returns `false` if the waiting item accepts no more. Called under the lock: it
    ///     must be short.
    func merge(
        _ item: consuming Item, bytes: Int, weight: Int, key: MergeKey, coarseKey: MergeKey,
        into body: (inout Item) -> Bool
    ) {
        var item: Item? = consume item
        _ = withLock {
            if unsafe state.pointee.isClosed {
                unsafe state.pointee.rejections.closed &+= weight
                return
            }
            let bytes = max(bytes, 0)
            let key = unsafe key.combined(with: state.pointee.settings.hash)
            let coarseKey = unsafe coarseKey.combined(with: state.pointee.settings.coarseHash)
            var position = unsafe state.pointee.positions[key]
            if position == nil, !fits(bytes, .threeQuarters) {
                position = unsafe state.pointee.coarsePositions[coarseKey]
            }
            if let position, unsafe state.pointee.buffer.change(at: position, body) {
                unsafe state.pointee.weight &+= weight
                return
            }
            guard fits(bytes, .whole), let item = item.take() else {
                unsafe state.pointee.rejections.full &+= weight
                return
            }
            unsafe state.pointee.positions[key] = state.pointee.buffer.count
            unsafe state.pointee.coarsePositions[coarseKey] = state.pointee.buffer.count
            unsafe state.pointee.settings.position = nil
            append(item, bytes: bytes, weight: weight, in: .ordinary)
        }
    }

    /// Merges an item into a waiting item that this function added with the same key. If there is none, adds the item in the
    /// reserve, where other items take no room from it. Then later items of ``merge(_:bytes:weight:key:coarseKey:into:)`` are
    /// not merged into items before this item.
    ///
    /// - Parameter body: merges the item into the waiting item and returns the number of bytes by which that item grew, at most
    ///   `room`; `nil` if nothing was merged. Called under the lock: it must be short.
    func mergeAhead(
        _ item: consuming Item, bytes: Int, key: MergeKey, into body: (inout Item, _ room: Int) -> Int?
    ) {
        var item: Item? = consume item
        _ = withLock {
            guard unsafe !state.pointee.isClosed else { return }
            let bytes = max(bytes, 0)
            if let position = unsafe state.pointee.positionsAhead[key], mergeInReserve(at: position, body) {
                return
            }
            guard fitsReserve(bytes), let item = item.take() else {
                unsafe state.pointee.rejections.weightlessItems += 1
                return
            }
            unsafe state.pointee.endMerging()
            unsafe state.pointee.positionsAhead[key] = state.pointee.buffer.count
            append(item, bytes: bytes, weight: 0, in: .reserve)
        }
    }

    /// Adds an item that changes settings of the items after it, in the reserve. Merges the item into the last such item instead
    /// if no item in between depends on the settings.
    ///
    /// Later items can still be merged into items before this item that were added when all settings had the same values.
    ///
    /// - Parameters:
    ///   - settings: the settings that the item changes, with their new values.
    ///   - isAlwaysKept: `true` if the item is added even if there is no room.
    ///   - body: merges the item into the waiting item and returns the number of bytes by which that item grew, at most `room`;
    ///     `nil` if nothing was merged. Called under the lock: it must be short.
    func offerSettingsChange(
        _ item: consuming Item, to settings: [QueueSetting], bytes: Int, isAlwaysKept: Bool,
        merging body: (inout Item, _ room: Int) -> Int?
    ) {
        var item: Item? = consume item
        _ = withLock {
            guard unsafe !state.pointee.isClosed else { return }
            let bytes = max(bytes, 0)
            if let position = unsafe state.pointee.settings.position, mergeInReserve(at: position, body) {
                // The waiting item has the new values now.
            } else if isAlwaysKept || fitsReserve(bytes), let item = item.take() {
                unsafe state.pointee.settings.position = state.pointee.buffer.count
                append(item, bytes: bytes, weight: 0, in: isAlwaysKept ? nil : .reserve)
            } else {
                unsafe state.pointee.rejections.weightlessItems += 1
                return
            }
            unsafe state.pointee.settings.set(settings)
            guard unsafe state.pointee.settings.isFull else { return }
            unsafe state.pointee.endMerging()
            unsafe state.pointee.settings = Settings()
        }
    }

    /// Adds an item even if there is no room: for the few items without which the consumer could not continue.
    ///
    /// - Returns: the number of items added so far, including this item; `nil` after ``close()``, and in a handler that
    ///   interrupted a call of this queue.
    @discardableResult
    func offerIgnoringLimits(_ item: consuming Item, separating separation: MergeBarrier = .all)
        -> UInt64?
    {
        add(item, bytes: 0, weight: 0, in: nil, separating: separation)
    }

    /// Adds an item or counts its rejection.
    ///
    /// - Parameter room: `nil` adds the item even if there is no room.
    private func add(
        _ item: consuming Item, bytes: Int, weight: Int, in room: QueueRoom?,
        separating separation: MergeBarrier
    ) -> UInt64? {
        // The compiler cannot see that the closure runs at most once.
        var item: Item? = consume item
        let sequence: UInt64?? = withLock {
            if unsafe state.pointee.isClosed {
                unsafe state.pointee.rejections.closed &+= weight
                return nil
            }
            let hasRoom =
                switch room {
                case .half: fits(bytes, .half)
                case .ordinary: fits(bytes, .whole)
                case .reserve: fitsReserve(bytes)
                case nil: true
                }
            guard hasRoom else {
                unsafe state.pointee.rejections.full &+= weight
                if weight == 0 { unsafe state.pointee.rejections.weightlessItems += 1 }
                return nil
            }
            guard let item = item.take() else { return nil }
            switch separation {
            case .none: break
            case .settings: unsafe state.pointee.settings.position = nil
            case .all: unsafe state.pointee.endAllMerging()
            }
            append(item, bytes: bytes, weight: weight, in: room)
            return unsafe state.pointee.sequence
        }
        return sequence ?? nil
    }

    /// Checks the room for an item of this size. Called under the lock.
    ///
    /// - Returns: `true` if at most this share of the ordinary room is used after the item is added.
    private func fits(_ bytes: Int, _ share: Share) -> Bool {
        let used = unsafe state.pointee.ordinary
        let (sum, isTooLarge) = used.bytes.addingReportingOverflow(bytes)
        return !isTooLarge && sum <= share.of(byteLimit) && used.itemCount < share.of(itemLimit)
    }

    /// Returns `true` if the reserve has room for an item of this size. Called under the lock.
    private func fitsReserve(_ bytes: Int) -> Bool {
        let used = unsafe state.pointee.reserve
        let (sum, isTooLarge) = used.bytes.addingReportingOverflow(bytes)
        return !isTooLarge && sum <= byteLimit && used.itemCount < itemLimit
    }

    /// Runs `body` with the waiting item at `position`, and counts its growth against the reserve. Called under the lock.
    ///
    /// - Returns: `true` if the item was merged.
    private func mergeInReserve(at position: Int, _ body: (inout Item, Int) -> Int?) -> Bool {
        let room = unsafe max(byteLimit - state.pointee.reserve.bytes, 0)
        let growth = unsafe state.pointee.buffer.change(at: position) { body(&$0, room) }
        guard let growth else { return false }
        unsafe state.pointee.reserve.bytes += growth
        return true
    }

    /// Adds an item for which there is room, and wakes the consumer. Called under the lock.
    private func append(_ item: consuming Item, bytes: Int, weight: Int, in room: QueueRoom?) {
        unsafe state.pointee.buffer.append(item)
        switch room {
        case .half, .ordinary:
            unsafe state.pointee.ordinary.bytes += bytes
            unsafe state.pointee.ordinary.itemCount += 1
        case .reserve:
            unsafe state.pointee.reserve.bytes += bytes
            unsafe state.pointee.reserve.itemCount += 1
        case nil: break
        }
        unsafe state.pointee.sequence += 1
        unsafe state.pointee.weight &+= weight
        if unsafe state.pointee.isConsumerWaiting {
            unsafe state.pointee.isConsumerWaiting = false
            monitor.wakeOne()
        }
    }

    /// Moves all items to the end of `items`, in order. Only one thread may ever call this.
    ///
    /// - Parameter milliseconds: the maximum wait for a first item, on a clock that cannot be set; `nil` waits without limit.
    /// - Returns: `true` if more items can be added. After ``close()`` it is `false`, and the call does not wait.
    @discardableResult
    func take(into items: inout [Item], milliseconds: Int64?) -> Bool {
        // The wait is limited, so that the sum does not overflow an Int64.
        let deadline = milliseconds.map { SystemTime.monotonic + min(max($0, 0), .max / 2) }
        let isOpen = withLock {
            while unsafe state.pointee.buffer.count == 0 && !state.pointee.isClosed {
                let left = deadline.map { $0 - SystemTime.monotonic }
                if let left, left <= 0 { break }
                unsafe state.pointee.isConsumerWaiting = true
                monitor.wait(milliseconds: left)
                unsafe state.pointee.isConsumerWaiting = false
            }
            unsafe swap(&state.pointee.buffer, &spare)
            unsafe state.pointee.ordinary = Usage()
            unsafe state.pointee.reserve = Usage()
            // Releases the memory that a burst needed.
            if unsafe !state.pointee.positions.isEmpty { unsafe state.pointee.positions = [:] }
            if unsafe !state.pointee.coarsePositions.isEmpty { unsafe state.pointee.coarsePositions = [:] }
            unsafe state.pointee.endAllMerging()
            return unsafe !state.pointee.isClosed
        }
        guard let isOpen else { return true }
        spare.move(to: &items)
        return isOpen
    }

    /// Rejects all items from now on, and wakes the thread that takes items. That thread can still take the waiting items.
    func close() {
        _ = withLock {
            unsafe state.pointee.isClosed = true
            monitor.wakeAll()
        }
    }

    /// The number of items added so far; 0 in a handler that interrupted a call of this queue.
    var lastSequence: UInt64 { withLock { unsafe state.pointee.sequence } ?? 0 }

    /// The sum of the weights of all items added or merged so far; 0 in a handler that interrupted a call of this queue.
    var weight: Int { withLock { unsafe state.pointee.weight } ?? 0 }

    /// Counts of rejected items; all 0 in a handler that interrupted a call of this queue.
    var rejections: QueueRejections {
        withLock { unsafe state.pointee.rejections } ?? QueueRejections()
    }

    /// Runs `body` under the lock.
    ///
    /// - Returns: `nil` if this thread already holds the lock: in a handler that interrupted a call of this queue.
    func withLock<Result>(_ body: () -> Result) -> Result? {
        // This passes a closure, because a method passed by name would be an object on the heap.
        ReentrancyGuard.enter(self, onRejections: { countReentrant($0) }) {
            monitor.lock()
            defer { monitor.unlock() }
            return body()
        }
    }

    /// Counts an item as a rejected reentrant call, without adding it. Call it for an item that the app adds on the consumer's
    /// own thread: the app's code, which runs for each item taken, would add another item each time.
    func reject(weight: Int) { countReentrant(weight) }

    private func countReentrant(_ count: Int) {
        _ = withLock { unsafe state.pointee.rejections.reentrant += count }
    }
}

/// A hash of 128 bits, equal for items that may be merged.
struct MergeKey: Hashable, Sendable {
    private let high: Int
    private let low: Int

    init(_ high: Int, _ low: Int) { (self.high, self.low) = (high, low) }

    func combined(with other: MergeKey) -> MergeKey { MergeKey(high ^ other.high, low ^ other.low) }
}

/// The part of the room of a ``BoundedQueue`` that an item may use.
enum QueueRoom: Sendable {
    /// Half of the limits; items in ``ordinary`` count as well.
    case half
    /// The whole limits; items in ``half`` count as well.
    case ordinary
    /// A separate room with the same limits, for items of this kind only.
    case reserve
}

/// The later items that must not be merged into items that were added before the separating item.
enum MergeBarrier: Sendable {
    /// No later items.
    case none
    /// Only later changes of settings.
    case settings
    /// All later items.
    case all
}

/// A setting that an item of a ``BoundedQueue`` changes, with its new value.
struct QueueSetting: Sendable {
    let name: MergeKey
    let value: MergeKey
    let isCoarse: Bool

    /// - Parameters:
    ///   - name: a hash, equal for changes of the same setting.
    ///   - value: a hash of the setting's name and new value.
    ///   - isCoarse: `true` if items under different values of the setting are not merged even when room is short.
    init(name: MergeKey, value: MergeKey, isCoarse: Bool) {
        (self.name, self.value, self.isCoarse) = (name, value, isCoarse)
    }
}

/// Counts of items that a ``BoundedQueue`` rejected. In ``full`` and ``closed``, an item counts with its weight.
struct QueueRejections: Hashable, Sendable {
    /// Items rejected for lack of room.
    var full = 0
    /// Rejected calls of any kind from signal handlers that had interrupted a call of the same queue on their own thread, and
    /// the weights given to ``BoundedQueue/reject(weight:)``.
    var reentrant = 0
    /// Items rejected after the queue was closed.
    var closed = 0
    /// The number of items without a weight that were rejected for lack of room.
    var weightlessItems = 0

    init() {}
}
