internal import Dispatch
internal import LeakMessage
internal import LeakPlatform

/// A notifier that turns results into reports, asks the app what to do with them, and acts on its answer.
final class LeakNotifier: Sendable {
    private let mode: LeakDetector.Mode
    private let suppressionRules: Guarded<LeakDetector.Suppression>
    private let system: OperatingSystem
    private let knownLeaks: [KnownSystemLeak]
    /// `nil` if no explainer was given.
    let explanations: ExplanationQueue?
    private let names = Guarded(TypeNames())
    private let reportedLeaks = Guarded(ReportedLeaks())
    private let alerts: AlertPresenter

    init(
        _ mode: LeakDetector.Mode, _ suppression: LeakDetector.Suppression,
        explainer: (any LeakExplainer)?, system: OperatingSystem = .current,
        known: [KnownSystemLeak] = KnownSystemLeak.all,
        alerts: AlertPresenter = AlertPresenter(),
        monotonicTime: @escaping @Sendable () -> Int64 = { SystemTime.monotonic }
    ) {
        self.mode = mode
        suppressionRules = Guarded(suppression)
        explanations = explainer.map {
            ExplanationQueue($0, isWanted: mode.wantsExplanations, now: monotonicTime)
        }
        self.system = system
        knownLeaks = known
        self.alerts = alerts
    }

    var suppression: LeakDetector.Suppression { suppressionRules.with { $0 } }

    /// Calls `change` outside of the lock, since it may call the detector. Calls it again if the rules changed meanwhile.
    func changeSuppression(_ change: (inout LeakDetector.Suppression) -> Void) {
        var isStored = false
        while !isStored {
            let before = suppression
            var changed = before
            change(&changed)
            let after = changed
            isStored = suppressionRules.with { current in
                guard current == before else { return false }
                current = after
                return true
            }
        }
    }

    func name(of type: AnyClass) -> String { names.with { $0.name(of: type) } }

    /// Returns `true` if objects of a type are not reported.
    func ignores(_ type: AnyClass) -> Bool {
        reportedLeaks.with { $0.ignores(type) } || suppression.ignores(name(of: type))
    }

    func ignoresWindow(_ type: AnyClass) -> Bool { suppression.ignoresWindow(name(of: type)) }

    /// Stops reporting that leaked objects were freed or are in use again, and explains none of the leaks that wait for an
    /// explanation.
    func forgetAll() {
        reportedLeaks.with { $0 = ReportedLeaks() }
        explanations?.discardWaitingLeaks()
    }

    /// Reports a result.
    ///
    /// - Parameter checker: the checker that gave the result. If the type of a leaked object must not be reported, the result
    ///   is withdrawn there.
    func handle(
        _ result: ExpectationResult, on entry: Expectation<any Subject>, from checker: ExpirationChecker
    ) {
        switch result {
        case .leaked(let identity, let id, let waited, let aliveCount, let isWatched):
            let description = entry.subject.description(in: entry.context)
            guard !ignores(description.type) else { return checker.retract(id, of: identity) }
            var report = makeReport(description, entry.context)
            (report.event, report.id) = (.leak, id)
            (report.waitedMilliseconds, report.alive) = (waited, aliveCount)
            let leak = FoundLeak(
                report, entry.subject, type: description.type, identity: identity, isWatched: isWatched)
            announce(leak, checker)
        case .freed(let id, let lived, let aliveCount):
            end(
                of: id,
                .init(livedMilliseconds: lived, aliveCount: aliveCount, isInUse: false, endedAt: WireTime.now)
            )
        case .cameBack(let id, let lived, let aliveCount):
            end(
                of: id,
                .init(livedMilliseconds: lived, aliveCount: aliveCount, isInUse: true, endedAt: WireTime.now))
        case .forgotten(let id, let isIgnored):
            reportedLeaks.with { $0.forget(id, isIgnored: isIgnored) }
            alerts.forget(id)
        }
    }

    private func makeReport(_ description: ObjectDescription, _ context: ExpectationContext) -> LeakReport {
        let name = name(of: description.type)
        let owners = description.owners + description.containers.map(self.name)
        var report = LeakReport()
        report.at = WireTime.now
        report.kind = description.kind
        report.className = name
        if !owners.isEmpty { report.stack = owners + [name] }
        report.children = description.children.map(self.name)
        report.reason = context.reason
        if let file = context.file {
            report.keys = [
                CustomKey("file", .string(file.description)),
                CustomKey("line", .number(Double(context.line))),
            ]
        }
        report.fingerprint = fingerprint(of: report, type: description.type)
        let known = knownLeaks.first { $0.describes(name, owners: owners, on: system) }
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
        return Fingerprint.limitedParts([file] + owners + [className])
    }

