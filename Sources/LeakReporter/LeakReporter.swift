internal import LeakPlatform
// The public API has types of LeakMessage, which is no product of the package: an app gets them with this module.
@_exported public import LeakMessage
import LeakTransport

/// Carries leaks from an app to a collector.
///
/// ```swift
/// let reporter = LeakReporter(.init(endpoint: "https://leaks.example.com", key: "…"))
/// reporter.record(message: message)        // a detector's own text
/// ```
///
/// No call but ``flush(timeout:)`` and ``setCollectionEnabled(_:)`` waits, none throws, and none crashes on what it is given;
/// what cannot be kept or sent is counted in ``statistics``. Reports wait on the disk, within ``Bounds``, and travel in batches from threads
/// of the reporter's own; what one run could not send, the next one sends. It sends class names and what the app
/// passes, and nothing else of the app.
public final class LeakReporter: Sendable {
    let keeper: Keeper
    let bounds: Bounds
    #if canImport(UIKit) && !os(watchOS)
        private let background: Background
    #endif

    /// Never fails: an endpoint or key that cannot be used shows in ``statistics``, and nothing is sent.
    public convenience init(_ configuration: Configuration) {
        self.init(configuration) {
            PlatformTransport.make(pinnedPublicKeys: configuration.pinnedPublicKeys)
        }
    }

    /// - Parameter change: of what the reporter's threads stand on.
    init(
        _ configuration: Configuration, backoff: Backoff = .ofReporter,
        _ change: (inout Ground) -> Void = { _ in },
        makeTransport: @escaping @Sendable () -> any Transport
    ) {
        bounds = configuration.bounds.sound
        var ground = Ground(configuration, backoff, makeTransport)
        change(&ground)
        keeper = Keeper(ground)
        #if canImport(UIKit) && !os(watchOS)
            background = Background(of: keeper, bounds)
        #endif
        AtExit.flush(self)
    }

    deinit { keeper.close() }

    // MARK: Leaks

    /// Records the text of a detector, such as LeakedViewControllerDetector's third callback argument.
    ///
    /// The collector reads class and path from it. At most 8 KiB of it are kept. An empty text counts too, as `(empty text)`.
    public func record(message: String) {
        var report = LeakReport()
        report.message = message
        keeper.record(report)
    }

    /// Records an error as one gives it to Crashlytics: its domain, code and `userInfo`. Its type stands for an empty domain.
    public func record(error: any Error) {
        record(error: error, userInfo: [:])
    }

    /// Records an error, with more `userInfo` that takes precedence over the error's own.
    ///
    /// Strings, numbers, booleans and addresses are kept; of anything else the type's name alone.
    public func record(error: any Error, userInfo: [String: Any]) {
        var report = LeakReport()
        report.error = ReportedError(error, adding: userInfo)
        keeper.record(report)
    }

    /// Records what a detector found, as ``LeakReport`` has it. An `id` and a time are added where there are none.
    ///
    /// The first sighting of a leak in a session is sent at once; more of the same are counted up and sent with the next
    /// batch. A report without class, path, cycle, text, fingerprint and error counts as `(empty text)`.
    public func record(leak: LeakReport) {
        keeper.record(leak)
    }

    /// Records the end of an object that was reported as leaked: its `id`, class and stack are those of the leak.
    // So that `reporter.record` alone is the function for what a detector found: it takes both.
    @_disfavoredOverload
    public func record(freed: LeakReport) {
        var report = freed
        report.event = .freed
        keeper.record(report)
    }

    /// Records what keeps the object of a leak that was recorded before, as a detector with an explainer tells it:
    ///
    /// ```swift
    /// LeakDetector.start(
    ///     .report(
    ///         reporter.record(leak:), onExplain: reporter.record(_:explanation:),
    ///         wantsExplanations: { reporter.takesExplanations }),
    ///     explainer: RetainPathFinder())
    /// ```
    ///
    /// Counts no sighting. `beforeSend` is asked as it was for the leak, and what it leaves of class, path and explanation is
    /// sent. Older collectors ignore it beside reports, and refuse a batch that has nothing else.
    public func record(_ leak: LeakReport, explanation: RetainExplanation) {
        var report = leak
        report.event = .leak
        report.explanation = explanation
        keeper.record(explanationOf: report)
    }

    /// True if an explanation would be sent: this run reports, and the collector has not asked for none.
    ///
    /// A collector that was started with `--explanations no` says so in its answers. The wish holds for later runs, until an
    /// answer says otherwise. `false` for the moment that it takes to read it.
    public var takesExplanations: Bool { keeper.wantsExplanations }

    // MARK: What they are a share of

    /// Records how often objects were expected to go, with or without a leak, such as what `LeakDetector.takeChecks()`
    /// gives: the denominator of "leaks per close".
    ///
    /// Counts of one class are added up; they travel with the next batch of reports, or after half a minute alone.
    public func record(checks: [ClassChecks]) {
        // In pieces, so that one long list is not refused whole.
        for start in stride(from: 0, to: checks.count, by: 256) {
            let piece = checks[start..<min(start + 256, checks.count)].map {
                ClassChecks(
                    className: $0.className.prefix(utf8: WireLimits.classBytes), count: $0.count,
                    unseen: $0.unseen)
            }
            keeper.record(CheckCounts(piece))
        }
    }

