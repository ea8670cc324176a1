#if canImport(Glibc)
    internal import Glibc
#endif

/// A search of the process's memory for words that are the address of an object or of one of its holders.
struct HeapSearch {
    /// The maximum number of rounds, each of which reads the memory once and finds the holders of the objects that the previous
    /// round found.
    static let roundLimit = 16
    /// The maximum number of words found in one round. An object with more holders is shared so widely that one of them explains
    /// nothing.
    private static let hitLimit = 256
    /// The maximum number of holders whose own holders are searched for in one round.
    private static let holderLimit = 16
    /// The maximum number of bytes that are read in one round, 1 GiB.
    private static let byteLimit = 1 << 30
    /// The maximum number of bytes of address space that are visited in one round, 8 GiB, including those without memory, because
    /// each visit takes time. Larger mappings are left out: a sanitizer or another allocator reserves terabytes.
    static let visitedByteLimit = 1 << 33
    private static let blockBytes = 1 << 20

    /// A word that was found, and the object whose address it is.
    struct Hit {
        var address: UInt
        var target: UInt
    }

    /// The certainty that a holder keeps its target alive.
    enum Certainty: Int, Comparable {
        /// A word of a suspended function's frame, which may still contain the address of an object that the function has
        /// released.
        case frame
        /// A word of a block, or of a field that is not described.
        case unknownWord
        case proven

        static func < (left: Certainty, right: Certainty) -> Bool { left.rawValue < right.rawValue }
    }

    /// A reference of a holder to the target or to another holder.
    struct Step {
        /// The address of the holder; 0 for a global variable.
        var holder: UInt
        var layoutIndex: Int32
        var target: UInt
        var label: Int32
        var flags: ObjectGraph.EdgeFlags
        var function: UInt
        /// The address of the variable, or 0.
        var variable: UInt
        var isTask = false
        var certainty = Certainty.proven

        /// `true` if the search ends at the holder: it is a global variable, or a task that the scheduler keeps.
        var isEnd: Bool { holder == 0 || isTask }
    }

    private let target: UInt
    /// The objects whose holders this round searches for.
    private var frontier: [UInt]
    private var hits: [Hit] = []
    /// The steps of earlier rounds, by holder.
    private var steps: [UInt: Step] = [:]
    /// The steps that were found in this round.
    private var newSteps: [Step] = []
    /// The step with which the path begins, at the farthest holder.
    private var first: Step?
    /// `true` if a holder was found at which the search ends.
    private var hasEnd = false

    init(target: UInt) {
        self.target = target
        frontier = [target]
    }

    /// `true` if a global variable or a task was found, or if the last round found no holder.
    var isDone: Bool { hasEnd || frontier.isEmpty }

    func isNew(_ holder: UInt) -> Bool { holder != target && steps[holder] == nil }

    mutating func add(_ step: Step) { newSteps.append(step) }

    /// Makes the holders found in this round the targets of the next round.
    ///
    /// Only the holders with the highest certainty of this round count. The path begins with the first of them at which the
    /// search ends. If the search ends at none of them, it begins with the first holder.
    mutating func finishRound() {
        let highest = newSteps.map(\.certainty).max()
        let holders = newSteps.filter { $0.certainty == highest }.prefix(Self.holderLimit)
        (newSteps, frontier) = ([], holders.map(\.holder))
        if let end = holders.first(where: \.isEnd) {
            (first, hasEnd) = (end, true)
        } else if let nearest = holders.first {
            first = nearest
            for step in holders { steps[step.holder] = step }
        }
    }

    mutating func takeHits() -> [Hit] {
        defer { hits = [] }
        return hits
    }

    /// The path from the farthest holder to the target.
    var path: [Step] {
        var path: [Step] = []
        var current = first
        while let step = current, path.count <= Self.roundLimit {
            path.append(step)
            current = step.target == target ? nil : steps[step.target]
        }
        return path.last?.target == target ? path : []
    }

