import LeakMessage
import Testing

@testable import LeakReporter

/// Each session is reported once, whether the app ends it or the process is killed.
@Suite struct SessionLogTests {
    private func device() -> SimulatedDevice { SimulatedDevice() }

    private func recordSession(on device: SimulatedDevice) {
        device.outbox.startSession(isPolled: true, at: device.now)
        device.commit()
        device.record("A", count: 2)
        device.record("A", event: .freed)
        device.outbox.record([ClassChecks(className: "A", count: 5)], at: device.now)
        device.commit()
    }

    private func sessions(_ device: SimulatedDevice) -> [[Int]] {
        device.collector.sessions.values.map { [$0.checks, $0.leaks] }
    }

    @Test func `an ended session is reported`() {
        let device = device()
        recordSession(on: device)
        device.outbox.endSession(at: device.now)
        device.outbox.endSession(at: device.now)
        device.commit()
        device.drain()
        #expect(sessions(device) == [[5, 2]])
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `objects that a detector left out are counted in the session, even if the process was killed`()
    {
        for isKilled in [false, true] {
            let device = device()
            device.outbox.startSession(isPolled: true, at: device.now)
            device.outbox.record([ClassChecks(className: "A", count: 5, unseen: 3)], at: device.now)
            device.outbox.record([ClassChecks(className: "other", count: 0, unseen: 4)], at: device.now)
            device.commit()
            if isKilled { device.restart() } else { device.outbox.endSession(at: device.now) }
            device.commit()
            device.drain()
            #expect(
                device.collector.sessions.values.map { [$0.checks, $0.leaks, $0.unseen] } == [[5, 0, 7]])
        }
    }

    @Test func `the next run reports the session of a killed process, once`() {
        let device = device()
        recordSession(on: device)
        device.restart()
        device.restart()
        device.drain()
        #expect(sessions(device) == [[5, 2]])
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `a running session is not reported by a flush`() {
        let device = device()
        recordSession(on: device)
        device.outbox.adopt(at: device.now)
        device.outbox.retryAllNow()
        while device.send() { device.commit() }
        #expect(device.collector.sessions.isEmpty)
        device.record("B")
        device.outbox.endSession(at: device.now)
        device.commit()
        device.drain()
        #expect(sessions(device) == [[5, 3]])
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `a session without checks is not reported`() {
        let device = device()
        device.outbox.startSession(isPolled: true, at: device.now)
        device.commit()
        device.outbox.endSession(at: device.now)
        device.commit()
        #expect(device.disk.files.isEmpty)
        device.outbox.startSession(isPolled: true, at: device.now)
        device.commit()
        device.drain()
        #expect(device.collector.sessions.isEmpty)
        #expect(device.problems == [])
    }

    /// The test ends the process at each disk call, from the start of the session until the next run adopts the session's log.
    @Test(arguments: [FakeDisk.Fault.deathBefore, .deathAfter])
    func `a session is reported at most once if its process is killed, and once if the session was stored`(
        end: FakeDisk.Fault
    ) {
        for first in 1...12 {
            for second in 0...6 {
                let device = device()
                device.disk.fault = { call, _ in call == first ? end : .none }
                recordSession(on: device)
                device.outbox.endSession(at: device.now)
                device.commit()
                let wasWhole = !device.folder.isDead
                let next = device.disk.calls + second
                device.disk.fault = { call, _ in call == next ? end : .none }
                device.restart()
                device.drain()
                #expect(device.problems + device.collector.problems == [], "\(first), \(second)")
                if wasWhole || device.stored > 0 {
                    #expect(sessions(device).count == 1, "\(first), \(second)")
                }
            }
        }
    }

    @Test func `a session log that cannot be removed does not report its session twice`() {
        let device = device()
        recordSession(on: device)
        device.disk.fault = { _, kind in kind == "remove" ? .failure(5, written: 0) : .none }
        device.outbox.endSession(at: device.now)
        device.commit()
        device.advance(byMilliseconds: 60_000)
        #expect(!device.send())
        #expect(device.outbox.statistics.lastFailure?.contains(SessionLog.fileEnding) == true)
        device.drain()
        #expect(sessions(device) == [[5, 2]])
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `the session log of a long session stays short and has the latest counts`() throws {
        let device = device()
        device.outbox.startSession(isPolled: true, at: device.now)
        var longest = 0
        for _ in 0..<1_000 {
            device.outbox.record([ClassChecks(className: "A", count: 1)], at: device.now)
            device.commit()
            let log = try #require(device.disk.files.first { $0.key.hasSuffix(SessionLog.fileEnding) }).value
            longest = max(longest, log.count)
        }
        #expect(longest <= SessionLog.bytesLimit && longest > SessionLog.bytesLimit / 2)
        device.restart()
        device.drain()
        #expect(sessions(device) == [[1_000, 0]])
    }

    @Test func `the latest readable counts of a damaged session log are used`() {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for checks in 1...3 {
            SegmentRecord.session(EndedSession(id: "s", checks: checks, leaks: 0)).write(to: &bytes)
            ends.append(bytes.count)
        }
        for length in 0...bytes.count {
            let whole = ends.count { $0 <= length }
            #expect(SessionLog.newest(in: Array(bytes[..<length]))?.checks == (whole == 0 ? nil : whole))
        }
        #expect(SessionLog.newest(in: Array(bytes[ends[0]...]))?.checks == 3)
    }

    @Test func `the counts of a session stop at the largest Int`() {
        var log = SessionLog(
            EndedSession(id: "s", checks: .max - 1, leaks: .max),
            of: SegmentHeader(key: "", app: AppInfo(), device: DeviceInfo()))
        log.add(checks: 5)
        log.add(leaks: -3)
        #expect(log.session.checks == .max && log.session.leaks == .max)
    }
}
