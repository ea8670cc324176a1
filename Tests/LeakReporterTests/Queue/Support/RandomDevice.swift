import LeakSeededRandom
import LeakMessage

@testable import LeakReporter

/// Simulates a device with random events, such as reports, kills and faults.
struct RandomDevice {
    private var random: SeededRandom
    private let device: SimulatedDevice
    /// `true` for failing disks, power cuts, changed clocks and a small queue.
    private let isHarsh: Bool
    /// `true` for power cuts. Then no sync fails, because a power cut may lose bytes whose sync failed.
    private let cutsPower: Bool
    private let isRefusing: Bool
    private var endedSessions: [String: EndedSession] = [:]
    private var checks = 0

    init(seed: UInt64, isHarsh: Bool) {
        random = SeededRandom(seed: seed)
        self.isHarsh = isHarsh
        isRefusing = seed.isMultiple(of: 2)
        cutsPower = isHarsh && seed.isMultiple(of: 3)
        var bounds = LeakReporter.Bounds()
        bounds.batchReports = [1, 3, 8, 64].randomElement(using: &random) ?? 8
        bounds.reportsPerSession = 100_000
        bounds.bytesPerDay = .max
        bounds.diskBytes = isHarsh ? 64 * 1024 : .max
        bounds.memoryBytes = isHarsh ? 64 * 1024 : .max
        device = SimulatedDevice(bounds, seed: seed)
        device.collector.reportLimit = [0, 1, 2, 5, 100].randomElement(using: &random) ?? 5
        if isRefusing { device.collector.rejectedClass = "Shop.Part3" }
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps {
            device.advance(byMilliseconds: Int.random(in: 1...300, using: &random))
            step()
            if device.folder.isDead { restartProcess() }
        }
        device.drain()
    }

    private mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<35: recordSome()
        case ..<60: send()
        case ..<66: device.advance(byMilliseconds: Int.random(in: 1...60_000, using: &random))
        case ..<70: retryAllNow()
        case ..<76: scheduleProcessEnd()
        case ..<78: restartProcess()
        case ..<82: recordChecks()
        case ..<86: changeSession()
        case ..<88: device.outbox.setUser(["a", "b", nil].randomElement(using: &random) ?? nil)
        case ..<91: if isHarsh { scheduleDiskFailure() }
        case ..<93: if isHarsh { setClock() }
        default: break
        }
        if !device.folder.isDead { device.commit() }
    }

    // MARK: The app

    private mutating func recordSome() {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let number = Int.random(in: 0..<12, using: &random)
            device.record(
                "Shop.Part\(number)", count: Int.random(in: 1...3, using: &random),
                event: Int.random(in: 0..<8, using: &random) == 0 ? .freed : .leak)
        }
    }

    private mutating func recordChecks() {
        device.assignSequence()
        let count = Int.random(in: 1...5, using: &random)
        device.outbox.record([ClassChecks(className: "Shop.Cart", count: count)], at: device.now)
    }

    private mutating func changeSession() {
        device.assignSequence()
        if device.outbox.hasSession {
            device.outbox.endSession(at: device.now)
        } else {
            device.outbox.startSession(isPolled: true, at: device.now)
        }
    }

    private mutating func retryAllNow() {
        device.assignSequence()
        // A flush also adopts the files that other runs left.
        device.outbox.adopt(at: device.now)
        device.outbox.retryAllNow()
    }

    // MARK: The network

    private mutating func send() {
        let lot = Int.random(in: 0..<20, using: &random)
        let (isRefusing, wait) = (isRefusing, Bool.random(using: &random) ? 500 : nil)
        _ = device.send { collector, batch, wallTime in
            switch lot {
            case 0: return .postponed(afterMilliseconds: wait, reason: "busy")
            case 1:
                return [.unauthorized(reason: "401"), .notCounted(reason: "404"), .forbidden(reason: "403")][
                    Int(wallTime.milliseconds % 3)]
            case 2, 3:
                _ = collector.receive(batch, at: wallTime)
                return .postponed(afterMilliseconds: nil, reason: "the answer was lost")
            case 4 where isRefusing && !collector.hasKey(batch.idempotencyKey):
                return .rejected(reason: "400")
            default: return collector.receive(batch, at: wallTime)
            }
        }
    }

    // MARK: The system

    private mutating func restartProcess() {
        if cutsPower, Int.random(in: 0..<4, using: &random) == 0 { device.disk.cutPower(using: &random) }
        device.disk.fault = { _, _ in .none }
        device.restart()
    }

    /// Makes the process end at one of the next calls.
    private mutating func scheduleProcessEnd() {
        let call = device.disk.calls + Int.random(in: 1...6, using: &random)
        let end: FakeDisk.Fault =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: .deathBefore
            case 1: .deathAfter
            default: isHarsh ? .deathWithin(written: Int.random(in: 0...400, using: &random)) : .deathAfter
            }
        device.disk.fault = { number, _ in number == call ? end : .none }
    }

    private mutating func scheduleDiskFailure() {
        let first = device.disk.calls + 1
        let last = first + Int.random(in: 0...20, using: &random)
        let written = Int.random(in: 0...300, using: &random)
        var kinds = [["append"], ["remove"], ["replace"], ["sync"]].randomElement(using: &random) ?? []
        if cutsPower { kinds.removeAll { $0 == "sync" } }
        device.disk.fault = { [kinds] number, kind in
            number <= last && kinds.contains(kind) ? .failure(28, written: written) : .none
        }
    }

    private mutating func setClock() {
        let hours = [-30, -2, 1, 24, 100, 200].randomElement(using: &random) ?? 1
        device.advance(byMilliseconds: 0, asleep: hours * 3_600_000)
    }

    // MARK: Results

    var problems: [String] {
        var problems = device.problems + device.collector.problems
        let collector = device.collector
        for (name, count) in collector.counted where count > device.recorded[name, default: 0] {
            problems.append(
                "\(name) was recorded \(device.recorded[name, default: 0]) times, counted \(count)")
        }
        for (reason, count) in collector.reportedDrops {
            let dropped = LeakReporter.DropReason(rawValue: reason).flatMap { device.dropped[$0] } ?? 0
            if count > dropped {
                problems.append("\(count) drops were reported as \(reason), \(dropped) are right")
            }
        }
        if !isHarsh { problems += exactProblems }
        return problems
    }

    private var exactProblems: [String] {
        var problems: [String] = []
        let collector = device.collector
        let counted = collector.counted.values.reduce(0, +) + collector.rejected
        let known = counted + collector.reportedDrops.values.reduce(0, +)
        let recorded = device.recorded.values.reduce(0, +)
        if known < device.stored {
            problems.append("\(device.stored) were stored, \(known) are accounted for")
        }
        if known > recorded { problems.append("\(recorded) were recorded, \(known) are accounted for") }
        if collector.conflicts > 0 {
            problems.append("other bytes under the same key, \(collector.conflicts)")
        }
        if collector.reportedDrops["damaged"] != nil {
            problems.append("records are damaged, although no write failed")
        }
        return problems
    }
}
