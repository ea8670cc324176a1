internal import LeakStatistics
internal import LeakStore

/// Finds events in stored data, step by step, and stores them. An event follows from the counts and decisions of an app, never from
/// a request.
///
/// An app is evaluated if its data has changed since its last evaluation: its reports, or the sessions or checks of its current
/// release. The store keeps the state of the data at the last evaluation (``EventMark``) and writes it with the events, so a process
/// that is killed evaluates the same data again. The store keeps only the first of equal events, so several collectors may evaluate
/// the same app.
final class EventEvaluator {
    /// Number of apps whose state one step reads: two rows each.
    private static let maxSearchedApps = 500
    /// Number of resolved leaks whose evidence one step reads.
    private static let maxResolvedLeaks = 200
    /// Minimum time between the starts of two rounds through all apps, so that an app under load is evaluated once in it.
    static let roundMilliseconds: Int64 = 60_000

    /// The evaluation of one app, until its events are stored.
    private struct Evaluation {
        var mark: EventMark
        var events: [Event]
        /// Row ID of the last resolved leak that was read.
        var lastLeak: Int64 = 0
    }

    private let store: any Store
    private let reader: any StoreReader
    /// ``Settings/leakFreeSessionsPercent``
    private let leakFreeSessionsPercent: Double?
    private var evaluation: Evaluation?
    /// Row ID of the last app that was evaluated or skipped in this round.
    private var lastApp: Int64 = 0
    /// The start of this round, or of the last one, in milliseconds since 1970; `nil` before the first.
    private var roundStart: Int64?

    /// - Parameter reader: a reader with the rules for known leaks, used by no other thread.
    init(store: any Store, reader: any StoreReader, leakFreeSessionsPercent: Double?) {
        self.store = store
        self.reader = reader
        self.leakFreeSessionsPercent = leakFreeSessionsPercent
    }

    /// Evaluates a part of one app. Reads at most the counts of two releases, or the evidence of ``maxResolvedLeaks`` leaks.
    ///
    /// - Returns: `true` if another step is needed in this round.
    /// - Throws: ``StoreError``; the next step goes on with the next app.
    func runStep(now: Int64) throws(StoreError) -> Bool {
        do throws(StoreError) {
            if var running = evaluation.take() {
                if try !addFixEvents(to: &running, now: now) { evaluation = running }
                return true
            }
            if lastApp == 0 {
                if let start = roundStart, (0..<Self.roundMilliseconds).contains(now - start) { return false }
                roundStart = now
            }
            let marks = try reader.eventMarks(after: lastApp, limit: Self.maxSearchedApps)
            guard let mark = marks.first(where: { $0.state != $0.recordedState && $0.currentRelease != nil })
            else {
                let isLastPart = marks.count < Self.maxSearchedApps
                lastApp = isLastPart ? 0 : marks.last?.appRowID ?? 0
                return !isLastPart
            }
            lastApp = mark.appRowID
            evaluation = Evaluation(mark: mark, events: try releaseEvents(of: mark, now: now))
            return true
        } catch {
            evaluation = nil
            throw error
        }
    }

    /// Returns the events that follow from the current release, compared with the version before it, and from the limits of the app.
    private func releaseEvents(of mark: EventMark, now: Int64) throws(StoreError) -> [Event] {
        guard let version = mark.currentRelease else { return [] }
        var events: [Event] = []
        let query = ReleaseCheckQuery(
            app: mark.app.name, environment: mark.app.environment, version: version)
        if let check = try reader.releaseCheck(query, now: now) {
            events += check.leaks.compactMap { Event($0, in: check, at: now) }
            events += check.worseClasses.map { Event($0, in: check, at: now) }
            events += check.classesNoLongerChecked.map { Event(noLongerChecked: $0, in: check, at: now) }
            if let limit = leakFreeSessionsPercent, let bound = check.version.leakFreeInterval?.upperBound,
                bound * 100 < limit
            {
                events.append(Event(leakFreeSessionsBelow: limit, in: check, at: now))
            }
        }
        for count in try reader.overLimitCounts(app: mark.app.scope) where !count.limit.isOfRemovedNames {
            events.append(Event(count, in: version, at: now))
        }
        return events
    }

    /// Adds the events of some resolved leaks. Stores all events of the app with the last ones.
    ///
    /// - Returns: `true` if the evaluation of the app is done.
    private func addFixEvents(to evaluation: inout Evaluation, now: Int64) throws(StoreError) -> Bool {
        let app = evaluation.mark.app
        let leaks = try reader.resolvedLeaks(
            withoutEventOf: app, after: evaluation.lastLeak, limit: Self.maxResolvedLeaks)
        evaluation.events += leaks.compactMap { Event($0, of: app, at: now) }
        if leaks.count == Self.maxResolvedLeaks, let last = leaks.last {
            evaluation.lastLeak = last.leakRowID
            return false
        }
        _ = try store.record(evaluation.events, mark: evaluation.mark)
        return true
    }
}

extension ReleaseCheck {
    /// The classes that the baseline checked and the version does not check.
    ///
    /// A new version does not check all classes on its first day. So a class is listed only once the version would have at least
    /// ``ReleaseGate/minCheckCount`` checks of it, if the class had the same share of all checks as in the baseline. By chance, so
    /// many checks are missing with a probability below one in a billion; even if devices differ so much that only a tenth of the
    /// checks count, below one in twenty.
    var classesNoLongerChecked: [CheckedClass] {
        guard let baseline, baseline.checks > 0 else { return [] }
        return classes.filter { checked in
            guard checked.baselineChecks > 0, checked.versionChecks == 0, checked.result != .setAside else {
                return false
            }
            let share = Double(checked.baselineChecks) / Double(baseline.checks)
            return share * Double(version.checks) >= Double(ReleaseGate.minCheckCount)
        }
    }
}
