internal import Dispatch
internal import LeakMessage
internal import LeakPlatform

/// Turns verdicts into reports, asks the app what to do with them, and does it.
final class Announcer: Sendable {
    private let mode: LeakDetector.Mode
    private let suppressed: Guarded<LeakDetector.Suppression>
    private let system: OperatingSystem
    private let known: [KnownLeak]
    /// `nil` if no explainer was given.
    let explanations: ExplanationQueue?
    private let names = Guarded(TypeNames())
    private let announcements = Guarded(Announcements())
    private let alerts: AlertBoard

    init(
        _ mode: LeakDetector.Mode, _ suppression: LeakDetector.Suppression,
        explainer: (any LeakExplainer)?, system: OperatingSystem = .current,
        known: [KnownLeak] = KnownLeak.all,
        alerts: AlertBoard = AlertBoard(),
        monotonicTime: @escaping @Sendable () -> Int64 = { SystemTime.monotonic }
    ) {
        self.mode = mode
        suppressed = Guarded(suppression)
        explanations = explainer.map {
            ExplanationQueue($0, isWanted: mode.wantsExplanations, now: monotonicTime)
        }
        self.system = system
        self.known = known
        self.alerts = alerts
    }

    var suppression: LeakDetector.Suppression { suppressed.with { $0 } }

    /// Calls `change` outside of the lock, since it may call the detector; calls it again if the value changed meanwhile.
    func changeSuppression(_ change: (inout LeakDetector.Suppression) -> Void) {
        var isStored = false
        while !isStored {
            let before = suppression
            var changed = before
            change(&changed)
            let after = changed
            isStored = suppressed.with { current in
                guard current == before else { return false }
                current = after
                return true
            }
        }
    }

    func name(of type: AnyClass) -> String { names.with { $0.name(of: type) } }

    /// Returns `true` if objects of a type are not reported.
    func ignores(_ type: AnyClass) -> Bool {
        announcements.with { $0.ignores(type) } || suppression.ignores(name(of: type))
    }

    func ignoresWindow(_ type: AnyClass) -> Bool { suppression.ignoresWindow(name(of: type)) }

    /// Stops reporting the ends of objects, and explains none of the leaks that wait for an explanation.
    func forgetAll() {
        announcements.with { $0 = Announcements() }
        explanations?.dropWaiting()
    }

    /// Reports a verdict.
    ///
    /// - Parameter sweeper: the source of the verdict. It also forgets objects that must not be reported any more.
    func handle(_ verdict: Verdict, on entry: Expectation<any Subject>, from sweeper: Sweeper) {
        switch verdict {
        case .leaked(let identity, let id, let waited, let alive, let isWatched):
            let portrait = entry.subject.portrait(entry.circumstances)
            guard !ignores(portrait.type) else { return sweeper.retract(id, of: identity) }
            var report = report(portrait, entry.circumstances)
            (report.event, report.id) = (.leak, id)
            (report.waitedMilliseconds, report.alive) = (waited, alive)
            let leak = Leak(
                report: report, subject: entry.subject, type: portrait.type, identity: identity,
                isWatched: isWatched)
            announce(leak, sweeper)
        case .freed(let id, let lived, let alive):
            end(of: id, .init(livedMilliseconds: lived, alive: alive, isInUse: false, at: WireTime.now))
        case .cameBack(let id, let lived, let alive):
            end(of: id, .init(livedMilliseconds: lived, alive: alive, isInUse: true, at: WireTime.now))
        case .forgotten(let id, let isIgnored):
            announcements.with { $0.forget(id, isIgnored: isIgnored) }
            alerts.forget(id)
        }
    }

    /// A leak that is to be reported.
    private struct Leak: Sendable {
        var report: LeakReport
        let subject: any Subject
        let type: AnyClass
        let identity: ObjectIdentifier
        let isWatched: Bool

        var id: String { report.id ?? "" }

        /// True while the leaked object exists. Read where verdicts arrive.
        var isThere: Bool { subject.object.map(ObjectIdentifier.init) == identity }

        var finding: LeakDetector.Finding {
            LeakDetector.Finding(report, subject, type: type, identity: identity)
        }
    }

