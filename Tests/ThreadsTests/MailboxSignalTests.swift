import Foundation
import Testing

@testable import Threads

/// What a signal's handler does on the one thread that has `SIGUSR2` unblocked; it can hold nothing itself.
private enum Interruption {
    static let mailbox = Mailbox<Int>(items: 1_000_000, bytes: .max)
    // On that thread alone, and read after it has ended.
    nonisolated(unsafe) static var accepted = 0
    nonisolated(unsafe) static var refused = 0

    static func happen() {
        if mailbox.offer(-1, bytes: 1) == nil {
            unsafe refused += 1
        } else {
            unsafe accepted += 1
        }
    }

    /// Runs `body` on a thread on which the signal comes through.
    static func onInterruptibleThread(_ body: @escaping @Sendable (pthread_t) -> Void) -> WorkerThread {
        var action = sigaction()
        #if canImport(Darwin)
            unsafe action.__sigaction_u.__sa_handler = { _ in Interruption.happen() }
        #else
            unsafe action.__sigaction_handler.sa_handler = { _ in Interruption.happen() }
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

@Suite(.serialized) struct MailboxSignalTests {
    @Test func `a handler that has interrupted the mailbox is refused, which is counted`() {
        let mailbox = Interruption.mailbox
        let before = mailbox.refusals.reentrant
        Interruption.onInterruptibleThread { _ in
            _ = mailbox.alone {
                for _ in 0..<3 { raise(SIGUSR2) }
            }
        }.join()
        #expect(mailbox.refusals.reentrant == before + 3)
        #expect(unsafe Interruption.refused == mailbox.refusals.reentrant)
    }

    /// Whatever the handlers interrupt, nothing stops, and what was accepted and what was refused adds up.
    @Test func `handlers at any moment leave the counts right`() {
        let mailbox = Interruption.mailbox
        let progress = Guarded<(thread: pthread_t?, isOver: Bool, accepted: Int)>((nil, false, 0))
        var items: [Int] = []
        mailbox.take(into: &items, milliseconds: 0)
        items.removeAll()
        let sequence = mailbox.lastSequence
        let acceptedBefore = unsafe Interruption.accepted
        let thread = Interruption.onInterruptibleThread { handle in
            progress.with { $0.thread = handle }
            progress.wakeAll()
            var accepted = 0
            var number = 0
            while number % 100 != 0 || !progress.with({ $0.isOver }) {
                if mailbox.offer(number, bytes: 1) != nil { accepted += 1 }
                number += 1
            }
            let sum = accepted
            progress.with { $0.accepted = sum }
        }
        let handle = progress.wait { $0.thread }
        let clock = ContinuousClock()
        let start = clock.now
        var signals = 0
        while signals < 20_000, clock.now - start < .seconds(1) {
            if let handle { pthread_kill(handle, SIGUSR2) }
            signals += 1
            mailbox.take(into: &items, milliseconds: 0)
        }
        progress.with { $0.isOver = true }
        thread.join()
        mailbox.take(into: &items, milliseconds: 0)
        let byHandlers = unsafe Interruption.accepted - acceptedBefore
        #expect(byHandlers > 0)
        #expect(items.count == progress.with { $0.accepted } + byHandlers)
        #expect(items.count { $0 == -1 } == byHandlers)
        #expect(mailbox.lastSequence - sequence == UInt64(items.count))
        #expect(unsafe Interruption.refused == mailbox.refusals.reentrant)
        #expect(mailbox.refusals.full == 0)
    }
}
