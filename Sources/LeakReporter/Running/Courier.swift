internal import Foundation
import LeakMessage

/// The thread that carries what the outbox holds, and the lock between it and those who record.
///
/// The thread starts with the first report and sleeps without a time limit while nothing waits.
final class Courier: Sendable {
    private struct State {
        var outbox: Outbox
        var isRunning = false
        var isClosing = false
    }

    private let state: Locked<State>
    private let envelope: Envelope?
    private let makeTransport: @Sendable () -> any Transport

    init(_ outbox: Outbox, _ envelope: Envelope?, makeTransport: @escaping @Sendable () -> any Transport) {
        state = Locked(State(outbox: outbox))
        self.envelope = envelope
        self.makeTransport = makeTransport
    }

    func record(_ report: LeakReport) {
        var report = report.boundedForQueue()
        let at = report.at ?? .now
        report.at = at
        if report.id == nil { report.id = SightingID.make(at: at) }
        let bytes = ReportSize.bytes(of: report)
        change { $0.add(report, bytes: bytes, at: .now) }
    }

    func record(_ checks: [ClassChecks]) {
        change { $0.add(checks, at: .now) }
    }

    func record(_ session: EndedSession) {
        change { $0.add(session, at: .now) }
    }

    /// Waits until everything recorded so far is delivered or thrown away.
    func flush(seconds: Double) -> Bool {
        // Written so that NaN is no wait at all.
        let milliseconds = seconds > 0 ? Int(min(seconds, 86_400) * 1000) : 0
        let deadline = Moment.now.advanced(byMilliseconds: milliseconds)
        let sequence = state.with { $0.outbox.hurry() }
        state.wakeAll()
        return state.wait { state in
            if state.outbox.isSettled(through: sequence) { return .take(true) }
            return Moment.now >= deadline ? .take(false) : .sleep(until: deadline)
        }
    }

    var statistics: LeakReporter.Statistics { state.with { $0.outbox.statistics } }

    /// Lets the thread send what waits, each batch once, and end.
    func close() {
        state.with { state in
            state.isClosing = true
            _ = state.outbox.hurry()
        }
        state.wakeAll()
    }

    private func change(_ body: (inout Outbox) -> Void) {
        let starts = state.with { state in
            body(&state.outbox)
            guard !state.isRunning, !state.outbox.counts.isStopped else { return false }
            state.isRunning = true
            return true
        }
        guard starts else { return state.wakeAll() }
        let thread = Thread { [self] in carry() }
        thread.name = "LeakReporter"
        thread.qualityOfService = .utility
        thread.start()
    }

    private func carry() {
        guard let envelope else { return }
        let transport = makeTransport()
        var frozen: (key: String, post: Post)?
        while let load = nextLoad() {
            if frozen?.key != load.key { frozen = envelope.post(of: load).map { (load.key, $0) } }
            let delivery: Delivery
            if let frozen {
                delivery = Delivery(transport.post(frozen.post), now: .now)
            } else {
                delivery = .tooLong(
                    why: "a batch was longer than \(envelope.bodyBytes) bytes and is sent in pieces")
            }
            let isSure = state.with { state in
                state.outbox.finish(delivery, at: .now, jitter: .random(in: 0..<1))
                if case .postponed = delivery, state.isClosing { return false }
                return true
            }
            state.wakeAll()
            guard isSure else { return }
        }
    }

    /// - Returns: `nil` when the thread is to end.
    private func nextLoad() -> Outbox.Load? {
        state.wait { state in
            switch state.outbox.next(at: .now, wallTime: .now, key: Self.newKey) {
            case .send(let load): .take(load)
            case .wait(let moment): state.isClosing ? .take(nil) : .sleep(until: moment)
            }
        }
    }

    /// 128 random bits: two devices never make the same one. 32 hexadecimal digits.
    private static func newKey() -> String {
        let words = [UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)]
        return words.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

extension WireTime {
    static var now: WireTime { WireTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}
