import Dispatch
import LeakMessage
import Testing
import LeakPlatform

@testable import LeakDetector

private final class Cache: Sendable {}

/// Tests answers of the main actor that arrive after the detector was stopped or the object was ignored or freed.
@MainActor @Suite struct LateAnswerTests {
    /// A detector that uses a ``VirtualClock`` and calls its closure on the main actor.
    @MainActor private final class LateAnswers {
        let clock = VirtualClock()
        let told = Guarded([LeakReport]())
        private(set) var detector: LeakDetector?
        /// An object that is freed when the test releases it.
        var object: Cache? = Cache()

        func expectObject() {
            if let object { detector?.expectDeallocation(of: object) }
        }

        init(_ onDetect: @escaping @MainActor (LateAnswers) -> LeakDetector.Answer) {
            let told = told
            detector = LeakDetector(
                limits: .init(), clock: clock,
                LeakNotifier(
                    .custom(
                        onDetect: { [unowned self] _ in onDetect(self) },
                        report: { report in told.with { $0.append(report) } }), .standard, explainer: nil))
        }
    }

    /// Runs the blocks that wait on the main queue.
    private func runMainQueue() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }

    @Test func `a stopped detector does not call its onDetect closure for leaks that wait on the main actor`()
        async
    {
        var asked = 0
        let late = LateAnswers { late in
            asked += 1
            late.detector?.stop()
            return .report
        }
        let objects = (0..<5).map { _ in Cache() }
        for object in objects { late.detector?.expectDeallocation(of: object) }
        late.clock.advance(by: 5_000)
        await runMainQueue()
        #expect(asked == 1)
        withExtendedLifetime(objects) {}
    }

    /// The closure returns `.report`, which has no effect for an ignored object. The argument is the number of milliseconds
    /// that pass after the object was freed.
    @Test(arguments: [0, 100_000])
    func `an object that the onDetect closure ignores, and that is freed later, is not reported`(
        milliseconds: Int
    ) async {
        let late = LateAnswers { late in
            if let object = late.object { late.detector?.ignore(object) }
            return .report
        }
        late.expectObject()
        late.clock.advance(by: 5_000)
        await runMainQueue()
        late.object = nil
        late.clock.advance(by: milliseconds)
        await runMainQueue()
        late.clock.advance(by: 5_000)
        #expect(late.told.with { $0.isEmpty })
    }

    @Test
    func `a leak is reported even if its object is freed before the onDetect closure's answer is processed`()
        async
    {
        let late = LateAnswers { _ in .report }
        late.expectObject()
        late.clock.advance(by: 5_000)
        await runMainQueue()
        late.object = nil
        late.clock.advance(by: 100_000)
        #expect(late.told.with { $0.map(\.event) } == [.leak, .freed])
    }
}
