/// Up to 62 weak references with what belongs to each, in one piece of memory: 16 bytes each.
///
/// References are moved, never copied: a copy of a weak reference holds its object for a moment on Apple's systems, and
/// moves happen inside a lock, where an object must not end.
@safe
final class WeakChunk: @unchecked Sendable {
    // Unchecked: in the hands of one thread at a time; see ``GraceRing``.
    struct Element {
        weak var object: AnyObject?
        /// Of its ``Circumstances``.
        let slot: UInt32
        let tick: UInt32
    }

    /// A kilobyte with what comes before them.
    static var capacity: Int { 62 }

    private let elements: UnsafeMutablePointer<Element>
    private(set) var count = 0

    init() { unsafe elements = .allocate(capacity: Self.capacity) }

    deinit {
        unsafe elements.deinitialize(count: count)
        unsafe elements.deallocate()
    }

    var isFull: Bool { count == Self.capacity }

    func append(_ object: AnyObject, slot: UInt32, tick: UInt32) {
        precondition(!isFull)
        unsafe (elements + count).initialize(to: Element(object: object, slot: slot, tick: tick))
        count += 1
    }

    func object(at index: Int) -> AnyObject? {
        precondition(index < count)
        return unsafe elements[index].object
    }

    func slot(at index: Int) -> UInt32 {
        precondition(index < count)
        return unsafe elements[index].slot
    }

    func tick(at index: Int) -> UInt32 {
        precondition(index < count)
        return unsafe elements[index].tick
    }

    /// Moves the last element to the end of another chunk.
    func moveLast(to other: WeakChunk) {
        precondition(count > 0 && !other.isFull)
        count -= 1
        unsafe (other.elements + other.count).moveInitialize(from: elements + count, count: 1)
        other.count += 1
    }
}
