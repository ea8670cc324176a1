import Foundation

/// A queue of objects that one thread adds and another thread releases.
final class ReleaseQueue: @unchecked Sendable {
    // `Sendable` is unchecked: mutable state is accessed only while `lock` is locked.
    private let lock = NSLock()
    private var objects: [Model] = []
    private var isClosed = false

    /// Adds an object, unless the queue is closed.
    func add(_ object: Model) { lock.withLock { if !isClosed { objects.append(object) } } }

    /// Releases the objects in the queue.
    func releaseAll() { _ = take(isLast: false) }

    /// Releases the objects in the queue and ignores all later objects.
    func close() { _ = take(isLast: true) }

    /// Empties the queue, and returns its objects, so that they are deallocated outside of the lock.
    private func take(isLast: Bool) -> [Model] {
        lock.withLock {
            defer { (objects, isClosed) = ([], isLast) }
            return objects
        }
    }
}
