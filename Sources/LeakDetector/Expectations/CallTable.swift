/// The values that calls of `expectDeallocation` pass with their objects, stored once per distinct call: a line of code that passes
/// a million objects of one class takes one entry.
struct CallTable {
    /// The values that one call passes, if it names no owner of the object.
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

    /// An entry of the table. It is a class, so that reading an entry copies no strings.
    private final class Entry {
        let number: UInt32
        let call: Call
        var useCount = 0

        init(_ number: UInt32, _ call: Call) { (self.number, self.call) = (number, call) }
    }

    /// The number of unused entries that are kept, since the same line of code usually passes objects again soon.
    private static let unusedLimit = 256

    private var entries: [Entry?] = []
    private var freeNumbers: [UInt32] = []
    private var entriesByCall: [Call: Entry] = [:]
    private var unusedCount = 0
    private var newest: Entry?

    /// - Precondition: a call with this number is in use.
    subscript(number: UInt32) -> Call { entryInUse(number).call }

    /// Returns the number of a call, and counts one more use of the call.
    mutating func number(of call: Call) -> UInt32 {
        let entry = findOrInsert(call)
        if entry.useCount == 0 { unusedCount -= 1 }
        entry.useCount += 1
        newest = entry
        return entry.number
    }

    /// Subtracts `count` uses of a call.
    mutating func release(_ number: UInt32, count: Int) {
        let entry = entryInUse(number)
        entry.useCount -= count
        guard entry.useCount == 0 else { return }
        unusedCount += 1
        if unusedCount > Self.unusedLimit { forgetUnused() }
    }

    private func entryInUse(_ number: UInt32) -> Entry {
        guard let entry = entries[Int(number)] else { preconditionFailure("call \(number) is not in use") }
        return entry
    }

    private mutating func findOrInsert(_ call: Call) -> Entry {
        if let newest, newest.call.matches(call) { return newest }
        if let entry = entriesByCall[call] { return entry }
        let number = freeNumbers.popLast() ?? UInt32(entries.count)
        if Int(number) == entries.count { entries.append(nil) }
        let entry = Entry(number, call)
        entries[Int(number)] = entry
        entriesByCall[call] = entry
        unusedCount += 1
        return entry
    }

    private mutating func forgetUnused() {
        newest = nil
        for (index, entry) in entries.enumerated() {
            guard let entry, entry.useCount == 0 else { continue }
            entriesByCall[entry.call] = nil
            entries[index] = nil
            freeNumbers.append(UInt32(index))
        }
        unusedCount = 0
    }
}

extension StaticString? {
    /// Returns `true` if both have the same address or the same text.
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
