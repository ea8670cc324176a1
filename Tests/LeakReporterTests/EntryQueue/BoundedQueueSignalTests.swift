import Foundation
import LeakPlatform
import Testing

@testable import LeakReporter

/// State of a signal handler on the only thread that has `SIGUSR2` unblocked. The handler cannot capture anything itself.
private enum Interruption {
    /// A queue so small that it never allocates memory, which a signal handler must not do.
    static let queue = BoundedQueue<Int>(items: MoveBuffer<Int>.smallestCapacity, bytes: .max)
    // Written only on that thread, and read after the thread has ended.
    nonisolated(unsafe) static var accepted = 0
    nonisolated(unsafe) static var refused = 0

    static func handleSignal() {
        if queue.offer(-1, bytes: 1) == nil {
            unsafe refused += 1
        } else {
            unsafe accepted += 1
        }
    }

    /// Runs `body` on a thread on which the signal is not blocked.
    static func onInterruptibleThread(_ body: @escaping @Sendable (pthread_t) -> Void) -> WorkerThread {
        var action = sigaction()
        #if canImport(Darwin)
            unsafe action.__sigaction_u.__sa_handler = { _ in Interruption.handleSignal() }
        #else
            unsafe action.__sigaction_handler.sa_handler = { _ in Interruption.handleSignal() }
        #endif
        unsafe sigaction(SIGUSR2, &action, nil)
        return WorkerThread(name: "interrupted") {
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, SIGUSR2)
            unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            body(pthread_self())
            unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        }
    }
}

@Suite(.serialized) struct BoundedQueueSignalTests {
    @Test func `a queue works in a process without free thread-local storage`() async {
        await #expect(processExitsWith: .success) {
            while ThreadKey.make() != nil {}
            let queue = BoundedQueue<Int>(items: 2, bytes: 10)
            guard queue.offer(1, bytes: 1) == 1 else { fatalError("offer") }
            var items: [Int] = []
            queue.take(into: &items, milliseconds: 0)
            exit(items == [1] ? 0 : 1)
        }
    }

    @Test func `an item that a signal handler offers while it interrupts the queue is rejected and counted`()
    {
        let queue = Interruption.queue
        let before = queue.rejections.reentrant
        let refusedBefore = unsafe Interruption.refused
        Interruption.onInterruptibleThread { _ in
            _ = queue.withLock {
                for _ in 0..<3 { raise(SIGUSR2) }
            }
        }.join()
        #expect(queue.rejections.reentrant == before + 3)
        #expect(unsafe Interruption.refused == refusedBefore + 3)
    }

    /// The handlers interrupt the queue at any instruction: nothing blocks, and the counts of accepted and rejected items add
    /// up.
    @Test func `the queue's counts are right even if signal handlers interrupt it at any moment`() {
        let queue = Interruption.queue
        var items: [Int] = []
        // Calls the handler once here, so that no handler can interrupt the runtime's initialization of static properties.
        Interruption.handleSignal()
        queue.take(into: &items, milliseconds: 0)
        items.removeAll()
        let sequence = queue.lastSequence
        let before = queue.rejections
        let offered = unsafe Interruption.accepted + Interruption.refused

        let progress = Guarded<(thread: pthread_t?, counts: (accepted: Int, refused: Int)?)>((nil, nil))
        let thread = Interruption.onInterruptibleThread { handle in
            progress.with { $0.thread = handle }
            progress.wakeAll()
            var counts = (accepted: 0, refused: 0)
            for number in 0..<200_000 {
                if queue.offer(number, bytes: 1) == nil {
                    counts.refused += 1
                } else {
                    counts.accepted += 1
                }
            }
            let sums = counts
            progress.with { $0.counts = sums }
        }
        let handle = progress.wait { $0.thread }
        while progress.with({ $0.counts == nil }) {
            if let handle { pthread_kill(handle, SIGUSR2) }
            queue.take(into: &items, milliseconds: 0)
        }
        thread.join()
        queue.take(into: &items, milliseconds: 0)

        let counts = progress.with { $0.counts }
        let byHandlers = items.count { $0 == -1 }
        let offeredByHandlers = unsafe Interruption.accepted + Interruption.refused - offered
        #expect(offeredByHandlers > 0)
        #expect(items.count == (counts?.accepted ?? 0) + byHandlers)
        #expect(queue.lastSequence - sequence == UInt64(items.count))
        let refused = (counts?.refused ?? 0) + offeredByHandlers - byHandlers
        let after = queue.rejections
        #expect(after.full - before.full + after.reentrant - before.reentrant == refused)
        #expect(after.closed == 0)
    }
}
