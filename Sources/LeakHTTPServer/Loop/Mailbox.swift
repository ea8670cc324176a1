internal import LeakPlatform

/// A queue of messages from other threads to a loop. Several messages cause a single wake-up.
final class Mailbox: Sendable {
    private struct Content {
        var answers: [Answer] = []
        var newcomers: [Newcomer.Parcel] = []
        var stop: UInt64?
        var isWoken = false
        var isClosed = false
    }

    private let content = Guarded(Content())
    private let waker: Waker
    private let direct: Direct

    /// A reference to the loop for calls on its own thread, which need no lock.
    private final class Direct: @unchecked Sendable {
        // Unchecked: accessed only on the loop's thread, from ``Mailbox/adopt(_:)`` to ``Mailbox/close()``, which also breaks the
        // reference cycle.
        var loop: Loop?
    }

    init(waker: Waker) {
        self.waker = waker
        direct = Direct()
    }

    /// Marks the current thread as the loop's.
    func adopt(_ loop: Loop) {
        direct.loop = loop
        ThreadMark.set(self)
    }

    /// Delivers `answer` to the loop: at once if its connection is being served on this thread, otherwise with the next wake-up.
    func deliver(_ answer: consuming Answer) {
        if ThreadMark.isSet(by: self), let loop = direct.loop, loop.isServing(answer.connection) {
            loop.sendWhileServing(answer)
            return
        }
        let letter = answer
        post { $0.answers.append(letter) }
    }

    /// Adds a message, unless the queue is closed, and wakes the loop if that has not happened yet.
    private func post(_ add: (inout Content) -> Void) {
        let mustWake = content.with { content in
            guard !content.isClosed else { return false }
            add(&content)
            defer { content.isWoken = true }
            return !content.isWoken
        }
        if mustWake { waker.wake() }
    }

    /// `true` if the queue can hold another connection: it is open, and few connections wait in it. The loop may be busy.
    var takesNewcomers: Bool {
        content.with { $0.newcomers.count < Self.waitingNewcomers && !$0.isClosed }
    }

    private static let waitingNewcomers = 64

    /// Passes a connection to the loop, from another loop that has no slot for it. If the loop has ended, the connection is closed.
    func deliver(_ newcomer: consuming Newcomer) {
        let parcel = Newcomer.Parcel(newcomer)
        post { $0.newcomers.append(parcel) }
    }

    /// Asks the loop to end.
    ///
    /// - Parameter deadline: milliseconds on the monotonic clock; requests in progress may take until then.
    func stop(by deadline: UInt64) {
        content.with { content in
            content.stop = min(content.stop ?? .max, deadline)
            content.isWoken = true
        }
        waker.wake()
    }

    /// Removes and returns all messages. Must be called on the loop's thread.
    func take() -> (answers: [Answer], newcomers: [Newcomer.Parcel], stop: UInt64?) {
        waker.clear()
        return content.with { content in
            defer {
                content.answers.removeAll(keepingCapacity: content.answers.count < 1024)
                content.newcomers = []
                content.isWoken = false
            }
            return (content.answers, content.newcomers, content.stop)
        }
    }

    /// Closes the queue, because the loop has ended. Later messages are discarded.
    func close() {
        direct.loop = nil
        content.with { content in
            content.isClosed = true
            content.answers = []
            content.newcomers = []
        }
    }
}
