internal import LeakPlatform

/// What other threads leave for a loop. Many letters wake it once.
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

    /// The loop, for calls from its own thread, which need no lock.
    private final class Direct: @unchecked Sendable {
        // Unchecked: touched on the loop's thread alone, from ``Mailbox/adopt(_:)`` to ``Mailbox/close()``,
        // which also ends the cycle.
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

    /// Hands `answer` to the loop: at once while its connection is served on this thread, else with the next wake-up.
    func deliver(_ answer: consuming Answer) {
        if ThreadMark.isSet(by: self), let loop = direct.loop, loop.isServing(answer.connection) {
            loop.take(answer)
            return
        }
        let letter = answer
        post { $0.answers.append(letter) }
    }

    /// Leaves something in the box, unless it is closed, and wakes the loop if nobody has.
    private func post(_ letter: (inout Content) -> Void) {
        let mustWake = content.with { content in
            guard !content.isClosed else { return false }
            letter(&content)
            defer { content.isWoken = true }
            return !content.isWoken
        }
        if mustWake { waker.wake() }
    }

    /// Whether few enough connections wait for the loop, which may be busy, to leave one more.
    var takesNewcomers: Bool {
        content.with { $0.newcomers.count < Self.waitingNewcomers && !$0.isClosed }
    }

    private static let waitingNewcomers = 64

    /// Gives the loop a connection that another one has no place for. It is closed if the loop has ended.
    func deliver(_ newcomer: consuming Newcomer) {
        let parcel = Newcomer.Parcel(newcomer)
        post { $0.newcomers.append(parcel) }
    }

    /// Asks the loop to end.
    ///
    /// - Parameter deadline: milliseconds on the monotonic clock; what is in flight may take until then.
    func stop(by deadline: UInt64) {
        content.with { content in
            content.stop = min(content.stop ?? .max, deadline)
            content.isWoken = true
        }
        waker.wake()
    }

    /// Empties the box, on the loop's thread.
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

    /// From here on letters are thrown away: the loop has ended.
    func close() {
        direct.loop = nil
        content.with { content in
            content.isClosed = true
            content.answers = []
            content.newcomers = []
        }
    }
}
