import LeakMessage

/// Reports that wait to be sent, oldest first.
struct ReportQueue: Sendable {
    struct Entry: Hashable, Sendable {
        /// Counts up with every report recorded, so that a flush knows what it waits for.
        let sequence: Int
        let bytes: Int
        let report: LeakReport
    }

    /// Taken entries leave a hole at the front; the front is closed when half of the array is holes.
    private var entries: [Entry?] = []
    private var holes = 0
    private(set) var bytes = 0

    var count: Int { entries.count - holes }
    var isEmpty: Bool { count == 0 }
    var first: Entry? { isEmpty ? nil : entries[holes] }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        bytes += entry.bytes
    }

    mutating func takeFirst() -> Entry? {
        guard holes < entries.count, let entry = entries[holes] else { return nil }
        entries[holes] = nil
        holes += 1
        bytes -= entry.bytes
        if holes == entries.count {
            entries.removeAll(keepingCapacity: entries.capacity <= 64)
            holes = 0
        } else if holes >= 32, holes * 2 >= entries.count {
            entries.removeFirst(holes)
            holes = 0
        }
        return entry
    }

    /// Takes the oldest, up to the first of two limits, but one at least.
    mutating func take(count limit: Int, bytes byteLimit: Int) -> [Entry] {
        var taken: [Entry] = []
        var room = byteLimit
        while taken.count < limit, let next = first, taken.isEmpty || next.bytes <= room {
            room -= next.bytes
            taken.append(next)
            _ = takeFirst()
        }
        return taken
    }

    /// Puts entries that were taken back to where they were.
    mutating func putBack(_ taken: [Entry]) {
        entries.replaceSubrange(0..<holes, with: taken.map(Optional.some))
        holes = 0
        bytes += taken.reduce(0) { $0 + $1.bytes }
    }

    mutating func removeAll() {
        self = ReportQueue()
    }
}
