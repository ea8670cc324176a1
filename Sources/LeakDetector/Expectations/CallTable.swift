/// The values that calls of `expectDeallocation` pass with their objects, stored once per distinct call: a line of code that passes
/// a million objects of one class takes one slot.
struct CallTable {
    /// The values that one call passes for an object without owner.
    struct Call: Hashable, Sendable {
        let context: ExpectationContext
        let graceMilliseconds: Int

        static func == (one: Self, other: Self) -> Bool { one.matches(other) }

        /// Returns `true` if both calls pass the same values. Compares first the fields that distinguish lines of code and classes,
        /// and copies nothing.
        @inline(__always)
        func matches(_ other: borrowing Call) -> Bool {
            context.line == other.context.line && context.type == other.context.type
                && graceMilliseconds == other.graceMilliseconds
                && context.isCounted == other.context.isCounted
                && context.isPart == other.context.isPart
                && context.file.isSame(as: other.context.file)
                && context.path.count == other.context.path.count
                && context.reason == other.context.reason
                && (context.path.isEmpty || context.path == other.context.path)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(context.line)
            hasher.combine(ObjectIdentifier(context.type))
            hasher.combine(context.reason)
            hasher.combine(context.path)
        }
    }

    /// A class, so that reading a slot copies no strings.
    private final class Slot {
        let number: UInt32
        let call: Call
        var useCount = 0

        init(_ number: UInt32, _ call: Call) { (self.number, self.call) = (number, call) }
    }

    /// The number of unused slots that are kept, since the same line of code usually passes objects again soon.
    private static let unusedLimit = 256

    private var slots: [Slot?] = []
    private var freeNumbers: [UInt32] = []
    private var byCall: [Call: Slot] = [:]
    private var unusedCount = 0
    private var newest: Slot?

    /// - Precondition: the slot is in use.
    subscript(slot: UInt32) -> Call { slotInUse(slot).call }

    /// Returns the slot of a call and adds one use to it.
    mutating func slot(of call: Call) -> UInt32 {
        let slot = findOrInsert(call)
        if slot.useCount == 0 { unusedCount -= 1 }
        slot.useCount += 1
        newest = slot
        return slot.number
    }

    /// Removes `count` uses from a slot.
    mutating func release(_ slot: UInt32, count: Int) {
        let slot = slotInUse(slot)
        slot.useCount -= count
        guard slot.useCount == 0 else { return }
        unusedCount += 1
        if unusedCount > Self.unusedLimit { forgetUnused() }
    }

    private func slotInUse(_ slot: UInt32) -> Slot {
        guard let slot = slots[Int(slot)] else { preconditionFailure("slot \(slot) is not in use") }
        return slot
    }

    private mutating func findOrInsert(_ call: Call) -> Slot {
        if let newest, newest.call.matches(call) { return newest }
        if let slot = byCall[call] { return slot }
        let number = freeNumbers.popLast() ?? UInt32(slots.count)
        if Int(number) == slots.count { slots.append(nil) }
        let slot = Slot(number, call)
        slots[Int(number)] = slot
        byCall[call] = slot
        unusedCount += 1
        return slot
    }

    private mutating func forgetUnused() {
        newest = nil
        for (index, slot) in slots.enumerated() {
            guard let slot, slot.useCount == 0 else { continue }
            byCall[slot.call] = nil
            slots[index] = nil
            freeNumbers.append(UInt32(index))
        }
        unusedCount = 0
    }
}

extension StaticString? {
    /// Returns `true` if both are the same place in memory or have the same text.
    @inline(__always)
    fileprivate func isSame(as other: StaticString?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        if self.hasPointerRepresentation, other.hasPointerRepresentation,
            unsafe self.utf8Start == other.utf8Start
        {
            return true
        }
        return self.description == other.description
    }
}
