internal import LeakMessage
internal import LeakPlatform

/// A probe that leaks an object on purpose, and releases it once the leak was found.
final class Probe: Sendable {
    private struct State {
        var object: LeakDetectorSelfTestObject?
        var leak: LeakReport?
        var done: (@Sendable (LeakDetector.SelfTest) -> Void)?
    }

    private let state: Guarded<State>
    let identity: ObjectIdentifier

    /// - Parameter done: called once, with the result.
    init(done: @escaping @Sendable (LeakDetector.SelfTest) -> Void) {
        let object = LeakDetectorSelfTestObject()
        identity = ObjectIdentifier(object)
        state = Guarded(State(object: object, done: done))
    }

    /// Expects the object to be deallocated, as an app would, but without counting it.
    func expect(_ checker: ExpirationChecker) {
        guard let object = state.with({ $0.object }) else { return }
        let context = ExpectationContext(
            type: LeakDetectorSelfTestObject.self, reason: Self.reason, isCounted: false)
        checker.expect(object, context, after: 0)
    }

    /// Handles a result of the checker. Ignores results about objects other than the probe's.
    func handle(_ result: ExpectationResult) {
        switch result {
        case .leaked(identity, let id, let waited, _, _):
            var report = Self.makeReport(.leak, id, aliveCount: 1)
            report.waitedMilliseconds = waited
            state.with { $0.leak = report }
            // Releases the object outside of the lock.
            withExtendedLifetime(takeObject()) {}
        case .freed(let id, let lived, _):
            guard let leak = state.with({ $0.leak }), leak.id == id else { return }
            var report = Self.makeReport(.freed, id, aliveCount: 0)
            report.livedMilliseconds = lived
            finish(.works(leak: leak, freed: report))
        default: break
        }
    }

    var isFinished: Bool { state.with { $0.done == nil } }

    func finish(_ result: LeakDetector.SelfTest) {
        withExtendedLifetime(takeObject()) {}
        let done = state.with { state in
            defer { state.done = nil }
            return state.done
        }
        done?(result)
    }

    private func takeObject() -> LeakDetectorSelfTestObject? {
        state.with { state in
            defer { state.object = nil }
            return state.object
        }
    }

    private static let reason = "self-test"

    private static func makeReport(_ event: LeakReport.Event, _ id: String, aliveCount: Int) -> LeakReport {
        var report = LeakReport()
        report.event = event
        report.id = id
        report.at = WireTime.now
        report.kind = .object
        report.className = UnknownContext.removed(from: String(reflecting: LeakDetectorSelfTestObject.self))
        report.reason = reason
        report.alive = aliveCount
        return report
    }
}

/// The object that a self-test leaks. Its name tells readers of a list of leaks what the object is.
final class LeakDetectorSelfTestObject: Sendable {}
