internal import Dispatch
internal import LeakMessage
internal import Threads

/// Makes reports of verdicts, asks what to do with them, and does it.
final class Announcer: Sendable {
    private let mode: LeakDetector.Mode
    private let suppression: LeakDetector.Suppression
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
        self.suppression = suppression
        self.pathFinder = pathFinder
        self.system = system
        self.known = known
        self.alerts = alerts
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
            if let pathFinder { explain(leak, pathFinder, sweeper) } else { announce(leak, sweeper) }
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
        let known = known.first { $0.describes(name, owners: owners, on: system) }
        if let known { report.keys.append(CustomKey("known_system_leak", .string(known.reason))) }
        return report
    }

    /// Has the retain path found, one after another, and goes on where verdicts come.
    ///
    /// The object is let go of there too, since the last release of a view belongs to the main thread.
    private func explain(_ leak: Leak, _ pathFinder: any RetainPathFinder, _ sweeper: Sweeper) {
        let id = leak.report.id ?? ""
        announcements.with { $0.beginExplaining(id) }
        finding.async {
            var leak = leak
            let held = Held(leak.subject.object)
            if let object = held.object { leak.report.cycle = pathFinder.retainPath(to: object) }
            sweeper.call(afterMilliseconds: 0) { [leak] in
                let end = self.announcements.with { $0.endExplaining(id) }
                // Not one that was ignored meanwhile, or whose class was.
                if end == nil, !sweeper.stands(id, of: leak.identity) || self.ignores(leak.type) {
                    sweeper.retract(leak.identity)
                } else {
                    self.announce(leak, sweeper)
                }
                if let end { self.end(of: id, end) }
                held.object = nil
            }
        }
    }

    private func announce(_ leak: Leak, _ sweeper: Sweeper) {
        let finding = LeakDetector.Finding(leak.report, leak.subject)
        let answer = mode.answer(finding)
        switch answer {
        case .ignore:
            return sweeper.retract(leak.identity)
        case .ignoreClass:
            announcements.with { $0.ignore(leak.type) }
            return sweeper.retract(leak.identity)
        case .report: break
        case .showAlert, .showAlertWithoutScreenshot:
            alerts.show(finding, withScreenshot: answer == .showAlert, isWatched: leak.isWatched)
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
