internal import Dispatch
internal import LeakMessage
internal import Threads

/// Makes reports of verdicts, asks what to do with them, and does it.
final class Announcer: Sendable {
    private let mode: LeakDetector.Mode
    private let suppressed: Guarded<LeakDetector.Suppression>
    private let system: OperatingSystem
    private let known: [KnownLeak]
    private let pathFinder: (any RetainPathFinder)?
    private let finding = DispatchQueue(label: "LeakDetector.retain-path", qos: .utility)
    private let names = Guarded(TypeNames())
    private let announcements = Guarded(Announcements())
    private let alerts: AlertBoard

    init(
        _ mode: LeakDetector.Mode, _ suppression: LeakDetector.Suppression,
        pathFinder: (any RetainPathFinder)?, system: OperatingSystem = .current,
        known: [KnownLeak] = KnownLeak.all,
        alerts: AlertBoard = AlertBoard()
    ) {
        self.mode = mode
        suppressed = Guarded(suppression)
        self.pathFinder = pathFinder
        self.system = system
        self.known = known
        self.alerts = alerts
    }

    var suppression: LeakDetector.Suppression {
        get { suppressed.with { $0 } }
        set { suppressed.with { $0 = newValue } }
    }

    func name(of type: AnyClass) -> String { names.with { $0.name(of: type) } }

    /// Whether objects of a type are left out.
    func ignores(_ type: AnyClass) -> Bool {
        announcements.with { $0.ignores(type) } || suppression.ignores(name(of: type))
    }

    func ignoresWindow(_ type: AnyClass) -> Bool { suppression.ignoresWindow(name(of: type)) }

    /// Tells no ends any more.
    func forgetAll() { announcements.with { $0 = Announcements() } }

    /// - Parameter sweeper: whose verdict it is, and who forgets what shall be told of no more.
    func tell(_ sweeper: Sweeper, _ verdict: Verdict, _ entry: Expectation<any Subject>) {
        switch verdict {
        case .leaked(let identity, let id, let waited, let alive, let isWatched):
            let portrait = entry.subject.portrait(entry.circumstances)
            guard !ignores(portrait.type) else { return sweeper.retract(identity) }
            var report = report(portrait, entry.circumstances)
            (report.event, report.id) = (.leak, id)
            (report.waitedMilliseconds, report.alive) = (waited, alive)
            let leak = Leak(
                report: report, subject: entry.subject, type: portrait.type, identity: identity,
                isWatched: isWatched)
            announce(leak, sweeper)
        case .freed(let id, let lived, let alive):
            end(of: id, .init(livedMilliseconds: lived, alive: alive, isInUse: false, at: WallTime.now))
        case .cameBack(let id, let lived, let alive):
            end(of: id, .init(livedMilliseconds: lived, alive: alive, isInUse: true, at: WallTime.now))
        case .forgotten(let id):
            announcements.with { $0.forget(id) }
            alerts.forget(id)
        }
    }

    /// A leak that is to be told of.
    private struct Leak: Sendable {
        var report: LeakReport
        let subject: any Subject
        let type: AnyClass
        let identity: ObjectIdentifier
        let isWatched: Bool

        var id: String { report.id ?? "" }

        var finding: LeakDetector.Finding {
            LeakDetector.Finding(report, subject, type: type, identity: identity)
        }
    }

    private func report(_ portrait: Portrait, _ circumstances: Circumstances) -> LeakReport {
        let name = name(of: portrait.type)
        let owners = portrait.owners + portrait.containers.map(self.name)
        var report = LeakReport()
        report.at = WallTime.now
        report.kind = portrait.kind
        report.className = name
        if !owners.isEmpty { report.stack = owners + [name] }
        report.children = portrait.children.map(self.name)
        report.reason = circumstances.reason
        if let file = circumstances.file {
            report.keys = [
                CustomKey("file", .string(file.description)),
                CustomKey("line", .number(Double(circumstances.line))),
            ]
        }
        report.fingerprint = fingerprint(of: report, type: portrait.type)
        let known = known.first { $0.describes(name, owners: owners, on: system) }
        if let known { report.keys.append(CustomKey("known_system_leak", .string(known.reason))) }
        return report
    }