    /// Records a use of the app that has ended, with or without a leak, for an app that counts its sessions itself: the
    /// denominator of "leak-free sessions". Each session once, when it is over.
    public func record(session: EndedSession) {
        var session = session
        session.id = session.id.prefix(utf8: WireLimits.sessionIDBytes)
        keeper.post(.session(session), bytes: session.id.utf8.count + 64)
    }

    /// Begins to count a session, which ends with ``endSession()``, with `exit`, with the next call, when an app with UIKit
    /// goes to the background, or else when the process is killed; then the next run hands it over as far as it was known.
    /// An app with UIKit begins the next one by itself when it comes back.
    ///
    /// Its leaks are those that are recorded meanwhile.
    ///
    /// - Parameter checks: gives what was checked since it was asked last, such as `LeakDetector.takeChecks`. Asked twice a
    ///   minute, before each batch and at the end, on a thread of the reporter's. `nil` keeps that of the session before.
    public func startSession(checks: (@Sendable () -> [ClassChecks])? = nil) {
        keeper.post(.startSession(checks: checks))
    }

    /// Ends the session that ``startSession(checks:)`` began.
    public func endSession() {
        keeper.post(.endSession)
    }

    // MARK: What travels with them

    /// Adds a line to the log that goes with each report: the newest 64, 512 bytes of each.
    public func log(_ line: String) {
        let line = line.prefix(utf8: WireLimits.logBytes)
        keeper.post(.log(line), bytes: line.utf8.count + 64)
    }

    /// Sets a value that goes with each report from now on; `nil` takes it back. 64 names at most.
    ///
    /// Strings, numbers, booleans and addresses are kept; of anything else the type's name alone.
    public func setCustomValue(_ value: Any?, forKey name: String) {
        setCustomKeysAndValues([name: value as Any])
    }

    /// Sets several, as ``setCustomValue(_:forKey:)`` does one.
    public func setCustomKeysAndValues(_ values: [String: Any]) {
        // Of more names than a report has, the last would be refused in any case.
        let changes = values.sorted { $0.key < $1.key }.prefix(WireLimits.keysCount * 2).map { name, value in
            ContextChange.Key(
                name: name.prefix(utf8: WireLimits.keyBytes), value: CustomKey.Value.of(value)?.bounded)
        }
        keeper.change(ContextChange(keys: changes), isAlwaysKept: false)
    }

    /// Sets an identifier of the person, one that means nothing to anyone else; `nil` or an empty one takes it back.
    public func setUserID(_ id: String?) {
        // Never refused: who signs out must not be named by what comes.
        keeper.change(ContextChange(user: .some(id?.prefix(utf8: WireLimits.userBytes))), isAlwaysKept: true)
    }

    // MARK: Consent

    /// Ends or begins collecting, at once and for the runs to come. While it is off nothing is kept or sent, and what waited
    /// is deleted: unlike in Crashlytics, which keeps it. To keep reports until the user agrees to send them, set
    /// ``Configuration/sendsAutomatically`` to `false`.
    ///
    /// Writes a small file before it returns. A "no" holds for this process even if the file cannot be written, and is written
    /// again until the disk takes it. Other processes that share ``Configuration/consentStorage`` heed it before they send again.
    ///
    /// - Returns: whether the choice is on the disk and survives the process. If not, ``Statistics/storageFailure`` says why.
    @discardableResult
    public func setCollectionEnabled(_ isEnabled: Bool) -> Bool {
        guard !keeper.isInherited else { return false }
        return keeper.choice.give(isEnabled) { keeper.post(.collect($0)) }
    }

    /// Looks whether reports wait that were not sent, those of earlier runs included.
    ///
    /// - Parameter completion: called on another thread.
    public func checkForUnsentReports(completion: @escaping @Sendable (Bool) -> Void) {
        if !keeper.ask(completion) { completion(false) }
    }

    /// Looks whether reports wait that were not sent, those of earlier runs included.
    public func checkForUnsentReports() async -> Bool {
        await withCheckedContinuation { continuation in
            checkForUnsentReports { continuation.resume(returning: $0) }
        }
    }

    /// Sends what waits, without waiting for it.
    public func sendUnsentReports() {
        keeper.send()
    }

    /// Deletes what waits, that of earlier runs included. A batch that is on its way may arrive.
    ///
    /// - Parameter resetInstall: from now on the device counts as another one.
    public func deleteUnsentReports(resetInstall: Bool = false) {
        keeper.post(.delete(resetsInstall: resetInstall))
    }

    // MARK: What became of them

    /// Sends what waits and blocks the calling thread until everything recorded so far is delivered or thrown away.
    ///
    /// Without ``Configuration/sendsAutomatically`` it sends nothing, and waits until all is on the disk.
    ///
    /// - Parameter seconds: how long to block at most.
    /// - Returns: whether nothing of it waits any more. ``statistics`` tell what was thrown away.
    @discardableResult
    public func flush(timeout seconds: Double) -> Bool {
        keeper.flush(seconds: seconds)
    }

    /// What became of what was recorded.
    public var statistics: Statistics { keeper.statistics }
}
