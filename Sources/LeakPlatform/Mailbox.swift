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
        var ordinary = Usage()
        var reserve = Usage()
        var weight = 0
        var sequence: UInt64 = 0
        var refusals = MailboxRefusals()
        var isTakerAsleep = false
        var isClosed = false
        var settings = Settings()
        /// Positions of the items that others may be merged into, by key.
        var positions: [MergeKey: Int] = [:]
        /// The same by the key that is used where room is short.
        var coarsePositions: [MergeKey: Int] = [:]
        /// Positions of the items of ``Mailbox/mergeAhead(_:bytes:key:into:)``.
        var positionsAhead: [MergeKey: Int] = [:]

        /// Stops later items from being merged into waiting ones, except into those of ``Mailbox/mergeAhead(_:bytes:key:into:)``.
        mutating func separate() {
            if !positions.isEmpty { positions.removeAll(keepingCapacity: true) }
            if !coarsePositions.isEmpty { coarsePositions.removeAll(keepingCapacity: true) }
        }

        /// Stops later items from being merged into waiting ones.
        mutating func separateAll() {
            separate()
            if !positionsAhead.isEmpty { positionsAhead.removeAll(keepingCapacity: true) }
            settings = Settings()
        }
    }

    /// The room that items take.
    private struct Usage {
        var bytes = 0
        var items = 0
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

    /// The settings that were changed since the last barrier, and a hash of their values.
    private struct Settings {
        private var values: [MergeKey: MergeKey] = [:]
        private(set) var hash = MergeKey(0, 0)
        private(set) var coarseHash = MergeKey(0, 0)
        /// Position of the last change of settings; `nil` once an item that depends on it follows.
        var position: Int?

        /// Names beyond which the hash starts anew, behind a barrier.
        private static var limit: Int { 256 }

        mutating func set(_ changes: [MailboxSetting]) {
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
    /// - Returns: how many have been left so far, this one included; `nil` when it was not taken, which
    ///   ``refusals`` count.
    public func offer(
        _ item: consuming Item, bytes: Int, weight: Int = 1, in room: MailboxRoom = .ordinary,
        separating separation: MailboxSeparation = .all
    ) -> UInt64? {
        add(item, bytes: max(bytes, 0), weight: weight, in: room, separating: separation)
    }

    /// Leaves an item as ``offer(_:bytes:weight:in:separating:)`` does, unless half of the room is taken.
    ///
    /// - Returns: `false` when half of the room is taken: then nothing was done. ``merge(_:bytes:weight:key:coarseKey:into:)``
    ///   is next.
    public func offerUnlessCrowded(_ item: consuming Item, bytes: Int, weight: Int) -> Bool {
        var isCrowded = false
        var item: Item? = consume item
        _ = alone {
            let bytes = max(bytes, 0)
            isCrowded = !fits(bytes, .half)
            guard !isCrowded, let item = item.take() else { return }
            if unsafe state.pointee.isClosed {
                unsafe state.pointee.refusals.closed &+= weight
            } else {
                unsafe state.pointee.settings.position = nil
                leave(item, bytes, weight, in: .ordinary)
            }
        }
        return !isCrowded
    }

    /// Merges an item into one that waits, has the same key, and was left under the same settings. Leaves it where there is
    /// none, if there is room. In the last quarter of the room the coarser key is enough, with the same coarse settings.
    ///
    /// Items that were left otherwise have no key. What was left before an item that separates takes no more.
    ///
    /// - Parameters:
    ///   - weight: what it adds to ``weight``, or to ``refusals``.
    ///   - body: adds the item to the one that waits; `false` if that takes no more. Called under the lock: it must be short.
    public func merge(
        _ item: consuming Item, bytes: Int, weight: Int, key: MergeKey, coarseKey: MergeKey,
        into body: (inout Item) -> Bool
    ) {
        var item: Item? = consume item
        _ = alone {
            if unsafe state.pointee.isClosed {
                unsafe state.pointee.refusals.closed &+= weight
                return
            }
            let bytes = max(bytes, 0)
            let key = unsafe key.combined(with: state.pointee.settings.hash)
            let coarseKey = unsafe coarseKey.combined(with: state.pointee.settings.coarseHash)
            var position = unsafe state.pointee.positions[key]
            if position == nil, !fits(bytes, .threeQuarters) {
                position = unsafe state.pointee.coarsePositions[coarseKey]
            }
            if let position, unsafe state.pointee.shelf.change(at: position, body) {
                unsafe state.pointee.weight &+= weight
                return
            }
            guard fits(bytes, .whole), let item = item.take() else {
                unsafe state.pointee.refusals.full &+= weight
                return
            }
            unsafe state.pointee.positions[key] = state.pointee.shelf.count
            unsafe state.pointee.coarsePositions[coarseKey] = state.pointee.shelf.count
            unsafe state.pointee.settings.position = nil
            leave(item, bytes, weight, in: .ordinary)
        }
    }

    /// Merges an item into one that waits and has the same key, or leaves it in the reserve. No item of
    /// ``merge(_:bytes:weight:key:coarseKey:into:)`` that comes later comes to stand before it.
    ///
    /// - Parameter body: adds the item to the waiting one and returns by how many bytes that grew, at most `room`; `nil` if
    ///   nothing was added. Called under the lock: it must be short.
    public func mergeAhead(
        _ item: consuming Item, bytes: Int, key: MergeKey, into body: (inout Item, _ room: Int) -> Int?
    ) {
        var item: Item? = consume item
        _ = alone {
            guard unsafe !state.pointee.isClosed else { return }
            let bytes = max(bytes, 0)
            if let position = unsafe state.pointee.positionsAhead[key], mergeInReserve(at: position, body) {
                return
            }
            guard fitsReserve(bytes), let item = item.take() else {
                unsafe state.pointee.refusals.calls += 1
                return
            }
            unsafe state.pointee.separate()
            unsafe state.pointee.positionsAhead[key] = state.pointee.shelf.count
            leave(item, bytes, 0, in: .reserve)
        }
    }

    /// Leaves an item that changes settings of the items behind it, in the reserve. It is merged into the last such item if
    /// nothing waits in between that depends on them.
    ///
    /// Items are merged across it: into those that were left when all settings had the same values as now.
    ///
    /// - Parameters:
    ///   - settings: the values that it gives them.
    ///   - isAlwaysKept: whether it is left even if there is no room.
    ///   - body: adds the item to the waiting one and returns by how many bytes that grew, at most `room`; `nil` if nothing
    ///     was added. Called under the lock: it must be short.
    public func change(
        _ settings: [MailboxSetting], _ item: consuming Item, bytes: Int, isAlwaysKept: Bool,
        into body: (inout Item, _ room: Int) -> Int?
    ) {
        var item: Item? = consume item
        _ = alone {
            guard unsafe !state.pointee.isClosed else { return }
            let bytes = max(bytes, 0)
            if let position = unsafe state.pointee.settings.position, mergeInReserve(at: position, body) {
                // It is the same item with other values.
            } else if isAlwaysKept || fitsReserve(bytes), let item = item.take() {
                unsafe state.pointee.settings.position = state.pointee.shelf.count
                leave(item, bytes, 0, in: isAlwaysKept ? nil : .reserve)
            } else {
                unsafe state.pointee.refusals.calls += 1
                return
            }
            unsafe state.pointee.settings.set(settings)
            guard unsafe state.pointee.settings.isFull else { return }
            unsafe state.pointee.separate()
            unsafe state.pointee.settings = Settings()
        }
    }

    /// Leaves an item whether there is room or not: for the few without which nothing goes on.
    ///
    /// - Returns: how many have been left so far, this one included; `nil` after ``close()``, and in a handler that
    ///   interrupted a call of this mailbox.
    @discardableResult
    public func insist(_ item: consuming Item, separating separation: MailboxSeparation = .all) -> UInt64? {
        add(item, bytes: 0, weight: 0, in: nil, separating: separation)
    }

    /// - Parameter room: `nil` for any.
    private func add(
        _ item: consuming Item, bytes: Int, weight: Int, in room: MailboxRoom?,
        separating separation: MailboxSeparation
    ) -> UInt64? {
        // The compiler cannot see that the closure runs once at most.
        var item: Item? = consume item
        let sequence: UInt64?? = alone {
            if unsafe state.pointee.isClosed {
                unsafe state.pointee.refusals.closed &+= weight
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
                unsafe state.pointee.refusals.full &+= weight
                if weight == 0 { unsafe state.pointee.refusals.calls += 1 }
                return nil
            }
            guard let item = item.take() else { return nil }
            switch separation {
            case .none: break
            case .settings: unsafe state.pointee.settings.position = nil
            case .all: unsafe state.pointee.separateAll()
            }
            leave(item, bytes, weight, in: room)
            return unsafe state.pointee.sequence
        }
        return sequence ?? nil
    }

    /// Called under the lock.
    ///
    /// - Returns: whether an item leaves the ordinary room filled to that share at most.
    private func fits(_ bytes: Int, _ share: Share) -> Bool {
        let used = unsafe state.pointee.ordinary
        let (sum, isTooLarge) = used.bytes.addingReportingOverflow(bytes)
        return !isTooLarge && sum <= share.of(byteLimit) && used.items < share.of(itemLimit)
    }

    /// Called under the lock.
    private func fitsReserve(_ bytes: Int) -> Bool {
        let used = unsafe state.pointee.reserve
        let (sum, isTooLarge) = used.bytes.addingReportingOverflow(bytes)
        return !isTooLarge && sum <= byteLimit && used.items < itemLimit
    }

    /// Called under the lock.
    private func mergeInReserve(at position: Int, _ body: (inout Item, Int) -> Int?) -> Bool {
        let room = unsafe max(byteLimit - state.pointee.reserve.bytes, 0)
        let growth = unsafe state.pointee.shelf.change(at: position) { body(&$0, room) }
        guard let growth else { return false }
        unsafe state.pointee.reserve.bytes += growth
        return true
    }

    /// Called under the lock, where there is room.
    private func leave(_ item: consuming Item, _ bytes: Int, _ weight: Int, in room: MailboxRoom?) {
        unsafe state.pointee.shelf.append(item)
        switch room {
        case .half, .ordinary:
            unsafe state.pointee.ordinary.bytes += bytes
            unsafe state.pointee.ordinary.items += 1
        case .reserve:
            unsafe state.pointee.reserve.bytes += bytes
            unsafe state.pointee.reserve.items += 1
        case nil: break
        }
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
        let deadline = milliseconds.map { SystemTime.monotonic + min(max($0, 0), SystemTime.longestWait) }
        let isOpen = alone {
            while unsafe state.pointee.shelf.count == 0 && !state.pointee.isClosed {
                let left = deadline.map { $0 - SystemTime.monotonic }
                if let left, left <= 0 { break }
                unsafe state.pointee.isTakerAsleep = true
                monitor.wait(milliseconds: left)
                unsafe state.pointee.isTakerAsleep = false
            }
            unsafe swap(&state.pointee.shelf, &spare)
            unsafe state.pointee.ordinary = Usage()
            unsafe state.pointee.reserve = Usage()
            // Room that a burst needed is given back.
            if unsafe !state.pointee.positions.isEmpty { unsafe state.pointee.positions = [:] }
            if unsafe !state.pointee.coarsePositions.isEmpty { unsafe state.pointee.coarsePositions = [:] }
            unsafe state.pointee.separateAll()
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

    func combined(with other: MergeKey) -> MergeKey { MergeKey(high ^ other.high, low ^ other.low) }
}

/// The share of a ``Mailbox`` that an item may take.
public enum MailboxRoom: Sendable {
    /// Half of the bounds, together with those in ``ordinary``.
    case half
    /// The bounds.
    case ordinary
    /// As much again, apart from the others.
    case reserve
}

/// Which items that come later are not merged into items before the one that is left.
public enum MailboxSeparation: Sendable {
    case none
    /// Changes of settings.
    case settings
    /// All.
    case all
}

/// One value that a change of settings in a ``Mailbox`` gives.
public struct MailboxSetting: Sendable {
    let name: MergeKey
    let value: MergeKey
    let isCoarse: Bool

    /// - Parameters:
    ///   - name: equal for changes of the same setting.
    ///   - value: a hash of name and value.
    ///   - isCoarse: whether items are kept apart by it where room is short too.
    public init(name: MergeKey, value: MergeKey, isCoarse: Bool) {
        (self.name, self.value, self.isCoarse) = (name, value, isCoarse)
    }
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