    /// Asks the app what to do with a leak, and acts on its answer. If the app is asked on another queue, its answer comes
    /// later. If the object is freed or used again before the answer, the app is told so after the leak was reported.
    private func announce(_ leak: FoundLeak, _ checker: ExpirationChecker) {
        let isAskedHere =
            switch mode.question {
            case .onQueue: true
            case .onMainActor: checker.isOnMainQueue
            }
        if isAskedHere { return ask(about: leak, checker) { self.conclude(leak, answer: $0, from: checker) } }
        reportedLeaks.with { $0.beginAsking(leak.id) }
        ask(about: leak, checker) { answer in
            self.conclude(leak, answer: answer, from: checker)
            if let end = self.reportedLeaks.with({ $0.endAsking(leak.id) }) { self.end(of: leak.id, end) }
        }
    }

    /// Lets the explainer explain a reported leak, and reports the explanation on the checker's queue, if the object still exists.
    ///
    /// Only the address is passed to the explainer: a reference would retain the object, and could deallocate it on the wrong
    /// thread.
    private func explain(_ leak: FoundLeak, isAlert: Bool, _ checker: ExpirationChecker) {
        guard let explanations, isAlert || mode.explain != nil else { return }
        let place = FindingText.sourceLocation(of: leak.report)
        let key = ([place] + leak.report.stack + [leak.report.className ?? ""]).joined(separator: "\n")
        explanations.explain(key, UInt(bitPattern: leak.identity)) { explanation in
            let advice = explanations.explainer.advice(on: explanation)
            checker.call(afterMilliseconds: 0) {
                // The explained object is the leaked object only if it has existed all the time. ``Subject/readState()`` is not
                // called here, because it may expect other objects.
                guard !checker.isStopped, checker.isValid(leak.id, of: leak.identity),
                    leak.isAlive
                else { return explanations.retry(key) }
                if isAlert { self.alerts.explain(leak.report, explanation, advice: advice) }
                self.mode.explain?(leak.report, explanation, advice)
            }
        }
    }

    /// - Parameter completion: receives the app's answer, on the checker's queue.
    private func ask(
        about leak: FoundLeak, _ checker: ExpirationChecker,
        _ completion: @escaping @Sendable (LeakDetector.Answer) -> Void
    ) {
        let finding = LeakDetector.Finding(leak)
        switch mode.question {
        case .onQueue(let ask): completion(ask(finding))
        case .onMainActor(let ask):
            if checker.isOnMainQueue { return completion(MainActor.assumeIsolated { ask(finding) }) }
            DispatchQueue.main.async {
                // The detector may have been stopped since: then `onDetect` is not called.
                guard !checker.isStopped else { return }
                let answer = MainActor.assumeIsolated { ask(finding) }
                checker.call(afterMilliseconds: 0) { completion(answer) }
            }
        }
    }

    private func conclude(_ leak: FoundLeak, answer: LeakDetector.Answer, from checker: ExpirationChecker) {
        // `onDetect` may have stopped the detector or ignored the object. An object that was ignored while the question waited, and
        // was deallocated since, is no longer known to the checker, so `reportedLeaks` is asked as well.
        guard !checker.isStopped, !checker.isMuted(leak.id, of: leak.identity),
            !reportedLeaks.with({ $0.isIgnored(leak.id) })
        else { return }
        switch answer {
        case .ignore:
            return checker.retract(leak.id, of: leak.identity)
        case .ignoreClass:
            reportedLeaks.with { $0.ignore(leak.type) }
            return checker.retract(leak.id, of: leak.identity)
        case .report: break
        case .showAlert, .showAlertWithoutScreenshot:
            alerts.show(
                LeakDetector.Finding(leak), withScreenshot: answer == .showAlert, isWatched: leak.isWatched)
        }
        if leak.isWatched { reportedLeaks.with { $0.add(leak.report) } }
        mode.report(leak.report)
        explain(leak, isAlert: answer == .showAlert || answer == .showAlertWithoutScreenshot, checker)
    }

    private func end(of id: String, _ end: ReportedLeaks.End) {
        guard let report = reportedLeaks.with({ $0.report(end, of: id) }) else { return }
        alerts.end(report, isInUse: end.isInUse)
        mode.report(report)
    }
}
