/// A timing wheel for objects that have no owner and were not in use again before, as most objects. Each object takes 16 bytes,
/// in buckets like those of ``TimingWheel``. Values that many objects share are stored once, in a ``CallTable``.
///
/// The wheel does not check objects: its caller takes the due objects, checks them outside of any lock, and then calls
/// ``release(_:count:)``.
struct GraceTimingWheel: @unchecked Sendable {
    // `Sendable` is unchecked: a wheel is never copied, and only the thread that holds the lock of its ``ExpirationChecker``
    // uses it.
    static var tickMilliseconds: Int { TimingWheel<Int>.tickMilliseconds }

    /// The wheel spans 3.2 s: longer than the usual grace periods.
    private var buckets = [WeakChunks](repeating: WeakChunks(), count: 32)
    private var calls = CallTable()
    /// All objects up to this tick were taken; `nil` if none were.
    private var lastTakenTick: UInt32?
    private var count = 0

    /// The time at which the next object is due, or `nil` when there is none.
    var nextDue: Int? {
        guard count > 0 else { return nil }
        var earliest = UInt32.max
        for bucket in buckets { earliest = min(earliest, bucket.earliest) }
        return Int(earliest) * Self.tickMilliseconds
    }

    /// - Parameter call: its grace period is at most ``LeakDetector/Limits/longestGraceMilliseconds``.
    /// - Returns: the time at which the object is due.
    mutating func insert(_ object: AnyObject, _ call: CallTable.Call, at now: Int) -> Int {
        let due = now + call.graceMilliseconds
        let roundedUp = UInt32(clamping: (due + Self.tickMilliseconds - 1) / Self.tickMilliseconds)
        let tick = max(roundedUp, lastTakenTick.map { $0 + 1 } ?? 0)
        let callNumber = calls.number(of: call)
        buckets[Int(tick) % buckets.count].append(object, callNumber: callNumber, tick: tick)
        count += 1
        return Int(tick) * Self.tickMilliseconds
    }

    /// Removes the objects that are due, and returns them.
    mutating func takeDue(at now: Int) -> [WeakChunk] {
        let tick = UInt32(clamping: now / Self.tickMilliseconds)
        let from = lastTakenTick.map { $0 + 1 } ?? 0
        guard tick >= from else { return [] }
        lastTakenTick = tick
        guard count > 0 else { return [] }
        var due: [WeakChunk] = []
        for offset in 0..<min(Int(tick - from) + 1, buckets.count) {
            due += buckets[(Int(from) + offset) % buckets.count].take(dueAt: tick)
        }
        for chunk in due { count -= chunk.count }
        return due
    }

    /// Removes the objects that were deallocated before they were due.
    ///
    /// - Parameter held: receives the other objects, so that this function does not release them last.
    /// - Returns: the number of removed objects, by the number of their call.
    mutating func takeDeallocated(holding held: inout [AnyObject]) -> [UInt32: Int] {
        var deallocatedCounts: [UInt32: Int] = [:]
        remove { chunk, index in
            guard let object = chunk.object(at: index) else {
                deallocatedCounts[chunk.callNumber(at: index), default: 0] += 1
                return true
            }
            held.append(object)
            return false
        }
        return deallocatedCounts
    }

    /// Removes objects, whether deallocated or not.
    ///
    /// - Parameter isRemoved: called for each object; `true` removes it.
    /// - Returns: the number of removed objects, by the number of their call.
    mutating func take(_ isRemoved: (CallTable.Call) -> Bool) -> [UInt32: Int] {
        var takenCounts: [UInt32: Int] = [:]
        let calls = calls
        remove { chunk, index in
            let callNumber = chunk.callNumber(at: index)
            guard isRemoved(calls[callNumber]) else { return false }
            takenCounts[callNumber, default: 0] += 1
            return true
        }
        return takenCounts
    }

    private mutating func remove(_ isRemoved: (WeakChunk, Int) -> Bool) {
        var removed = 0
        for index in buckets.indices {
            buckets[index].filter { chunk, element in
                guard isRemoved(chunk, element) else { return true }
                removed += 1
                return false
            }
        }
        count -= removed
    }

    /// Returns the call with this number.
    func call(_ callNumber: UInt32) -> CallTable.Call { calls[callNumber] }

    /// Releases `count` uses of a call whose objects have left the wheel.
    mutating func release(_ callNumber: UInt32, count: Int) { calls.release(callNumber, count: count) }
}
