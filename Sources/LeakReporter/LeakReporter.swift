internal import LeakPlatform
// The public API has types of LeakMessage, which is not a product of the package: apps import it with this module.
@_exported public import LeakMessage
import LeakTransport

/// A reporter that sends leaks from an app to a collector.
///
/// ```swift
/// let reporter = LeakReporter(.init(endpoint: "https://leaks.example.com", key: "…"))
/// reporter.record(message: message)        // a detector's own text
/// ```
///
/// Only ``flush(timeout:)`` and ``setCollectionEnabled(_:)`` block. No method throws or crashes on any argument; reports that
/// cannot be stored or sent are counted in ``statistics``. Reports wait on the disk, within ``Bounds``, and are sent in batches
/// from the reporter's own threads; the next run sends what one run could not. The reporter sends class names, the data that
/// the app passes to it, and the app, device and install of its ``Configuration``, and nothing else of the app.
public final class LeakReporter: Sendable {
    let thread: ReporterThread
    let bounds: Bounds
    #if canImport(UIKit) && !os(watchOS)
        private let background: BackgroundObserver
    #endif

    /// Creates a reporter. It never fails: if the configuration cannot be used, ``statistics`` shows the reason and nothing is
    /// sent.
    public convenience init(_ configuration: Configuration) {
        self.init(configuration) {
            PlatformTransport.make(pinnedPublicKeys: configuration.pinnedPublicKeys)
        }
    }

    /// - Parameter change: changes the environment of the reporter's threads.
    init(
        _ configuration: Configuration, backoff: Backoff = .ofReporter,
        _ change: (inout ReporterEnvironment) -> Void = { _ in },
        makeTransport: @escaping @Sendable () -> any Transport
    ) {
        bounds = configuration.bounds.validated
        var environment = ReporterEnvironment(configuration, backoff: backoff, makeTransport: makeTransport)
        change(&environment)
        thread = ReporterThread(environment)
        #if canImport(UIKit) && !os(watchOS)
            background = BackgroundObserver(of: thread, bounds)
        #endif
        ExitFlush.register(self)
    }

    deinit { thread.close() }

    // MARK: Leaks

    /// Records the text of a detector, such as LeakedViewControllerDetector's third callback argument.
    ///
    /// The collector parses the class and the path from it. At most 8 KiB of the text are kept. An empty text is accepted too, as
    /// `(empty text)`.
    public func record(message: String) {
        var report = LeakReport()
        report.message = message
        thread.record(report)
    }

    /// Records an error as an app passes it to Crashlytics: its domain, code and `userInfo`. If the domain is empty, the name of
    /// the error's type is used.
    public func record(error: any Error) {
        record(error: error, userInfo: [:])
    }

    /// Records an error, with more `userInfo` that takes precedence over the error's own.
    ///
    /// Strings, numbers, booleans and URLs are kept. An error is reduced to its domain and code, a value with a `rawValue` of
    /// one of these kinds to the raw value, and any other enum to the name of its case, unless the enum is
    /// `CustomStringConvertible`. Any other value is reduced to the name of its type.
    public func record(error: any Error, userInfo: [String: Any]) {
        var report = LeakReport()
        report.error = ReportedError(error, adding: userInfo)
        thread.record(report)
    }

    /// Records a detector's `LeakReport`: about a leak, or about a leaked object that was freed later. A missing `id` or time
    /// is added.
    ///
    /// The first sighting of a leak in a session is sent after ``Bounds/gatherMilliseconds``, a fifth of a second. Further
    /// sightings are counted, and sent with the next batch or after ``Bounds/gatherRepeatsMilliseconds``. A report without class,
    /// path, cycle, text, fingerprint and error counts as `(empty text)`.
    public func record(leak: LeakReport) {
        thread.record(leak)
    }

