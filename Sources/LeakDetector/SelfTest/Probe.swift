internal import LeakMessage
internal import Threads

/// Leaks an object on purpose, and lets go of it once that was noticed.
final class Probe: Subject {
    static let circumstances = Circumstances(
        type: LeakDetectorSelfTestObject.self, reason: "self-test", isCounted: false)

    private struct State {
        var object: LeakDetectorSelfTestObject?
        var leak: LeakReport?
        var done: (@Sendable (LeakDetector.SelfTest) -> Void)?
    }

    private let state: Guarded<State>
    private let trace: WeakSubject

    /// - Parameter done: called once.
    init(done: @escaping @Sendable (LeakDetector.SelfTest) -> Void) {
        let object = LeakDetectorSelfTestObject()
        trace = WeakSubject(object)
        state = Guarded(State(object: object, done: done))
    }

    var object: AnyObject? { trace.object }

    func look() -> Sight { trace.look() }

    func portrait(_ circumstances: Circumstances) -> Portrait { trace.portrait(circumstances) }

    func leaked(_ id: String, _ waitedMilliseconds: Int, _ alive: Int) {
        var report = Self.report(.leak, id, alive)
        report.waitedMilliseconds = waitedMilliseconds
        state.with { state in
            state.leak = report
            state.object = nil
        }
    }

    func freed(_ livedMilliseconds: Int, _ alive: Int) {
        guard let leak = state.with({ $0.leak }) else { return finish(.silent) }
        var report = Self.report(.freed, leak.id, alive)
        report.livedMilliseconds = livedMilliseconds
        finish(.works(leak: leak, freed: report))
    }

    func finish(_ result: LeakDetector.SelfTest) {
        let done = state.with { state in
            defer { (state.done, state.object) = (nil, nil) }
            return state.done
        }
        done?(result)
    }

    private static func report(_ event: LeakReport.Event, _ id: String?, _ alive: Int) -> LeakReport {
        var report = LeakReport()
        report.event = event
        report.id = id
        report.at = WallTime.now
        report.kind = .object
        report.className = UnknownContext.removed(from: String(reflecting: LeakDetectorSelfTestObject.self))
        report.reason = circumstances.reason
        report.alive = alive
        return report
    }
}

/// Named so that whoever meets it in a list knows what it is.
final class LeakDetectorSelfTestObject: Sendable {}
