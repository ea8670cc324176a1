public import LeakMessage
internal import Dispatch
internal import LeakPlatform

extension LeakDetector {
    /// Result of a self-test.
    public indirect enum SelfTest: Hashable, Sendable {
        /// The detector noticed an object that was leaked on purpose, and its deallocation. Pass `leak` to a reporter to test the
        /// way to the collector as well.
        case works(leak: LeakReport, freed: LeakReport)
        /// There is no shared detector: call ``LeakDetector/start(_:limits:suppression:explainer:queue:)`` first.
        case notStarted
        /// Grace periods do not run now, since the app is not active, or ``LeakDetector/pause()`` was called.
        case paused
        /// ``LeakDetector/stop()`` was called.
        case stopped
        /// The detector waits for as many objects as ``Limits/outstanding`` allows, and checks only a sample of further objects.
        case full
        /// The detector noticed nothing in time: its queue does not run, or runs late.
        case silent
    }

    /// Tests the shared detector. See ``selfTest(timeout:)``.
    public static func selfTest(timeout seconds: Double = 30) async -> SelfTest {
        await shared?.selfTest(timeout: seconds) ?? .notStarted
    }

    /// Leaks one object on purpose, and checks whether the detector notices the leak and the deallocation. The test takes
    /// about two seconds, and is neither counted nor reported.
    ///
    /// - Parameter seconds: the time after which the result is ``SelfTest/silent``. It must be longer than
    ///   ``Limits/secondCheckMilliseconds``.
    public func selfTest(timeout seconds: Double = 30) async -> SelfTest {
        let checker = checkers.onAnyQueue
        guard !checker.isStopped else { return .stopped }
        guard !checker.isPaused else { return .paused }
        guard !checker.isFull else { return .full }
        return await withCheckedContinuation { continuation in
            let probe = Probe { [probes] result in
                continuation.resume(returning: result)
                probes.with { $0 = $0.filter { !$0.isFinished } }
            }
            probes.with { $0.append(probe) }
            let timeout = min(max(seconds, 0), 3600)
            DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { probe.finish(.silent) }
            probe.expect(checker)
        }
    }
}