    /// Records that an object that was reported as leaked was freed. Pass a report with the `id`, class and stack of the leak's
    /// report.
    // Disfavored, so that `reporter.record` alone means the function for findings of a detector, which handles both events.
    @_disfavoredOverload
    public func record(freed: LeakReport) {
        var report = freed
        report.event = .freed
        thread.record(report)
    }

    /// Records the references that keep the object of a leak that was recorded before. A detector with an explainer finds them:
    ///
    /// ```swift
    /// LeakDetector.start(
    ///     .report(
    ///         reporter.record(leak:), onExplain: reporter.record(_:explanation:),
    ///         wantsExplanations: { reporter.takesExplanations }),
    ///     explainer: RetainPathFinder())
    /// ```
    ///
    /// The explanation does not count as a sighting. `beforeSend` is called as it was for the leak, and the class, path and
    /// explanation that it returns are sent. Older collectors ignore explanations in a batch with reports, and reject a batch
    /// that has only explanations.
    public func record(_ leak: LeakReport, explanation: RetainExplanation) {
        var report = leak
        report.event = .leak
        report.explanation = explanation
        thread.record(explanationOf: report)
    }

    /// `true` if an explanation would be sent: this run reports, and the collector accepts explanations.
    ///
    /// A collector that was started with `--explanations no` says so in its responses. The setting also holds for later runs, until
    /// a response says otherwise. The property is `false` until the setting has been read from disk.
    public var takesExplanations: Bool { thread.wantsExplanations }

    // MARK: Checks and sessions

    /// Records how often objects were expected to be released, with or without a leak, such as the result of
    /// `LeakDetector.takeChecks()`: the denominator of rates such as "1 in 31 dismissals".
    ///
    /// Counts of one class are added up. They are sent with the next batch of reports, or alone after half a minute.
    public func record(checks: [ClassChecks]) {
        // The list is recorded in chunks, so that a long list is not rejected as a whole.
        for start in stride(from: 0, to: checks.count, by: 256) {
            let chunk = checks[start..<min(start + 256, checks.count)].map {
                ClassChecks(
                    className: $0.className.prefix(utf8: WireLimits.classBytes), count: $0.count,
                    unseen: $0.unseen)
            }
            thread.record(PendingChecks(chunk))
        }
    }

    /// Records a session of the app that has ended, with or without a leak, for an app that counts its sessions itself: the
    /// denominator of "leak-free sessions". Call it once per session, after its end.
    public func record(session: EndedSession) {
        var session = session
        session.id = session.id.prefix(utf8: WireLimits.sessionIDBytes)
        thread.post(.session(session), bytes: session.id.utf8.count + 64)
    }

    /// Starts a session. It ends with ``endSession()``, with `exit`, with the next call, when an app with UIKit enters the
    /// background, when collecting is turned off, or when the reporter is released. If the process is killed, the next run
    /// reports the session as far as it was known. An app with UIKit starts the next session by itself when it returns to the
    /// foreground.
    ///
    /// Leaks that are recorded during the session belong to it.
    ///
    /// - Parameter checks: returns the checks since its last call, such as `LeakDetector.takeChecks`. It is called at the
    ///   interval of ``Bounds/pollMilliseconds``, before the newest reports are sent, and at the end, on a thread of the
    ///   reporter. `nil` keeps the closure of the previous session.
    public func startSession(checks: (@Sendable () -> [ClassChecks])? = nil) {
        thread.post(.startSession(checks: checks))
    }

    /// Ends the session that ``startSession(checks:)`` began.
    public func endSession() {
        thread.post(.endSession)
    }

    // MARK: Context of reports

    /// Adds a line to the log that is sent with each report: the newest 64 lines, 512 bytes of each.
    public func log(_ line: String) {
        let line = line.prefix(utf8: WireLimits.logLineBytes)
        thread.post(.log(line), bytes: line.utf8.count + 64)
    }

