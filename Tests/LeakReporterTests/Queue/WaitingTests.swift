import Foundation
import LeakMessage
import Testing

@testable import LeakReporter

/// Many waiting segments, and files that cannot be read.
@Suite struct WaitingTests {
    private func storeSegments(_ count: Int, on disk: FakeDisk, of device: SimulatedDevice) {
        for number in 0..<count {
            var header = SegmentHeader(
                key: "k\(10_000 + number)", app: AppInfo(id: "a"), device: DeviceInfo())
            header.user = "u"
            var report = LeakReport()
            report.className = "Shop.Part\(number)"
            report.id = SightingID.make(at: device.now.wallTime)
            var bytes: [UInt8] = []
            SegmentRecord.header(header).write(to: &bytes)
            let json = report.openJSON()[...]
            SegmentRecord.report(index: 0, count: 1, alive: nil, json: json).write(to: &bytes)
            disk.files[header.key + Segment.fileEnding] = bytes
        }
    }

    /// Returns the milliseconds that it takes to record and commit one leak without sending it, while `count` segments wait.
    private func recordingMilliseconds(withWaiting count: Int) -> Double {
        var bounds = LeakReporter.Bounds()
        bounds.diskBytes = .max
        let device = SimulatedDevice(bounds)
        storeSegments(count, on: device.disk, of: device)
        device.restart()
        let times = (0..<20).map { number in
            let start = DispatchTime.now().uptimeNanoseconds
            device.record("Shop.New\(number)")
            device.commit()
            return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
        }
        #expect(device.outbox.statistics.waiting == count + 20)
        return times.min() ?? 0
    }

    @Test func `ten thousand waiting segments do not delay the recording of a leak`() {
        // The limit in milliseconds holds for debug builds on slow machines. A release build takes about a hundredth of it.
        #expect(recordingMilliseconds(withWaiting: 10_000) < 250)
    }

    @Test func `two thousand segments of another run are sent in order`() {
        var bounds = LeakReporter.Bounds()
        bounds.diskBytes = .max
        let device = SimulatedDevice(bounds)
        storeSegments(2_000, on: device.disk, of: device)
        device.restart()
        var keys: [String] = []
        for _ in 0..<2_000 {
            guard let batch = device.batch() else { break }
            keys.append(batch.idempotencyKey)
            device.outbox.finish(batch, .accepted(rejected: [], reason: nil), at: device.now, jitter: 0)
        }
        #expect(keys == (0..<2_000).map { "k\(10_000 + $0)" })
        #expect(device.disk.files.isEmpty)
        #expect(device.outbox.statistics.sent == 2_000)
    }

    private func sendNext(from device: SimulatedDevice) -> String? {
        guard let batch = device.batch() else { return nil }
        device.finish(batch, .accepted(rejected: [], reason: nil))
        return batch.idempotencyKey
    }

    @Test func `a file that cannot be read for a while is sent later, and blocks no other file`() {
        let device = SimulatedDevice()
        storeSegments(3, on: device.disk, of: device)
        device.restart()
        device.disk.unreadable = ["k10000.segment"]
        #expect((0..<3).map { _ in sendNext(from: device) } == ["k10001", "k10002", nil])
        #expect(device.outbox.statistics.waiting == 1)
        #expect(device.outbox.statistics.lastFailure?.contains("k10000") == true)
        #expect(
            device.millisecondsUntilDue().map { $0 > 0 } == true, "the file is not tried again immediately")
        device.disk.unreadable = []
        device.advance(byMilliseconds: 60_000)
        #expect(sendNext(from: device) == "k10000")
        #expect(device.outbox.statistics.sent == 3 && device.outbox.statistics.dropped == [:])
        #expect(device.problems == [])
    }

    @Test func `a file that cannot be read for six hours counts as damaged, and a missing file immediately`()
    {
        for isGone in [false, true] {
            let device = SimulatedDevice()
            storeSegments(1, on: device.disk, of: device)
            device.restart()
            if isGone { device.disk.files = [:] } else { device.disk.unreadable = ["k10000.segment"] }
            var attempts = 0
            while device.outbox.statistics.dropped.isEmpty, attempts < 50 {
                #expect(sendNext(from: device) == nil)
                attempts += 1
                device.advance(byMilliseconds: 3_600_000)
            }
            #expect(attempts == (isGone ? 1 : 7), "one attempt per hour for six hours")
            device.commit()
            #expect(device.outbox.statistics.dropped == [.damaged: 1])
            #expect(device.outbox.statistics.waiting == 0)
            #expect(device.problems == [])
        }
    }

    @Test func `a segment that is not readable counts as one damaged report, and an empty file is removed`() {
        let device = SimulatedDevice()
        device.disk.files = [
            "a.segment": Array("garbage".utf8), "b.segment": [], "c.session": [1, 2], "d.other": [3],
        ]
        device.restart()
        #expect(device.outbox.statistics.waiting == 1)
        device.commit()
        device.advance(byMilliseconds: 60_000)
        while device.send() { device.commit() }
        device.commit()
        #expect(device.outbox.statistics.dropped == [.damaged: 1])
        #expect(device.problems == [])
        device.advance(byMilliseconds: 60_000)
        while device.send() { device.commit() }
        #expect(device.collector.reportedDrops == ["damaged": 1])
        #expect(Array(device.disk.files.keys) == ["d.other"], "files of other kinds stay")
    }

    @Test func `damaged records of a waiting segment are counted, and the rest is sent`() throws {
        let device = SimulatedDevice()
        for name in ["A", "B", "C"] { device.record(name, count: 2) }
        device.commit()
        let (name, bytes) = try #require(device.disk.files.first)
        device.disk.files[name] = Array(bytes.dropLast(3))
        device.advance(byMilliseconds: 200)
        while device.send() { device.commit() }
        #expect(device.outbox.statistics.sent == 4)
        #expect(device.outbox.statistics.dropped == [.damaged: 2])
        #expect(device.problems + device.collector.problems == [])
    }

    /// A run that found the whole batch and its pieces would send the whole batch and leave out the pieces, which may already
    /// have been counted.
    @Test func `the pieces of a batch wait until the whole batch is removed`() throws {
        let device = SimulatedDevice()
        for name in ["A", "B"] { device.record(name) }
        device.advance(byMilliseconds: 200)
        let whole = try #require(device.batch())
        device.disk.fault = { _, kind in kind == "remove" ? .failure(5, written: 0) : .none }
        device.finish(whole, .tooLong(isFinal: true, reason: "413"))
        device.advance(byMilliseconds: 60_000)
        #expect(device.batch() == nil)
        #expect(device.outbox.statistics.lastFailure?.contains(whole.idempotencyKey) == true)
        let calls = device.disk.calls
        device.disk.fault = { call, kind in
            kind == "remove" && call < calls + 4 ? .failure(5, written: 0) : .none
        }
        device.commit()
        for _ in 0..<4 {
            device.advance(byMilliseconds: 60_000)
            while device.send() { device.commit() }
        }
        #expect(device.collector.counted == ["A": 1, "B": 1])
        device.drain()
        #expect(device.problems + device.collector.problems == [])
    }
}
