import LeakMessage
import Testing

@testable import LeakReporter

/// One batch on which the server fails, and a server that fails on all batches.
@Suite struct BatchRetriesTests {
    private let failed = DeliveryResult.failed(reason: "the collector answered 500")

    private func device(_ change: (inout LeakReporter.Bounds) -> Void = { _ in }) -> SimulatedDevice {
        var bounds = LeakReporter.Bounds()
        bounds.reportsPerSession = .max
        change(&bounds)
        return SimulatedDevice(bounds)
    }

    private func holds(_ name: String, _ batch: SegmentQueue.Batch) -> Bool {
        String(decoding: batch.body, as: UTF8.self).contains("\"\(name)\"")
    }

    private func hasOthers(_ device: SimulatedDevice) -> Bool {
        device.outbox.queue.activeSegment.map { $0.queuedSegment.sightings > 0 } == true
            || device.outbox.queue.waitingSegments.contains { !$0.isDeclined }
    }

    /// A batch each minute, for seven days.
    @Test
    func
        `a batch that the server fails on blocks no other batch, and is dropped after six days`()
    {
        let device = device()
        device.record("Shop.Poison")
        device.commit()
        device.pass(200)
        #expect(device.send { _, _, _ in failed })
        var attempts = 0
        var longestWait = 0
        for number in 0..<10_080 {
            device.record("Shop.Part\(number)")
            device.commit()
            var waited = 0
            while hasOthers(device) {
                device.pass(250)
                waited += 250
                while device.send({ collector, batch, at in
                    guard holds("Shop.Poison", batch) else { return collector.receive(batch, at: at) }
                    attempts += 1
                    return failed
                }) {
                    device.commit()
                }
                guard waited < 10_000 else { break }
            }
            longestWait = max(longestWait, waited)
            device.pass(60_000 - waited)
        }
        #expect(longestWait <= 1_500, "the shortest back-off after a failure of the other batch")
        #expect(device.collector.counted.count == 10_080)
        // The back-off of this device is at most a minute, and jitter halves it.
        #expect(attempts < 6 * 86_400 / 30 + 20 && attempts > 1_000)
        #expect(device.outbox.statistics.dropped == [.tooOld: 1])
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `a server that is down gets one back-off, even if reports are recorded meanwhile`() {
        let device = device { $0.batchReports = 2 }
        for number in 0..<100 { device.record("Shop.Part\(number)") }
        device.commit()
        var attempts: [Int] = []
        let start = device.now.monotonicTime.milliseconds
        for second in 0..<3_600 {
            if second % 10 == 0 { device.record("Shop.Late\(second)") }
            device.commit()
            while device.send({ _, _, _ in failed }) {
                attempts.append(device.now.monotonicTime.milliseconds - start)
                device.commit()
            }
            device.pass(1_000)
        }
        #expect(attempts.count < 3_600 / 30 + 10)
        #expect(zip(attempts, attempts.dropFirst()).suffix(100).allSatisfy { $1 - $0 >= 30_000 })
        let sent = device.outbox.queue.waitingSegments.count { $0.sentAt != nil }
        #expect(sent <= BatchRetries.failingLimit + 1, "the others may still wait for a month")
        device.pass(60_000)
        while device.send() { device.commit() }
        #expect(device.outbox.statistics.waiting <= 1, "all go at once when it is back")
        device.drain()
        #expect(device.collector.counted.count == 460)
        #expect(device.problems + device.collector.problems == [])
    }

    @Test
    func `a batch that waits alone while the server is down is sent as soon as the server accepted another`()
        throws
    {
        let device = device()
        device.record("Shop.First")
        device.commit()
        device.pass(200)
        for _ in 0..<10 {
            _ = device.send { _, _, _ in failed }
            device.commit()
            device.pass(60_000)
        }
        _ = device.send { _, _, _ in failed }
        device.record("Shop.Second")
        device.commit()
        device.pass(1_000)
        var order: [String] = []
        while device.send({ collector, batch, at in
            order.append(holds("Shop.First", batch) ? "first" : "second")
            return collector.receive(batch, at: at)
        }) {
            device.commit()
        }
        #expect(order == ["second", "first"])
    }

    /// A firewall that rejects one batch.
    @Test(arguments: [DeliveryResult.declined(reason: "403"), .failed(reason: "500")])
    func `a new batch does not wait for the back-off of one that failed for hours`(answer: DeliveryResult) {
        let device = device()
        device.record("Shop.Poison")
        device.commit()
        for _ in 0..<600 {
            device.pass(60_000)
            _ = device.send { _, _, _ in answer }
            device.commit()
        }
        device.record("Shop.Cart")
        device.commit()
        device.pass(500)
        #expect(device.send { $0.receive($1, at: $2) })
        device.commit()
        #expect(device.collector.counted == ["Shop.Cart": 1])
    }

    @Test func `a flush tries each failed batch once`() {
        let device = device()
        device.record("Shop.Poison")
        device.commit()
        for _ in 0..<20 {
            device.pass(60_000)
            _ = device.send { _, _, _ in failed }
            device.commit()
        }
        _ = device.send { _, _, _ in failed }
        device.record("Shop.Cart")
        device.outbox.retryAllNow()
        var attempts = 0
        while device.send({ collector, batch, at in
            attempts += 1
            return holds("Shop.Poison", batch) ? failed : collector.receive(batch, at: at)
        }) {
            device.commit()
        }
        #expect(attempts == 2)
        #expect(device.collector.counted == ["Shop.Cart": 1])
    }

    /// A device with batches that the server fails on, and one behind them that it takes.
    private func deviceBehind(_ failing: Int) -> SimulatedDevice {
        let device = device { $0.batchReports = 1 }
        for number in 0..<failing { device.record("Shop.Poison\(number)") }
        device.record("Shop.Cart")
        device.commit()
        return device
    }

    private func isPoison(_ batch: SegmentQueue.Batch) -> Bool {
        String(decoding: batch.body, as: UTF8.self).contains("\"Shop.Poison")
    }

    private func sendAll(_ device: SimulatedDevice) {
        while device.send({ collector, batch, at in
            isPoison(batch) ? failed : collector.receive(batch, at: at)
        }) {
            device.commit()
        }
    }

    /// Failing batches beyond the limit are tried one per hour.
    @Test(arguments: [(2, 1), (8, 1), (9, 2), (20, 13)])
    func `many batches that the server fails on block no other batch forever`(failing: Int, hours: Int) {
        let device = deviceBehind(failing)
        var seconds = 0
        while device.collector.counted.isEmpty, seconds < 6 * 86_400 {
            device.pass(10_000)
            seconds += 10
            sendAll(device)
        }
        #expect(device.collector.counted == ["Shop.Cart": 1])
        #expect(seconds <= hours * 3_600)
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `batches that failed in an earlier run are tried last`() {
        let device = deviceBehind(12)
        for _ in 0..<50 where device.collector.counted.isEmpty {
            device.restart()
            for _ in 0..<12 {
                device.pass(5_000)
                sendAll(device)
            }
            // An hour in which the app does not run.
            device.pass(0, asleep: 3_600_000)
        }
        #expect(device.collector.counted == ["Shop.Cart": 1])
        #expect(device.runs <= 6)
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `an app that starts often tries no more batches while the server is down`() {
        let device = deviceBehind(100)
        for _ in 0..<50 {
            device.restart()
            for _ in 0..<12 {
                device.pass(5_000)
                while device.send({ _, _, _ in failed }) { device.commit() }
            }
        }
        let sent = device.outbox.queue.waitingSegments.count { $0.sentAt != nil }
        #expect(sent <= BatchRetries.failingLimit + 1)
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `a dropped batch is not one of the failing batches`() {
        var retries = BatchRetries()
        let start = MonotonicTime(milliseconds: 0)
        #expect(retries.recordFailure(of: "a", at: start) { _ in 1_000 } == .batch)
        retries.remove("a")
        #expect(retries.recordFailure(of: "b", at: start) { _ in 1_000 } == .batch)
        #expect(retries.recordFailure(of: "c", at: start) { _ in 1_000 } == .server)
    }
}