    /// Sets a value that is sent with each following report; `nil` removes it. At most 64 names.
    ///
    /// Strings, numbers, booleans and URLs are kept. An error is reduced to its domain and code, a value with a `rawValue` of
    /// one of these kinds to the raw value, and any other enum to the name of its case, unless the enum is
    /// `CustomStringConvertible`. Any other value is reduced to the name of its type.
    public func setCustomValue(_ value: Any?, forKey name: String) {
        setCustomKeysAndValues([name: value as Any])
    }

    /// Sets several values, like ``setCustomValue(_:forKey:)``.
    public func setCustomKeysAndValues(_ values: [String: Any]) {
        // If there are more names than a report can have, the last names would be rejected anyway.
        let changes = values.sorted { $0.key < $1.key }.prefix(WireLimits.keysCount * 2).map { name, value in
            ContextChange.Key(
                name: name.prefix(utf8: WireLimits.keyBytes), value: CustomKey.Value.of(value)?.truncated)
        }
        thread.change(ContextChange(keys: changes), isAlwaysKept: false)
    }

    /// Sets an identifier of the user that is meaningless to others; `nil` or an empty string removes it.
    public func setUserID(_ id: String?) {
        // This change is never dropped: a user who has signed out must not appear in later reports.
        thread.change(ContextChange(user: .some(id?.prefix(utf8: WireLimits.userBytes))), isAlwaysKept: true)
    }

    // MARK: Consent

    /// Turns collecting on or off, at once and for later runs. While it is off, nothing is stored or sent, and waiting reports are
    /// deleted; Crashlytics keeps them instead. To keep reports until the user agrees to send them, set
    /// ``Configuration/sendsAutomatically`` to `false`.
    ///
    /// The call writes a small file before it returns. A "no" holds for this process even if the file cannot be written; the write
    /// is repeated until it succeeds. Other processes that share ``Configuration/consentStorage`` apply the choice before they send
    /// again.
    ///
    /// - Returns: `true` if the choice is on the disk and survives the process. If not, ``Statistics/storageFailure`` has the
    ///   reason.
    @discardableResult
    public func setCollectionEnabled(_ isEnabled: Bool) -> Bool {
        guard !thread.isForkedChild else { return false }
        return thread.choice.setAnswer(isEnabled) { thread.post(.setCollecting($0)) }
    }

    /// Checks whether unsent reports wait, including those of earlier runs.
    ///
    /// - Parameter completion: called on another thread.
    public func checkForUnsentReports(completion: @escaping @Sendable (Bool) -> Void) {
        if !thread.checkForUnsentReports(completion) { completion(false) }
    }

    /// Checks whether unsent reports wait, including those of earlier runs.
    public func checkForUnsentReports() async -> Bool {
        await withCheckedContinuation { continuation in
            checkForUnsentReports { continuation.resume(returning: $0) }
        }
    }

    /// Starts to send the waiting reports, and returns without waiting.
    public func sendUnsentReports() {
        thread.send()
    }

    /// Deletes the waiting reports, including those of earlier runs. A batch that is being sent may still arrive.
    ///
    /// - Parameter resetInstall: with ``Install/kept``, `true` deletes the identifier of this installation, so that the device
    ///   counts as another device from now on.
    public func deleteUnsentReports(resetInstall: Bool = false) {
        thread.post(.delete(resetsInstall: resetInstall))
    }

    // MARK: Delivery

    /// Sends the waiting reports and blocks the calling thread until everything recorded so far is delivered or discarded.
    ///
    /// If ``Configuration/sendsAutomatically`` is `false`, it sends nothing, and waits until everything is on the disk.
    ///
    /// - Parameter seconds: the timeout in seconds.
    /// - Returns: `true` if none of these reports waits any more. ``statistics`` counts the discarded reports.
    @discardableResult
    public func flush(timeout seconds: Double) -> Bool {
        thread.flush(seconds: seconds)
    }

    /// Counts of the recorded sightings by outcome, and the state of the reporter.
    public var statistics: Statistics { thread.statistics }
}
