internal import LeakPlatform
import LeakTransport

/// The network thread, which sends one batch at a time. It starts with the first batch.
final class BatchSender {
    private let batchQueue = BoundedQueue<SegmentQueue.Batch>(items: 1, bytes: .max)
    private var isRunning = false

    /// - Returns: `true` if the batch is being sent; `false` if the environment has no request builder, or if the system cannot
    ///   start another thread.
    func send(
        _ batch: SegmentQueue.Batch, from environment: ReporterEnvironment,
        repliesTo entryQueue: BoundedQueue<ReporterThread.Entry>
    ) -> Bool {
        guard let requestBuilder = environment.requestBuilder else { return false }
        if !isRunning {
            let (batchQueue, makeTransport) = (batchQueue, environment.makeTransport)
            isRunning = WorkerThread.start(name: "LeakReporter net") {
                let transport = makeTransport()
                var batches: [SegmentQueue.Batch] = []
                while batchQueue.take(into: &batches, milliseconds: nil) || !batches.isEmpty {
                    for batch in batches {
                        entryQueue.offerIgnoringLimits(
                            .reply(
                                batch,
                                transport.post(
                                    requestBuilder.request(
                                        posting: batch.body, idempotencyKey: batch.idempotencyKey))),
                            separating: .none)
                    }
                    batches.removeAll()
                }
            }
        }
        return isRunning && batchQueue.offer(batch, bytes: 0) != nil
    }

    deinit { batchQueue.close() }
}
