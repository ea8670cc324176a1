internal import LeakMessage
internal import LeakPlatform

/// A queue of leaks that an explainer explains one after another, on a thread of its own, so that no other code waits for it.
///
/// If an explainer is slow or never returns, leaks stay unexplained, but nothing else waits: see ``deadlineMilliseconds``.
final class ExplanationQueue: Sendable {
    /// The maximum time of one explanation. An explanation that takes longer is dropped.
    static let deadlineMilliseconds: Int64 = 2_000
    /// The maximum number of leaks that wait for their explanation. While so many wait, no other leak is accepted.
    static let waitingLimit = 32
    /// The maximum number of different leaks (by class, call site and owners) that one detector explains.
    static let leakLimit = 1_000
    /// The maximum number of attempts to explain one leak, see ``retry(_:)``.
    static let attemptLimit = 5

    private struct Job {
        let leakKey: String
        let address: UInt
        let deliver: @Sendable (RetainExplanation) -> Void
    }

    private struct State {
        var isOn = true
        /// The keys of the leaks that wait, are being explained or were explained.
        var acceptedLeaks: Set<String> = []
        /// The number of attempts without a result, by the key of the leak.
        var failures: [String: Int] = [:]
        var waitingJobs: [Job] = []
        /// The start of the running explanation in milliseconds; `nil` while none runs.
        var startedAt: Int64?

        /// Discards the waiting leaks, which may then be enqueued again.
        mutating func discardWaitingLeaks() {
            acceptedLeaks.subtract(waitingJobs.map(\.leakKey))
            waitingJobs = []
        }
    }

    let explainer: any LeakExplainer
    private let isWanted: @Sendable () -> Bool
    private let now: @Sendable () -> Int64
    private let state = Guarded(State())

    /// - Parameters:
    ///   - isWanted: called before a leak is enqueued, and again before it is explained.
    ///   - now: milliseconds of a clock that never goes back.
    init(
        _ explainer: any LeakExplainer, isWanted: @escaping @Sendable () -> Bool = { true },
        now: @escaping @Sendable () -> Int64
    ) {
        self.explainer = explainer
        self.isWanted = isWanted
        self.now = now
    }

    /// `true` if leaks are explained. Turning it off discards the waiting leaks.
    var isOn: Bool {
        get { state.with { $0.isOn } }
        set {
            state.with {
                $0.isOn = newValue
                if !newValue { $0.discardWaitingLeaks() }
            }
        }
    }

    /// `true` if no leak waits and no explanation runs.
    var isIdle: Bool { state.with { $0.waitingJobs.isEmpty && $0.startedAt == nil } }

    /// Discards the waiting leaks, as when the detector stops.
    func discardWaitingLeaks() { state.with { $0.discardWaitingLeaks() } }

    /// Allows another attempt for a leak, up to ``attemptLimit``. Called if the explanation could not be reported, for example
    /// because the object was deallocated, or if explanations were not wanted.
    func retry(_ leakKey: String) {
        state.with { state in
            let failures = state.failures[leakKey, default: 0] + 1
            guard failures < Self.attemptLimit, failures > 1 || state.failures.count < Self.leakLimit else {
                return
            }
            state.failures[leakKey] = failures
            state.acceptedLeaks.remove(leakKey)
        }
    }

    /// Enqueues a leak, unless a leak with the same key was accepted before, explanations are not wanted, or the queue is off,
    /// full or blocked by an explanation that takes too long.
    ///
    /// - Parameters:
    ///   - leakKey: a key that is the same for leaks that share one explanation.
    ///   - address: the address of the object, which need not be retained.
    ///   - deliver: receives the explanation, on the thread of the explainer.
    func explain(_ leakKey: String, _ address: UInt, deliver: @escaping @Sendable (RetainExplanation) -> Void)
    {
        guard isWanted() else { return }
        let startsThread = state.with { state -> Bool in
            guard state.isOn, !state.acceptedLeaks.contains(leakKey),
                state.acceptedLeaks.count < Self.leakLimit
            else {
                return false
            }
            if let began = state.startedAt, now() - began > Self.deadlineMilliseconds {
                state.discardWaitingLeaks()
                return false
            }
            guard state.waitingJobs.count < Self.waitingLimit else { return false }
            state.acceptedLeaks.insert(leakKey)
            state.waitingJobs.append(Job(leakKey: leakKey, address: address, deliver: deliver))
            guard state.startedAt == nil else { return false }
            state.startedAt = now()
            return true
        }
        guard startsThread else { return }
        let started = WorkerThread.start(name: "LeakExplainer") { self.run() }
        if !started {
            state.with {
                $0.discardWaitingLeaks()
                $0.startedAt = nil
            }
        }
    }

    /// Explains the waiting leaks, then ends the thread: most sessions have few leaks, and a waiting thread takes memory.
    private func run() {
        while let job = takeNext() {
            guard isWanted(), let object = unsafe UnsafeRawPointer(bitPattern: job.address) else {
                retry(job.leakKey)
                continue
            }
            let explanation = unsafe explainer.explain(object, callerReferences: 0)
            let isInTime = state.with { $0.isOn && now() - ($0.startedAt ?? 0) <= Self.deadlineMilliseconds }
            if isInTime { job.deliver(explanation) }
        }
    }

    private func takeNext() -> Job? {
        state.with { state in
            guard !state.waitingJobs.isEmpty else {
                state.startedAt = nil
                return nil
            }
            state.startedAt = now()
            return state.waitingJobs.removeFirst()
        }
    }
}
