import Foundation

/// A mailbox in which one thread leaves objects for another thread to release.
final class Mailbox: @unchecked Sendable {
    // Unchecked: mutable state is accessed only under the lock.
    private let lock = NSLock()
    private var objects: [Model] = []
    private var isClosed = false

    /// Does nothing once the other thread has gone.
    func leave(_ object: Model) { lock.withLock { if !isClosed { objects.append(object) } } }

    /// Releases the objects in the mailbox.
    func empty() { _ = take(isLast: false) }

    /// Takes no more.
    func close() { _ = take(isLast: true) }

    // Returned, so that objects end outside of the lock.
    private func take(isLast: Bool) -> [Model] {
        lock.withLock {
            defer { (objects, isClosed) = ([], isLast) }
            return objects
        }
    }
}
