internal import LeakPlatform
import LeakTransport

/// The thread that posts, one batch at a time. It starts with the first of them.
final class Carrier {
    private let mailbox = Mailbox<SegmentQueue.Batch>(items: 1, bytes: .max)
    private var isRunning = false

    /// - Returns: whether the batch is on its way; `false` when the system starts no more threads.
    func send(_ batch: SegmentQueue.Batch, _ ground: Ground, _ answers: Mailbox<Keeper.Entry>) -> Bool {
        guard let envelope = ground.envelope else { return false }
        if !isRunning {
            let (mailbox, makeTransport) = (mailbox, ground.makeTransport)
            isRunning = WorkerThread.start(name: "LeakReporter net") {
                let transport = makeTransport()
                var batches: [SegmentQueue.Batch] = []
                while mailbox.take(into: &batches, milliseconds: nil) || !batches.isEmpty {
                    for batch in batches {
                        answers.insist(
                            .reply(batch, transport.post(envelope.post(batch.body, key: batch.key))),
                            separating: .none)
                    }
                    batches.removeAll()
                }
            }
        }
        return isRunning && mailbox.offer(batch, bytes: 0) != nil
    }

    deinit { mailbox.close() }
}
