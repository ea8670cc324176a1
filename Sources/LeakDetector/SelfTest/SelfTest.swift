public import LeakMessage
internal import Dispatch
internal import LeakPlatform

extension LeakDetector {
    /// What a self-test found.
    public enum SelfTest: Hashable, Sendable {
        /// An object leaked on purpose was noticed, and so was its end. Handed to a reporter, `leak` proves the rest of the
        /// way.
        case works(leak: LeakReport, freed: LeakReport)
        /// There is no shared detector: call ``LeakDetector/start(_:limits:suppression:explainer:queue:)`` first.
        case notStarted
        /// Grace periods do not run now, since the app is not in front, or ``LeakDetector/pause()`` was called.
        case paused
        /// ``LeakDetector/stop()`` was called.
        case stopped
        /// As many objects are waited for as ``Limits/outstanding`` allows: only a sample is looked at now.
        case full
        /// Nothing was noticed in time: the detector's queue does not run, or runs late.
        case silent
    }

    /// Tests the shared detector. See ``selfTest(timeout:)``.
    public static func selfTest(timeout seconds: Double = 30) async -> SelfTest {
        await shared?.selfTest(timeout: seconds) ?? .notStarted
    }

    /// Leaks one object on purpose, and sees whether that is noticed, and its end. It takes two seconds, is counted nowhere,
    /// and reported to nobody.
    ///
    /// - Parameter seconds: how long to wait until it counts as silent; longer than ``Limits/secondLookMilliseconds``.
    public func selfTest(timeout seconds: Double = 30) async -> SelfTest {
        let sweeper = sweepers.first
        guard !sweeper.isStopped else { return .stopped }
        guard !sweeper.isPaused else { return .paused }
        guard !sweeper.isFull else { return .full }
        return await withCheckedContinuation { continuation in
            let probe = Probe { [probes] result in
                continuation.resume(returning: result)
                probes.with { $0 = $0.filter { !$0.isFinished } }
            }
            probes.with { $0.append(probe) }
            let timeout = min(max(seconds, 0), 3600)
            DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { probe.finish(.silent) }
            probe.expect(sweeper)
        }
    }
}
