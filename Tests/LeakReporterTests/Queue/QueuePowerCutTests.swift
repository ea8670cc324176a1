import LeakMessage
import Testing

@testable import LeakReporter

/// Power cuts after a batch was sent: the next run sends the same bytes under the same key.
@Suite struct QueuePowerCutTests {
    private let device = SimulatedDevice()

    private func sendWithoutAnswer() {
        let isSent = device.send { collector, batch, time in
            _ = collector.receive(batch, at: time)
            return .postponed(afterMilliseconds: nil, reason: "the answer was lost")
        }
        #expect(isSent)
        device.commit()
    }

    private func expectEachCountedOnce(_ names: [String]) {
        device.drain()
        #expect(device.problems == [])
        #expect(device.collector.problems == [])
        #expect(device.collector.conflicts == 0, "other bytes under the same key")
        #expect(device.collector.counted == Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
        #expect(device.collector.reportedDrops == [:])
    }

    /// When a batch is split, its two pieces are synced, still without footers, and then the batch is removed. Before a piece
    /// is sent, another sync makes the piece's footer and the removal of the batch survive a power cut.
    @Test(arguments: [0, 1])
    func `an unsynced footer of an ended run is synced before its batch is sent`(piecesSentBefore: Int) {
        device.collector.reportLimit = 1
        device.record("A")
        device.record("B")
        device.commit()
        device.advance(byMilliseconds: 200)
        #expect(device.send(), "the batch is too long, and becomes two pieces")
        for _ in 0..<piecesSentBefore { #expect(device.send()) }
        device.commit()
        device.disk.fault = { _, kind in kind == "sync" ? .deathBefore : .none }
        #expect(!device.send(), "killed between the footer and its sync")
        device.disk.fault = { _, _ in .none }
        device.restart()
        sendWithoutAnswer()
        device.disk.cutPower()
        device.restart()
        expectEachCountedOnce(["A", "B"])
    }

    /// A write that is cut short leaves a part of the batch without its footer.
    @Test func `a batch that was sent from memory is counted once, even if it is then written only in part`()
    {
        device.disk.fault = { _, kind in kind == "append" ? .failure(28, written: 0) : .none }
        device.record("A")
        device.record("B")
        device.commit()
        device.advance(byMilliseconds: 200)
        sendWithoutAnswer()
        device.disk.fault = { _, kind in kind == "append" ? .deathWithin(written: 300) : .none }
        device.commit()
        device.disk.fault = { _, _ in .none }
        device.restart()
        expectEachCountedOnce(["A", "B"])
    }
}