    /// Collects the words that refer to the objects whose holders this round searches for.
    ///
    /// - Parameters:
    ///   - excluded: memory with copies of pages, which must not be mistaken for objects.
    ///   - regions: the memory to search.
    ///   - end: the time at which the search stops; `nil` for no limit.
    /// - Returns: the number of visited bytes, including those without memory.
    @discardableResult
    mutating func scan(
        excluding excluded: [Range<UInt>], in regions: [Range<UInt>] = WritableMemory.regions(),
        until end: ContinuousClock.Instant? = nil
    ) -> Int {
        let block = UnsafeMutableRawPointer.allocate(byteCount: Self.blockBytes, alignment: 4096)
        defer { unsafe block.deallocate() }
        let own = UInt(bitPattern: block)..<(UInt(bitPattern: block) + UInt(Self.blockBytes))
        var (bytes, visited) = (0, 0)
        for region in regions where region.count <= Self.visitedByteLimit {
            var address = region.lowerBound
            while address < region.upperBound, hits.count < Self.hitLimit, bytes < Self.byteLimit,
                visited < Self.visitedByteLimit, end.map({ ContinuousClock.now < $0 }) ?? true
            {
                let count = min(Self.blockBytes, Int(region.upperBound - address))
                if WritableMemory.isTouched(address, count: count),
                    unsafe CheckedMemory.read(address, count: count, into: block)
                {
                    unsafe collect(address, count: count, block, excluding: excluded + [own])
                    bytes += count
                }
                address += UInt(count)
                visited += count
            }
        }
        return visited
    }

    private mutating func collect(
        _ address: UInt, count: Int, _ block: UnsafeMutableRawPointer, excluding excluded: [Range<UInt>]
    ) {
        for target in frontier {
            var start = 0
            while hits.count < Self.hitLimit,
                let offset = unsafe CheckedMemory.find(target, in: block, from: start, count: count)
            {
                start = offset + 1
                let place = address + UInt(offset)
                guard offset % 8 == 0, offset + 8 <= count,
                    unsafe block.load(fromByteOffset: offset, as: UInt.self) & HeapLayout.addressMask
                        == target,
                    !excluded.contains(where: { $0.contains(place) })
                else { continue }
                hits.append(Hit(address: place, target: target))
            }
        }
    }
}

/// The memory of the process that can contain objects and variables.
enum WritableMemory {
    /// Returns the private, writable mappings, including the stacks of all threads except the main thread. proc(5):
    /// /proc/pid/maps
    static func regions() -> [Range<UInt>] {
        SystemFile.contents(of: "/proc/self/maps").split(separator: UInt8(ascii: "\n")).compactMap { line in
            let columns = line.split(separator: UInt8(ascii: " "))
            guard columns.count > 1, columns[1].starts(with: "rw-p".utf8) else { return nil }
            // The main thread's stack and pages of the kernel have names in brackets; the heap has such a name too.
            if let name = columns.last, name.first == UInt8(ascii: "["), !name.elementsEqual("[heap]".utf8) {
                return nil
            }
            let bounds = columns[0].split(separator: UInt8(ascii: "-")).compactMap {
                UInt(String(decoding: $0, as: UTF8.self), radix: 16)
            }
            guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
            return bounds[0]..<bounds[1]
        }
    }

    /// Returns `true` if a page of a range is backed by memory. Most pages of threads' stacks are not, and reading them would
    /// take time and fill page tables.
    ///
    /// - Parameter address: the first byte of a page.
    static func isTouched(_ address: UInt, count: Int) -> Bool {
        #if canImport(Glibc)
            // A byte for each page, which has 4 KiB or more.
            var pages = [UInt8](repeating: 0, count: (count + 4095) / 4096)
            let start = unsafe UnsafeMutableRawPointer(bitPattern: address)
            return unsafe mincore(start, count, &pages) == 0 && pages.contains { $0 & 1 != 0 }
        #else
            return true
        #endif
    }
}
