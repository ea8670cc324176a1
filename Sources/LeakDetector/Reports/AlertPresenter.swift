internal import LeakMessage
internal import LeakPlatform

/// A presenter that shows findings to developers: in debug builds on the screen, if there is one; else on standard error.
final class AlertPresenter: Sendable {
    /// The text shown for one finding, later extended by its explanation and the end of its object.
    struct Alert: Hashable, Sendable {
        let id: String
        let title: String
        var text: String
    }

    /// A screen that shows alerts.
    protocol Screen: Sendable {
        /// - Parameter object: the object to take a picture of; `nil` for none.
        func show(_ alert: Alert, pictureOf object: AnyObject?)
        /// Changes the text of an alert that may still be shown.
        func update(_ alert: Alert)
    }

    /// `nil` if there is no screen, or none is wanted.
    private let screen: (any Screen)?
    private let shown = Guarded([String: Alert]())
    private let write: @Sendable (String) -> Void

    init(
        screen: (any Screen)? = nil, write: @escaping @Sendable (String) -> Void = StandardError.writeFinding
    ) {
        self.screen = screen
        self.write = write
    }

    /// The presenter that uses the screen, if there is one and this is a debug build.
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
        if isWatched { shown.with { $0[alert.id] = alert } }
        guard let screen else { return write(finding.text) }
        screen.show(alert, pictureOf: withScreenshot ? finding.object : nil)
    }

    /// Adds the reason why an object is still in memory to the alert that was shown for it.
    func explain(_ report: LeakReport, _ explanation: RetainExplanation) {
        guard let text = FindingText.explanation(report, explanation) else { return }
        guard let screen else { return write(text) }
        let alert = shown.with { shown -> Alert? in
            guard var alert = shown[report.id ?? ""] else { return nil }
            alert.text += "\n\n\(text)"
            shown[alert.id] = alert
            return alert
        }
        // The alert of an object that is not watched was not stored.
        guard let alert else { return write(text) }
        screen.update(alert)
    }

    /// Adds the end of the object to its alert: it was freed, or is in use again.
    func end(_ report: LeakReport, isInUse: Bool) {
        guard var alert = shown.with({ $0.removeValue(forKey: report.id ?? "") }) else { return }
        let end = FindingText.end(report, isInUse: isInUse)
        guard let screen else { return write(end) }
        alert.text += "\n\n\(end)"
        screen.update(alert)
    }

    /// Forgets an alert, because the end of its object will not be reported.
    func forget(_ id: String) { shown.with { $0[id] = nil } }
}
