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
        device.outbox.queue.activeSegment.map { $0.queuedSegment.sightingCount > 0 } == true
            || device.outbox.queue.waitingSegments.contains { !$0.isRetry }
    }

    /// The device records and sends a batch each minute, for seven days.
    @Test
    func
        `a batch that the server fails on blocks no other batch, and is dropped after six days`()
    {
        let device = device()
        device.record("Shop.Poison")
        device.commit()
        device.advance(byMilliseconds: 200)
        #expect(device.send { _, _, _ in failed })
        var attempts = 0
        var longestWait = 0
        for number in 0..<10_080 {
            device.record("Shop.Part\(number)")
            device.commit()
            var waited = 0
            while hasOthers(device) {
                device.advance(byMilliseconds: 250)
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
            device.advance(byMilliseconds: 60_000 - waited)
        }
        #expect(longestWait <= 1_500, "other batches wait at most for the shortest back-off")
        #expect(device.collector.counted.count == 10_080)
        // The back-off of this device is at most a minute, and jitter may halve it.
        #expect(attempts < 6 * 86_400 / 30 + 20 && attempts > 1_000)
        #expect(device.outbox.statistics.dropped == [.tooOld: 1])
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `all batches share one back-off while the server is down, even if reports are recorded then`()
    {
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
            device.advance(byMilliseconds: 1_000)
        }
        #expect(attempts.count < 3_600 / 30 + 10)
        #expect(zip(attempts, attempts.dropFirst()).suffix(100).allSatisfy { $1 - $0 >= 30_000 })
        let sent = device.outbox.queue.waitingSegments.count { $0.sentAt != nil }
        #expect(sent <= BatchRetries.failingLimit + 1, "batches that were never sent may wait for a month")
        device.advance(byMilliseconds: 60_000)
        while device.send() { device.commit() }
        #expect(device.outbox.statistics.waiting <= 1, "all batches are sent when the server is back")
        device.drain()
        #expect(device.collector.counted.count == 460)
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `a batch that failed during an outage is sent right after the server accepts another batch`()
        throws
    {
        let device = device()
        device.record("Shop.First")
        device.commit()
        device.advance(byMilliseconds: 200)
        for _ in 0..<10 {
            _ = device.send { _, _, _ in failed }
            device.commit()
            device.advance(byMilliseconds: 60_000)
        }
        _ = device.send { _, _, _ in failed }
        device.record("Shop.Second")
        device.commit()
        device.advance(byMilliseconds: 1_000)
        var order: [String] = []
        while device.send({ collector, batch, at in
            order.append(holds("Shop.First", batch) ? "first" : "second")
            return collector.receive(batch, at: at)
        }) {
            device.commit()
        }
        #expect(order == ["second", "first"])
    }

    /// A firewall may reject one batch for hours.
    @Test(arguments: [DeliveryResult.notCounted(reason: "403"), .failed(reason: "500")])
    func `a new batch does not wait for the back-off of a batch that failed for hours`(answer: DeliveryResult)
    {
        let device = device()
        device.record("Shop.Poison")
        device.commit()
        for _ in 0..<600 {
            device.advance(byMilliseconds: 60_000)
            _ = device.send { _, _, _ in answer }
            device.commit()
        }
        device.record("Shop.Cart")
        device.commit()
        device.advance(byMilliseconds: 500)
        #expect(device.send { $0.receive($1, at: $2) })
        device.commit()
        #expect(device.collector.counted == ["Shop.Cart": 1])
    }

    @Test func `a flush tries each failed batch once`() {
        let device = device()
        device.record("Shop.Poison")
        device.commit()
        for _ in 0..<20 {
            device.advance(byMilliseconds: 60_000)
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

    /// Returns a device with batches that the server fails on, followed by a batch that the server accepts.
    private func deviceWithFailingBatches(_ failing: Int) -> SimulatedDevice {
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

    /// While ``BatchRetries/failingLimit`` or more batches fail, one further batch is tried per hour.
    @Test(arguments: [(2, 1), (8, 1), (9, 2), (20, 13)])
    func `batches on which the server fails never block other batches forever`(failing: Int, hours: Int) {
        let device = deviceWithFailingBatches(failing)
        var seconds = 0
        while device.collector.counted.isEmpty, seconds < 6 * 86_400 {
            device.advance(byMilliseconds: 10_000)
            seconds += 10
            sendAll(device)
        }
        #expect(device.collector.counted == ["Shop.Cart": 1])
        #expect(seconds <= hours * 3_600)
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `batches that failed in an earlier run are tried last`() {
        let device = deviceWithFailingBatches(12)
        for _ in 0..<50 where device.collector.counted.isEmpty {
            device.restart()
            for _ in 0..<12 {
                device.advance(byMilliseconds: 5_000)
                sendAll(device)
            }
            // An hour in which the app does not run.
            device.advance(byMilliseconds: 0, asleep: 3_600_000)
        }
        #expect(device.collector.counted == ["Shop.Cart": 1])
        #expect(device.runs <= 6)
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `the number of failing batches that are tried stays limited even if the app starts often`() {
        let device = deviceWithFailingBatches(100)
        for _ in 0..<50 {
            device.restart()
            for _ in 0..<12 {
                device.advance(byMilliseconds: 5_000)
                while device.send({ _, _, _ in failed }) { device.commit() }
            }
        }
        let sent = device.outbox.queue.waitingSegments.count { $0.sentAt != nil }
        #expect(sent <= BatchRetries.failingLimit + 1)
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `a dropped batch does not count as a failing batch`() {
        var retries = BatchRetries()
        let start = MonotonicTime(milliseconds: 0)
        #expect(retries.recordFailure(of: "a", at: start) { _ in 1_000 } == .batch)
        retries.remove("a")
        #expect(retries.recordFailure(of: "b", at: start) { _ in 1_000 } == .batch)
        #expect(retries.recordFailure(of: "c", at: start) { _ in 1_000 } == .server)
    }
}
