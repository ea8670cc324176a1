public import LeakMessage
import ReportTransport

#if !os(Linux) && !os(macOS)
    import FoundationTransport
#endif

/// Carries leaks from an app to a collector.
///
/// ```swift
/// let reporter = LeakReporter(.init(endpoint: "https://leaks.example.com", key: "…"))
/// reporter.record(message: message)        // a detector's own text
/// ```
///
/// No call but ``flush(timeout:)`` waits, none throws, and none crashes on what it is given; what cannot be kept or
/// sent is counted in ``statistics``. Reports wait in memory, within ``Bounds``, and travel in batches from a thread
/// of the reporter's own. It sends class names and what the app passes, and nothing else of the app.
public final class LeakReporter: Sendable {
    private let courier: Courier

    /// Never fails: an endpoint or key that cannot be used shows in ``statistics``, and nothing is sent.
    public convenience init(_ configuration: Configuration) {
        self.init(configuration) {
            #if os(Linux) || os(macOS)
                CurlTransport(pinnedPublicKeys: configuration.pinnedPublicKeys)
            #else
                URLSessionTransport()
            #endif
        }
    }

    init(
        _ configuration: Configuration, backoff: Backoff = Backoff(),
        installFile: InstallFile? = nil, makeTransport: @escaping @Sendable () -> any Transport
    ) {
        var outbox = Outbox(bounds: configuration.bounds, backoff: backoff)
        var envelope: Envelope?
        do throws(Misconfiguration) {
            envelope = try Envelope(configuration)
        } catch {
            outbox.stop(.misconfigured, why: error.description)
        }
        let (install, app) = (configuration.install, configuration.app)
        courier = Courier(
            outbox, envelope,
            install: {
                switch install {
                case .kept: (installFile ?? .ofThisUser(app)).identifier()
                case .none: nil
                case .given(let identifier): identifier
                }
            }, makeTransport: makeTransport)
    }

    deinit { courier.close() }

    /// Records the text of a detector, such as LeakedViewControllerDetector's third callback argument.
    ///
    /// The collector reads class and path from it. At most 8 KiB of it are kept.
    public func record(message: String) {
        var report = LeakReport()
        report.message = message
        courier.record(report)
    }

    /// Records an error as one gives it to Crashlytics: its domain, code and `userInfo`.
    public func record(error: any Error) {
        record(error: error, userInfo: [:])
    }

    /// Records an error, with more `userInfo` that takes precedence over the error's own.
    ///
    /// Strings, numbers, booleans and addresses are kept; of anything else the type's name alone.
    public func record(error: any Error, userInfo: [String: Any]) {
        var report = LeakReport()
        report.error = ReportedError(error, adding: userInfo)
        courier.record(report)
    }

    /// Records what a detector found, as ``LeakReport`` has it. An `id` and a time are added where there are none.
    public func record(leak: LeakReport) {
        courier.record(leak)
    }

    /// Records how often objects were expected to go, with or without a leak, such as what `LeakDetector.takeChecks()` gives:
    /// the denominator of "leaks per close".
    ///
    /// Counts of one class are added up; they travel with the next batch of reports, or after half a minute alone.
    public func record(checks: [ClassChecks]) {
        courier.record(checks)
    }

    /// Records a use of the app that has ended, with or without a leak, such as `LeakDetector.takeSession()` gives: the
    /// denominator of "leak-free sessions".
    ///
    /// Each session once, when it is over. The newest thousand wait, and travel as checks do.
    public func record(session: EndedSession) {
        courier.record(session)
    }

    /// Sends what waits and blocks the calling thread until everything recorded so far is delivered or thrown away.
    ///
    /// - Parameter seconds: how long to block at most.
    /// - Returns: whether nothing of it waits any more. ``statistics`` tell what was thrown away.
    @discardableResult
    public func flush(timeout seconds: Double) -> Bool {
        courier.flush(seconds: seconds)
    }

    /// What became of what was recorded.
    public var statistics: Statistics { courier.statistics }
}
