internal import LeakPlatform

/// A queue of messages from other threads to a loop. Several messages cause a single wake-up.
final class MessageQueue: Sendable {
    private struct Content {
        var answers: [AddressedResponse] = []
        var acceptedConnections: [AcceptedConnection.Box] = []
        var stopDeadline: UInt64?
        var isWoken = false
        var isClosed = false
    }

    private let content = Guarded(Content())
    private let waker: Waker
    private let loopReference: LoopReference

    /// A reference to the loop for calls on its own thread, which need no lock.
    private final class LoopReference: @unchecked Sendable {
        // `@unchecked` is safe: the reference is accessed only on the loop's thread, from ``MessageQueue/setThread(of:)`` to
        // ``MessageQueue/close()``, which also breaks the reference cycle.
        var loop: Loop?
    }

    init(waker: Waker) {
        self.waker = waker
        loopReference = LoopReference()
    }

    /// Marks the current thread as the thread that runs `loop`.
    func setThread(of loop: Loop) {
        loopReference.loop = loop
        ThreadMark.set(self)
    }

    /// Delivers `answer` to the loop: at once if its connection is being served on this thread, otherwise with the next wake-up.
    func deliver(_ answer: consuming AddressedResponse) {
        if ThreadMark.isSet(by: self), let loop = loopReference.loop, loop.isServing(answer.connection) {
            loop.sendWhileServing(answer)
            return
        }
        let message = answer
        enqueue { $0.answers.append(message) }
    }

    /// Adds a message, unless the queue is closed, and wakes the loop if that has not happened yet.
    private func enqueue(_ add: (inout Content) -> Void) {
        let mustWake = content.with { content in
            guard !content.isClosed else { return false }
            add(&content)
            defer { content.isWoken = true }
            return !content.isWoken
        }
        if mustWake { waker.wake() }
    }

    /// `true` if the queue can hold another connection: it is open, and fewer than ``maxWaitingConnections`` wait in it because
    /// the loop is busy.
    var acceptsConnections: Bool {
        content.with { $0.acceptedConnections.count < Self.maxWaitingConnections && !$0.isClosed }
    }

    private static let maxWaitingConnections = 64

    /// Passes a connection to the loop, from another loop that has no room for the connection. If the loop has ended, the
    /// connection is closed.
    func deliver(_ incoming: consuming AcceptedConnection) {
        let box = AcceptedConnection.Box(incoming)
        enqueue { $0.acceptedConnections.append(box) }
    }

    /// Asks the loop to end.
    ///
    /// - Parameter deadline: milliseconds on the monotonic clock; requests in progress may take until then.
    func stop(by deadline: UInt64) {
        content.with { content in
            content.stopDeadline = min(content.stopDeadline ?? .max, deadline)
            content.isWoken = true
        }
        waker.wake()
    }

    /// Removes and returns all messages. Must be called on the loop's thread.
    func take() -> (
        answers: [AddressedResponse], acceptedConnections: [AcceptedConnection.Box], stopDeadline: UInt64?
    ) {
        waker.clear()
        return content.with { content in
            defer {
                content.answers.removeAll(keepingCapacity: content.answers.count < 1024)
                content.acceptedConnections = []
                content.isWoken = false
            }
            return (content.answers, content.acceptedConnections, content.stopDeadline)
        }
    }

    /// Closes the queue, because the loop has ended. Later messages are discarded.
    func close() {
        loopReference.loop = nil
        content.with { content in
            content.isClosed = true
            content.answers = []
            content.acceptedConnections = []
        }
    }
}
