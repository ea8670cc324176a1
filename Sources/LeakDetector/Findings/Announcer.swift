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
    private let queue: DispatchQueue
    private let names = Guarded(TypeNames())
    private let announcements = Guarded(Announcements())
    private let alerts: AlertBoard

    /// - Parameter queue: where verdicts come.
    init(
        _ mode: LeakDetector.Mode, _ suppression: LeakDetector.Suppression,
        pathFinder: (any RetainPathFinder)?, queue: DispatchQueue, system: OperatingSystem = .current,
        known: [KnownLeak] = KnownLeak.all,
        alerts: AlertBoard = AlertBoard()
    ) {
        self.mode = mode
        self.suppression = suppression
        self.pathFinder = pathFinder
        self.queue = queue
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

    /// - Parameter sweeper: whose verdict it is, and who forgets what shall be told of no more.
    func tell(_ sweeper: Sweeper, _ verdict: Verdict, _ entry: Expectation<any Subject>) {
        switch verdict {
        case .leaked(let identity, let id, let waited, let alive, let isWatched):
            let portrait = entry.subject.portrait(entry.circumstances)
            guard !ignores(portrait.type) else { return sweeper.mute(identity) }
            var report = report(portrait, entry.circumstances)
            (report.event, report.id) = (.leak, id)
            (report.waitedMilliseconds, report.alive) = (waited, alive)
            explain(report, entry.subject) { report in
                self.announce(report, entry.subject, portrait.type, isWatched: isWatched) {
                    sweeper.mute(identity)
                }
            }
        case .freed(let id, let lived, let alive):
            end(of: id, lived, alive, isInUse: false)
        case .cameBack(let id, let lived, let alive):
            end(of: id, lived, alive, isInUse: true)
        case .forgotten(let id):
            announcements.with { $0.forget(id) }
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
        report.keys = [
            CustomKey("file", .string(circumstances.file.description)),
            CustomKey("line", .number(Double(circumstances.line))),
        ]
        let known = known.first { $0.describes(name, owners: owners, on: system) }
        if let known { report.keys.append(CustomKey("known_system_leak", .string(known.reason))) }
        return report
    }

    /// Finds the retain path, if there is somebody to find it, and goes on where verdicts come.
    ///
    /// The object is let go of there too, since the last release of a view belongs to the main thread.
    private func explain(
        _ report: LeakReport, _ subject: any Subject, then: @escaping @Sendable (LeakReport) -> Void
    ) {
        guard let pathFinder, subject.object != nil else { return then(report) }
        let (queue, held) = (queue, Held(subject.object))
        DispatchQueue.global(qos: .utility).async {
            var report = report
            if let object = held.object { report.cycle = pathFinder.retainPath(to: object) }
            queue.async { [report] in
                then(report)
                held.object = nil
            }
        }
    }

    private func announce(
        _ report: LeakReport, _ subject: any Subject, _ type: AnyClass, isWatched: Bool, mute: () -> Void
    ) {
        let finding = LeakDetector.Finding(report, subject)
        let answer = mode.answer(finding)
        switch answer {
        case .ignore:
            return mute()
        case .ignoreClass:
            announcements.with { $0.ignore(type) }
            return mute()
        case .report: break
        case .showAlert, .showAlertWithoutScreenshot:
            alerts.show(finding, withScreenshot: answer == .showAlert)
        }
        if isWatched { announcements.with { $0.announce(report) } }
        mode.report(report)
    }

    private func end(of id: String, _ lived: Int, _ alive: Int, isInUse: Bool) {
        let report = announcements.with {
            $0.end(of: id, livedMilliseconds: lived, alive: alive, isInUse: isInUse, at: WallTime.now)
        }
        guard let report else { return }
        alerts.end(report, isInUse: isInUse)
        mode.report(report)
    }

    /// A strong reference that is let go of on a queue of choice.
    private final class Held: @unchecked Sendable {
        // Unchecked: handed from queue to queue, in the hands of one at a time.
        var object: AnyObject?
        init(_ object: AnyObject?) { self.object = object }
    }
}
