/// Up to 62 weak references, each with its data, in one piece of memory: 16 bytes each, a kilobyte in total.
///
/// References are moved, never copied: copying a weak reference retains its object for a moment on Apple's systems, and moves
/// happen while a lock is held, when no object may be deallocated.
struct WeakChunk: @unchecked Sendable {
    // `Sendable` is unchecked: a chunk is used by one thread at a time; see ``GraceTimingWheel``.
    struct Element {
        weak var object: AnyObject?
        /// The number of the object's call in the ``CallTable``.
        let callNumber: UInt32
        /// The tick at which the object is due.
        let tick: UInt32
    }

    /// The number of elements, followed by the elements.
    private final class Storage: ManagedBuffer<Int, Element> {
        deinit {
            _ = unsafe withUnsafeMutablePointers { count, elements in
                unsafe elements.deinitialize(count: count.pointee)
            }
        }
    }

    private static let elementCount = 62

    private let storage: Storage

    init() {
        let storage = Storage.create(minimumCapacity: Self.elementCount) { _ in 0 }
        self.storage = unsafe unsafeDowncast(storage, to: Storage.self)
    }

    var count: Int { unsafe storage.withUnsafeMutablePointerToHeader { unsafe $0.pointee } }
    var isFull: Bool { count == Self.elementCount }

    func append(_ object: AnyObject, callNumber: UInt32, tick: UInt32) {
        unsafe storage.withUnsafeMutablePointers { count, elements in
            precondition(unsafe count.pointee < Self.elementCount)
            unsafe (elements + count.pointee).initialize(
                to: Element(object: object, callNumber: callNumber, tick: tick))
            unsafe count.pointee += 1
        }
    }

    func object(at index: Int) -> AnyObject? {
        precondition(index < count)
        return unsafe storage.withUnsafeMutablePointerToElements { unsafe $0[index].object }
    }

    func callNumber(at index: Int) -> UInt32 {
        precondition(index < count)
        return unsafe storage.withUnsafeMutablePointerToElements { unsafe $0[index].callNumber }
    }

    func tick(at index: Int) -> UInt32 {
        precondition(index < count)
        return unsafe storage.withUnsafeMutablePointerToElements { unsafe $0[index].tick }
    }

    /// Removes the last weak reference, which deallocates no object.
    func removeLast() {
        precondition(count > 0)
        storage.header -= 1
        unsafe storage.withUnsafeMutablePointerToElements { elements in
            _ = unsafe (elements + count).deinitialize(count: 1)
        }
    }

    /// Moves the last element to the end of another chunk.
    func moveLast(to other: WeakChunk) {
        precondition(count > 0 && !other.isFull)
        storage.header -= 1
        unsafe storage.withUnsafeMutablePointerToElements { mine in
            unsafe other.storage.withUnsafeMutablePointerToElements { others in
                unsafe (others + other.count).moveInitialize(from: mine + count, count: 1)
            }
        }
        other.storage.header += 1
    }
}
