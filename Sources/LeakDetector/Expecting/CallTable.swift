/// What calls say, each once: a line of code that is passed a million times with objects of one class takes one slot.
struct CallTable: Sendable {
    struct Call: Hashable, Sendable {
        let circumstances: Circumstances
        let graceMilliseconds: Int

        /// By what tells lines of code and classes apart; what else is said comes last, since it is nearly always the same.
        static func == (one: Self, other: Self) -> Bool {
            let (mine, others) = (one.circumstances, other.circumstances)
            return mine.line == others.line && mine.type == others.type
                && one.graceMilliseconds == other.graceMilliseconds && mine.owner == others.owner
                && mine.isCounted == others.isCounted && mine.file == others.file
                && mine.reason == others.reason && mine.path == others.path
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(circumstances.line)
            hasher.combine(ObjectIdentifier(circumstances.type))
            hasher.combine(circumstances.owner)
            hasher.combine(circumstances.reason)
            hasher.combine(circumstances.path)
        }
    }

    /// A class, so that a look at it copies no strings.
    private final class Slot: @unchecked Sendable {
        // Unchecked: in the hands of the table's owner alone.
        let number: UInt32
        let call: Call
        var uses = 0

        init(_ number: UInt32, _ call: Call) { (self.number, self.call) = (number, call) }
    }

    /// Unused slots are kept until there are as many, since a line of code comes back soon.
    private static let unusedLimit = 256

    private var slots: [Slot?] = []
    private var free: [UInt32] = []
    private var byCall: [Call: Slot] = [:]
    private var unused = 0
    private var newest: Slot?

    /// - Precondition: the slot is in use.
    subscript(slot: UInt32) -> Call { used(slot).call }

    /// The slot of a call, with one use more.
    mutating func slot(of call: Call) -> UInt32 {
        let slot = find(call)
        if slot.uses == 0 { unused -= 1 }
        slot.uses += 1
        newest = slot
        return slot.number
    }

    mutating func release(_ slot: UInt32, count: Int) {
        let slot = used(slot)
        slot.uses -= count
        guard slot.uses == 0 else { return }
        unused += 1
        if unused > Self.unusedLimit { forgetUnused() }
    }

    private func used(_ slot: UInt32) -> Slot {
        guard let slot = slots[Int(slot)] else { preconditionFailure("slot \(slot) is not in use") }
        return slot
    }

    private mutating func find(_ call: Call) -> Slot {
        if let newest, newest.call == call { return newest }
        if let slot = byCall[call] { return slot }
        let number = free.popLast() ?? UInt32(slots.count)
        if Int(number) == slots.count { slots.append(nil) }
        let slot = Slot(number, call)
        slots[Int(number)] = slot
        byCall[call] = slot
        unused += 1
        return slot
    }

    private mutating func forgetUnused() {
        newest = nil
        for (index, slot) in slots.enumerated() {
            guard let slot, slot.uses == 0 else { continue }
            byCall[slot.call] = nil
            slots[index] = nil
            free.append(UInt32(index))
        }
        unused = 0
    }
}

extension StaticString {
    /// Whether both are the same place in memory, or say the same.
    fileprivate static func == (one: Self, other: Self) -> Bool {
        guard one.hasPointerRepresentation, other.hasPointerRepresentation else {
            return one.description == other.description
        }
        if unsafe one.utf8Start == other.utf8Start { return true }
        return one.description == other.description
    }
}
