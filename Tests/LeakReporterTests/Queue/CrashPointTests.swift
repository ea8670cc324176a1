import LeakMessage
import Testing

@testable import LeakReporter

/// Repeats one run that uses every disk operation of the queue, and ends the process each time at another disk call.
@Suite struct CrashPointTests {
    enum End: CaseIterable { case before, after, within }

    private static var bounds: LeakReporter.Bounds {
        var bounds = LeakReporter.Bounds()
        bounds.batchReports = 4
        bounds.reportsPerSession = .max
        bounds.diskBytes = 64 * 1024
        return bounds
    }

    /// Records, merges, writes footers, sends with a lost answer, receives 413, 400 and 503, has a session, and drops reports
    /// beyond the limits.
    private static func runAllOperations(_ device: SimulatedDevice) {
        func turn(_ body: (SimulatedDevice) -> Void) {
            guard !device.folder.isDead else { return }
            device.advance(byMilliseconds: 7)
            body(device)
            device.commit()
        }
        turn { $0.outbox.startSession(isPolled: true, at: $0.now) }
        turn { for name in ["A", "B", "C"] { $0.record(name) } }
        turn { for name in ["A", "B", "A"] { $0.record(name, count: 2) } }
        turn { $0.outbox.record([ClassChecks(className: "A", count: 3)], at: $0.now) }
        turn { $0.advance(byMilliseconds: 300) }
        turn { device in
            _ = device.send { collector, batch, time in
                _ = collector.receive(batch, at: time)
                return .postponed(afterMilliseconds: nil, reason: "the answer was lost")
            }
        }
        turn { $0.advance(byMilliseconds: 2_000) }
        turn { _ = $0.send() }
        turn { for name in ["D", "E", "F", "G", "H", "I"] { $0.record(name) } }
        turn { $0.advance(byMilliseconds: 300) }
        // The collector accepts at most three reports in a batch, so it rejects four and accepts two.
        turn { _ = $0.send() }
        turn { _ = $0.send() }
        turn { _ = $0.send { _, _, _ in .postponed(afterMilliseconds: nil, reason: "503") } }
        turn { $0.advance(byMilliseconds: 2_000) }
        turn { _ = $0.send() }
        turn { device in while device.send() { device.commit() } }
        turn { for name in ["J", "K"] { $0.record(name) } }
        turn { $0.outbox.endSession(at: $0.now) }
        turn { $0.outbox.retryAllNow() }
        turn { _ = $0.send { _, _, _ in .rejected(reason: "400") } }
        turn { $0.outbox.retryAllNow() }
        turn { device in while device.send() { device.commit() } }
        // Records without sending, until the limit of bytes on disk is reached.
        for number in 0..<90 {
            turn { device in
                var report = LeakReport()
                report.className = "L\(number)"
                report.stack = (0..<8).map { "Frame\($0)" + String(repeating: "x", count: 100) }
                device.record(report)
            }
        }
    }

    private static func problems(_ device: SimulatedDevice) -> [String] {
        var problems = device.problems + device.collector.problems
        let collector = device.collector
        let known = collector.counted.values.reduce(0, +) + collector.reportedDrops.values.reduce(0, +)
        let recorded = device.recorded.values.reduce(0, +)
        if known < device.stored || known > recorded {
            problems.append("stored \(device.stored), accounted for \(known), recorded \(recorded)")
        }
        for (name, count) in collector.counted where count > device.recorded[name, default: 0] {
            problems.append("\(name) is counted \(count) times")
        }
        if collector.conflicts > 0 { problems.append("other bytes under the same key") }
        if collector.sessions.count > 1 { problems.append("\(collector.sessions.count) sessions") }
        return problems
    }

    private static func device(_ fault: @escaping (Int, String) -> FakeDisk.Fault) -> SimulatedDevice {
        let device = SimulatedDevice(bounds)
        device.collector.reportLimit = 3
        device.disk.fault = fault
        runAllOperations(device)
        device.drain()
        return device
    }

    @Test func `without faults each report is counted by the collector, or reported to it as dropped`() {
        let device = Self.device { _, _ in .none }
        #expect(Self.problems(device) == [])
        let dropped = Set(device.dropped.keys)
        #expect(dropped == [.queueFull, .batchRejected], "the run drops reports for both reasons")
        #expect(
            device.collector.reportedDrops == [
                "queue_full": device.dropped[.queueFull] ?? 0, "refused": device.dropped[.batchRejected] ?? 0,
            ])
        #expect(device.collector.counted["A"] == 5)
        #expect(device.collector.sessions.count == 1)
        #expect(device.collector.checks == ["A": 3])
        #expect(device.stored == device.recorded.values.reduce(0, +))
    }

    @Test(arguments: End.allCases)
    func `if the process ends at any disk call, no stored report is lost or counted twice`(end: End) {
        let whole = SimulatedDevice(Self.bounds)
        whole.collector.reportLimit = 3
        Self.runAllOperations(whole)
        let calls = whole.disk.calls
        #expect(calls > 120)
        var problems: [String] = []
        // Tests each of the first 70 calls, and every fifth of the similar calls after them.
        for call in 1...calls where call <= 70 || call.isMultiple(of: 5) {
            let device = Self.device { number, _ in
                guard number == call else { return .none }
                return switch end {
                case .before: .deathBefore
                case .after: .deathAfter
                case .within: .deathWithin(written: 40)
                }
            }
            var found = Self.problems(device)
            // A torn record shows that something is missing, but not which record.
            if end == .within { found.removeAll { $0.hasPrefix("stored ") } }
            problems += found.map { "call \(call): \($0)" }
        }
        #expect(problems == [])
    }
}