    /// Types that are private or local have the same name in every file: the file distinguishes their leaks that
    /// expects the object, where it is known. Owners that are the system's are left out, as the collector leaves them out.
    private func fingerprint(of report: LeakReport, type: AnyClass) -> [String] {
        guard names.with({ $0.isAmbiguous(type) }), let className = report.className else { return [] }
        let file = report.keys.lazy.compactMap { key -> String? in
            guard key.name == "file", case .string(let file) = key.value else { return nil }
            return file
        }.first
        guard let file else { return [] }
        let owners = report.stack.dropLast().filter { owner in
            !["UI", "_UI", "NS", "_NS", "SwiftUI"].contains { owner.hasPrefix($0) }
        }
        return Fingerprint.parts([file] + owners + [className])
    }

    /// Asks what to do with a leak, and does it: at once, unless its retain path is to be found before, or the one who is
    /// asked is on another queue. The end of the object is then reported after its leak.
    private func announce(_ leak: Leak, _ sweeper: Sweeper) {
        let isAskedHere =
            switch mode.question {
            case .onQueue: true
            case .onMainActor: sweeper.isOnMainQueue
            }
        if pathFinder == nil, isAskedHere {
            return ask(about: leak, sweeper) { self.conclude(leak, $0, sweeper) }
        }
        announcements.with { $0.beginExplaining(leak.id) }
        explain(leak, sweeper) { leak in
            guard self.isStillOfInterest(leak, sweeper) else {
                sweeper.retract(leak.identity)
                return self.finish(leak)
            }
            self.ask(about: leak, sweeper) { answer in
                self.conclude(leak, answer, sweeper)
                self.finish(leak)
            }
        }
    }

    /// Not a leak that was ignored meanwhile, or whose class was; but one whose object has gone meanwhile.
    private func isStillOfInterest(_ leak: Leak, _ sweeper: Sweeper) -> Bool {
        announcements.with { $0.hasEnded(leak.id) }
            || (sweeper.stands(leak.id, of: leak.identity) && !ignores(leak.type))
    }

    private func finish(_ leak: Leak) {
        if let end = announcements.with({ $0.endExplaining(leak.id) }) { self.end(of: leak.id, end) }
    }

    /// Has the retain path found, one after another, and goes on where verdicts come.
    ///
    /// The object is let go of there too, since the last release of a view belongs to the main thread.
    private func explain(_ leak: Leak, _ sweeper: Sweeper, _ goOn: @escaping @Sendable (Leak) -> Void) {
        guard let pathFinder else { return goOn(leak) }
        finding.async {
            var leak = leak
            let held = Held(leak.subject.object)
            if let object = held.object { leak.report.cycle = pathFinder.retainPath(to: object) }
            sweeper.call(afterMilliseconds: 0) { [leak] in
                goOn(leak)
                held.object = nil
            }
        }
    }

    /// - Parameter goOn: called where verdicts come.
    private func ask(
        about leak: Leak, _ sweeper: Sweeper, _ goOn: @escaping @Sendable (LeakDetector.Answer) -> Void
    ) {
        let finding = leak.finding
        switch mode.question {
        case .onQueue(let ask): goOn(ask(finding))
        case .onMainActor(let ask):
            if sweeper.isOnMainQueue { return goOn(MainActor.assumeIsolated { ask(finding) }) }
            DispatchQueue.main.async {
                let answer = MainActor.assumeIsolated { ask(finding) }
                sweeper.call(afterMilliseconds: 0) { goOn(answer) }
            }
        }
    }

    private func conclude(_ leak: Leak, _ answer: LeakDetector.Answer, _ sweeper: Sweeper) {
        // The one who was asked may have stopped the detector, or ignored the object, whatever was answered then.
        guard !sweeper.isStopped, !sweeper.isMuted(leak.identity) else { return }
        switch answer {
        case .ignore:
            return sweeper.retract(leak.identity)
        case .ignoreClass:
            announcements.with { $0.ignore(leak.type) }
            return sweeper.retract(leak.identity)
        case .report: break
        case .showAlert, .showAlertWithoutScreenshot:
            alerts.show(leak.finding, withScreenshot: answer == .showAlert, isWatched: leak.isWatched)
        }
        if leak.isWatched { announcements.with { $0.announce(leak.report) } }
        mode.report(leak.report)
    }

    private func end(of id: String, _ end: Announcements.End) {
        guard let report = announcements.with({ $0.report(end, of: id) }) else { return }
        alerts.end(report, isInUse: end.isInUse)
        mode.report(report)
    }

    /// A strong reference that is let go of on a queue of choice.
    private final class Held: @unchecked Sendable {
        // Unchecked: handed from queue to queue, in the hands of one at a time.
        var object: AnyObject?
        init(_ object: AnyObject?) { self.object = object }
    }
}