    private func report(_ portrait: Portrait, _ circumstances: Circumstances) -> LeakReport {
        let name = name(of: portrait.type)
        let owners = portrait.owners + portrait.containers.map(self.name)
        var report = LeakReport()
        report.at = WireTime.now
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

    /// Returns a fingerprint with the file that expects the object, if the file is known and the type is private or local: such
    /// types have the same name in every file, so the file distinguishes their leaks. Owners that belong to the system are left
    /// out, as the collector leaves them out.
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

    /// Asks the app what to do with a leak, and does it: at once, unless the question belongs on another queue. The end of the
    /// object is then reported after its leak.
    private func announce(_ leak: Leak, _ sweeper: Sweeper) {
        let isAskedHere =
            switch mode.question {
            case .onQueue: true
            case .onMainActor: sweeper.isOnMainQueue
            }
        if isAskedHere { return ask(about: leak, sweeper) { self.conclude(leak, answer: $0, from: sweeper) } }
        announcements.with { $0.beginAsking(leak.id) }
        ask(about: leak, sweeper) { answer in
            self.conclude(leak, answer: answer, from: sweeper)
            if let end = self.announcements.with({ $0.endAsking(leak.id) }) { self.end(of: leak.id, end) }
        }
    }

    /// Lets the explainer explain a reported leak, and reports the explanation where verdicts arrive, if the object still exists.
    ///
    /// Only the address is passed to the explainer: a reference would retain the object, and could deallocate it on the wrong
    /// thread.
    private func explain(_ leak: Leak, isAlert: Bool, _ sweeper: Sweeper) {
        guard let explanations, isAlert || mode.explain != nil else { return }
        let place = FindingText.place(leak.report)
        let key = ([place] + leak.report.stack + [leak.report.className ?? ""]).joined(separator: "\n")
        explanations.explain(key, UInt(bitPattern: leak.identity)) { explanation in
            sweeper.call(afterMilliseconds: 0) {
                // The explained object is the leaked one only if it has existed all the time. A look at the subject would do more
                // than compare: it may expect other objects.
                guard !sweeper.isStopped, sweeper.stands(leak.id, of: leak.identity),
                    leak.isThere
                else { return explanations.retry(key) }
                if isAlert { self.alerts.explain(leak.report, explanation) }
                self.mode.explain?(leak.report, explanation)
            }
        }
    }

    /// - Parameter goOn: called where verdicts arrive.
    private func ask(
        about leak: Leak, _ sweeper: Sweeper, _ goOn: @escaping @Sendable (LeakDetector.Answer) -> Void
    ) {
        let finding = leak.finding
        switch mode.question {
        case .onQueue(let ask): goOn(ask(finding))
        case .onMainActor(let ask):
            if sweeper.isOnMainQueue { return goOn(MainActor.assumeIsolated { ask(finding) }) }
            DispatchQueue.main.async {
                // The detector may have been stopped since: then `onDetect` is not called.
                guard !sweeper.isStopped else { return }
                let answer = MainActor.assumeIsolated { ask(finding) }
                sweeper.call(afterMilliseconds: 0) { goOn(answer) }
            }
        }
    }

    private func conclude(_ leak: Leak, answer: LeakDetector.Answer, from sweeper: Sweeper) {
        // `onDetect` may have stopped the detector or ignored the object. An object that was ignored while the question waited, and
        // was deallocated since, is no longer known to the sweeper.
        guard !sweeper.isStopped, !sweeper.isMuted(leak.id, of: leak.identity),
            !announcements.with({ $0.isIgnored(leak.id) })
        else { return }
        switch answer {
        case .ignore:
            return sweeper.retract(leak.id, of: leak.identity)
        case .ignoreClass:
            announcements.with { $0.ignore(leak.type) }
            return sweeper.retract(leak.id, of: leak.identity)
        case .report: break
        case .showAlert, .showAlertWithoutScreenshot:
            alerts.show(leak.finding, withScreenshot: answer == .showAlert, isWatched: leak.isWatched)
        }
        if leak.isWatched { announcements.with { $0.announce(leak.report) } }
        mode.report(leak.report)
        explain(leak, isAlert: answer == .showAlert || answer == .showAlertWithoutScreenshot, sweeper)
    }

    private func end(of id: String, _ end: Announcements.End) {
        guard let report = announcements.with({ $0.report(end, of: id) }) else { return }
        alerts.end(report, isInUse: end.isInUse)
        mode.report(report)
    }
}
