internal import LeakMessage
internal import LeakPlatform

/// A presenter that shows findings to developers: in debug builds on the screen, if there is one; else on standard error.
final class AlertPresenter: Sendable {
    /// The text shown for one finding, later extended by its explanation, and by a line when its object is freed or used again.
    struct Alert: Hashable, Sendable {
        let id: String
        let title: String
        var text: String
    }

    /// A screen that shows alerts.
    protocol Screen: Sendable {
        /// - Parameter object: the object to take a picture of; `nil` shows no picture.
        func show(_ alert: Alert, pictureOf object: AnyObject?)
        /// Changes the text of an alert that may still be shown.
        func update(_ alert: Alert)
    }

    /// The screen that shows the alerts; `nil` writes them to standard error.
    private let screen: (any Screen)?
    /// The alerts of objects that are watched, by id.
    private let watchedAlerts = Guarded([String: Alert]())
    private let write: @Sendable (String) -> Void

    init(
        screen: (any Screen)? = nil, write: @escaping @Sendable (String) -> Void = StandardError.writeFinding
    ) {
        self.screen = screen
        self.write = write
    }

    /// The presenter for this build: it shows alerts on the screen in a debug build with UIKit, otherwise it writes them to standard
    /// error.
    static var standard: AlertPresenter {
        #if DEBUG && canImport(UIKit) && !os(watchOS)
            AlertPresenter(screen: AlertScreen.shared)
        #else
            AlertPresenter()
        #endif
    }

    /// - Parameter isWatched: `true` if the deallocation of the object will be reported.
    func show(_ finding: LeakDetector.Finding, withScreenshot: Bool, isWatched: Bool) {
        let alert = Alert(
            id: finding.report.id ?? "", title: "\(finding.className) leaked", text: finding.text)
        if isWatched { watchedAlerts.with { $0[alert.id] = alert } }
        guard let screen else { return write(finding.text) }
        screen.show(alert, pictureOf: withScreenshot ? finding.object : nil)
    }

    /// Adds the reason why an object is still in memory to the alert that was shown for it.
    func explain(_ report: LeakReport, _ explanation: RetainExplanation, advice: String?) {
        guard let text = FindingText.explanation(report, explanation, advice: advice) else { return }
        guard let screen else { return write(text) }
        let alert = watchedAlerts.with { alerts -> Alert? in
            guard var alert = alerts[report.id ?? ""] else { return nil }
            alert.text += "\n\n\(text)"
            alerts[alert.id] = alert
            return alert
        }
        // The alert of an object that is not watched was not stored, so the text cannot be added to it.
        guard let alert else { return write(text) }
        screen.update(alert)
    }

    /// Adds the end of an object to its alert: the object was freed, or is in use again.
    func end(_ report: LeakReport, isInUse: Bool) {
        guard var alert = watchedAlerts.with({ $0.removeValue(forKey: report.id ?? "") }) else { return }
        let end = FindingText.endLine(about: report, isInUse: isInUse)
        guard let screen else { return write(end) }
        alert.text += "\n\n\(end)"
        screen.update(alert)
    }

    /// Forgets the alert of an object that is no longer watched: if the object is freed or used again, the alert does not
    /// change.
    func forget(_ id: String) { watchedAlerts.with { $0[id] = nil } }
}
