public import Dispatch
public import LeakMessage
internal import Threads

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Notices objects that stay in memory though they should have gone.
///
/// ```swift
/// let detector = LeakDetector(report: reporter.record(leak:))
/// detector.expectDeallocation(of: model)          // where its last owner lets go of it
/// ```
///
/// Safe in release builds: it never keeps an object alive, never stops the app, and does nothing while nothing is
/// expected. It tells names of types and of places in the source, nothing of what objects hold.
public final class LeakDetector: Sendable {
    /// A reference that does not keep its object.
    ///
    /// In a box, since a copy of a bare weak reference holds the object for a moment on Apple's systems, and copies are
    /// made inside the lock.
    final class Subject: @unchecked Sendable {
        // Unchecked: written by `init` alone; the runtime reads a weak reference in one step.
        private(set) weak var object: AnyObject?
        init(_ object: AnyObject) { self.object = object }
    }

    private struct State {
        var clock = ActiveClock()
        var session = SessionCount(startedAt: LeakDetector.wallTime)
        var expectations: Expectations<Subject>
        /// The uptime at which the timer fires next.
        var wakesAt: Int?
    }

    private let state: Guarded<State>
    private let names = Guarded(TypeNames())
    private let queue: DispatchQueue
    private let limits: Limits
    private let report: @Sendable (LeakReport) -> Void

    /// - Parameters:
    ///   - limits: grace periods and bounds.
    ///   - queue: where objects are looked at and `report` is called; a serial one. A look holds the object for a
    ///     moment, so that its last release can fall there: choose the queue on which such objects are let go of
    ///     anyway. `nil` is the main queue on Apple's systems, where views have to be released, and a queue of the
    ///     detector's own elsewhere, since a server need not run a main queue.
    ///   - report: takes what was found: a leak, or the end of an object that was reported before.
    public init(
        limits: Limits = Limits(), queue: DispatchQueue? = nil,
        report: @escaping @Sendable (LeakReport) -> Void
    ) {
        #if canImport(Darwin)
            self.queue = queue ?? .main
        #else
            self.queue = queue ?? DispatchQueue(label: "LeakDetector", qos: .utility)
        #endif
        let limits = limits.sound
        self.limits = limits
        self.report = report
        state = Guarded(State(expectations: Expectations(limits: limits)))
    }

    /// Says that an object should be gone soon, and has it reported if it is not.
    ///
    /// Call it where the object's life should end, such as after its screen was dismissed: the weak reference that is
    /// made here slows each later retain and release of the object. An object that is expected twice is reported once.
    ///
    /// - Parameters:
    ///   - object: any class instance.
    ///   - seconds: its grace period; `nil` for the usual one, ``Limits/graceMilliseconds``.
    ///   - path: names of its owners, outermost first; with them one class leaked in two places is two leaks.
    ///   - reason: why it should go, such as `dismissed`.
    public func expectDeallocation(
        of object: AnyObject, after seconds: Double? = nil, path: [String] = [], reason: String? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        let circumstances = Expectation<Subject>.Circumstances(
            type: type(of: object), path: path, reason: reason, file: file, line: line)
        let longest = Double(Limits.longestGraceMilliseconds)
        // Written so that NaN is no grace period at all.
        let grace = seconds.map { $0 > 0 ? Int(min($0 * 1000, longest)) : 0 } ?? limits.graceMilliseconds
        let subject = Subject(object)
        state.with { state in
            let now = advance(&state)
            guard state.expectations.expect(subject, circumstances, graceMilliseconds: grace, at: now) else {
                return
            }
            arm(&state, activeNow: now)
        }
    }

    /// How many objects were checked, leaked, freed.
    public var counts: Counts { state.with { $0.expectations.counts } }

    /// How often objects of each class were checked since the last call, leaked or not: what the number of leaks is to
    /// be divided by.
    public func takeChecks() -> [ClassChecks] {
        let checks = state.with { $0.expectations.takeChecks() }
        return checks.map { ClassChecks(className: name(of: $0.type), count: $0.count) }
            .sorted { $0.className < $1.className }
    }

