import Foundation

/// Where one thread leaves objects for another to let go of.
final class Mailbox: @unchecked Sendable {
    // Unchecked: what changes is touched under the lock alone.
    private let lock = NSLock()
    private var objects: [Model] = []
    private var isClosed = false

    /// Does nothing once the other thread has gone.
    func leave(_ object: Model) { lock.withLock { if !isClosed { objects.append(object) } } }

    /// Lets go of what is there.
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
