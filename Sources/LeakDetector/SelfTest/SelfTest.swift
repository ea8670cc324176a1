public import LeakMessage
internal import Dispatch

extension LeakDetector {
    /// What a self-test found.
    public enum SelfTest: Hashable, Sendable {
        /// An object leaked on purpose was noticed, and so was its end. Handed to a reporter, `leak` proves the rest of the
        /// way.
        case works(leak: LeakReport, freed: LeakReport)
        /// There is no shared detector: call ``LeakDetector/start(_:limits:suppression:pathFinder:queue:)`` first.
        case notStarted
        /// Grace periods do not run now, since the app is not in front, or ``LeakDetector/pause()`` was called.
        case paused
        /// As many objects are waited for as ``Limits/outstanding`` allows: what is expected now is dropped.
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
    /// - Parameter seconds: how long to wait until it counts as silent.
    public func selfTest(timeout seconds: Double = 30) async -> SelfTest {
        guard !sweepers.first.isPaused else { return .paused }
        return await withCheckedContinuation { continuation in
            let probe = Probe { continuation.resume(returning: $0) }
            let timeout = min(max(seconds, 0), 3600)
            // It keeps the probe, which nothing else does once its object has gone.
            DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { probe.finish(.silent) }
            guard sweepers.first.expect(probe, Probe.circumstances, after: 0) else {
                return probe.finish(.full)
            }
        }
    }

    /// What a probe notices.
    static func probed(_ verdict: Verdict, _ probe: Probe) {
        switch verdict {
        case .leaked(_, let id, let waited, let alive, _): probe.leaked(id, waited, alive)
        case .freed(_, let lived, let alive): probe.freed(lived, alive)
        case .cameBack, .forgotten: probe.finish(.silent)
        }
    }
}