    /// What was checked since the last call, as a session that ends here: what the share of leak-free sessions is a share
    /// of. Call it where a use of the app ends, such as when it goes to the background. Objects whose grace period still
    /// runs count in the next.
    ///
    /// - Returns: `nil` when nothing was checked, which says nothing about leaks.
    public func takeSession() -> EndedSession? {
        let id = Self.newID()
        return state.with { $0.session.take($0.expectations.counts, id: id, at: Self.wallTime) }
    }

    private static var uptime: Int { Int(DispatchTime.now().uptimeNanoseconds / 1_000_000) }

    private func advance(_ state: inout State) -> Int {
        state.clock.advance(to: Self.uptime, expectingWakeAt: state.wakesAt)
    }

    /// Sets the timer for what is due next, unless it is set for that or earlier. Nothing waits, no timer.
    private func arm(_ state: inout State, activeNow: Int) {
        guard let due = state.expectations.nextDue else { return }
        let uptime = Self.uptime
        let wakesAt = uptime + max(due - activeNow, 0)
        if let earlier = state.wakesAt, earlier <= wakesAt { return }
        state.wakesAt = wakesAt
        queue.asyncAfter(deadline: .now() + .milliseconds(wakesAt - uptime)) { [weak self] in
            self?.wake(for: wakesAt)
        }
    }

    private func wake(for moment: Int) {
        let due: [Expectation<Subject>]? = state.with { state in
            // Another timer was set for earlier since; it has looked, or will.
            guard state.wakesAt == moment else { return nil }
            let now = advance(&state)
            state.wakesAt = nil
            return state.expectations.takeDue(at: now)
        }
        guard let due else { return }
        // Outside of the lock, since a look can be the end of the object.
        let sights = due.map { Self.look(at: $0.subject) }
        forgetGoneSurvivors(among: sights)
        let verdicts = state.with { state in
            let now = advance(&state)
            let verdicts = zip(due, sights).map { entry, sight in
                (entry.circumstances, state.expectations.judge(entry, sight, at: now, reportID: Self.newID))
            }
            arm(&state, activeNow: now)
            return verdicts
        }
        for case (let circumstances, let verdict?) in verdicts { tell(verdict, circumstances) }
    }

    private static func look(at subject: Subject) -> Sight {
        subject.object.map { .alive(ObjectIdentifier($0)) } ?? .gone
    }

    private func forgetGoneSurvivors(among sights: [Sight]) {
        for case .alive(let identity) in sights {
            guard let survivor = state.with({ $0.expectations.survivor(identity) }) else { continue }
            guard Self.look(at: survivor) == .gone else { continue }
            state.with { $0.expectations.forgetSurvivor(identity) }
        }
    }

    private func tell(_ verdict: Verdict, _ circumstances: Expectation<Subject>.Circumstances) {
        let name = name(of: circumstances.type)
        var report = LeakReport()
        report.at = Self.wallTime
        report.kind = .object
        report.className = name
        if !circumstances.path.isEmpty { report.stack = circumstances.path + [name] }
        report.reason = circumstances.reason
        report.keys = [
            CustomKey("file", .string(circumstances.file.description)),
            CustomKey("line", .number(Double(circumstances.line))),
        ]
        switch verdict {
        case .leaked(let id, let waited, let alive):
            (report.event, report.id) = (.leak, id)
            (report.waitedMilliseconds, report.alive) = (waited, alive)
        case .freed(let id, let lived, let alive):
            (report.event, report.id) = (.freed, id)
            (report.livedMilliseconds, report.alive) = (lived, alive)
        }
        self.report(report)
    }

    private func name(of type: AnyClass) -> String { names.with { $0.name(of: type) } }

    private static func newID() -> String { SightingID.make(at: wallTime) }

    private static var wallTime: WireTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WireTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
