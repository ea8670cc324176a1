internal import Foundation
import LeakMessage
import ReportTransport
internal import Threads

/// The thread that carries what the outbox holds, and the lock between it and those who record.
///
/// The thread starts with the first report and sleeps without a time limit while nothing waits.
final class Courier: Sendable {
    private struct State {
        var outbox: Outbox
        var isRunning = false
        var isClosing = false
    }

    private let state: Guarded<State>
    private let envelope: Envelope?
    private let install: @Sendable () -> String?
    private let makeTransport: @Sendable () -> any Transport

    /// - Parameter install: gives the installation's identifier; called once, on the courier's thread, since it may read
    ///   a file.
    init(
        _ outbox: Outbox, _ envelope: Envelope?, install: @escaping @Sendable () -> String?,
        makeTransport: @escaping @Sendable () -> any Transport
    ) {
        state = Guarded(State(outbox: outbox))
        self.envelope = envelope
        self.install = install
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
            let left = deadline.milliseconds - Moment.now.milliseconds
            return left <= 0 ? .take(false) : .sleep(milliseconds: Int64(left))
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
        let thread = Thread { [self] in
            // Not before: on Linux a thread that has not started passes its name on to nobody.
            Thread.current.name = "LeakReporter"
            carry()
        }
        thread.qualityOfService = .utility
        thread.start()
    }

    private func carry() {
        guard var envelope else { return }
        envelope.install = install()
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
            switch state.outbox.next(at: .now, wallTime: .now, key: RandomText.hexadecimal128) {
            case .send(let load): .take(load)
            case .wait where state.isClosing: .take(nil)
            case .wait(nil): .sleep(milliseconds: nil)
            case .wait(let moment?):
                .sleep(milliseconds: Int64(moment.milliseconds - Moment.now.milliseconds))
            }
        }
    }
}

extension WireTime {
    static var now: WireTime { WireTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}
