internal import LeakMessage
internal import LeakPlatform

/// Shows findings to people at a desk: on screen where there is one, in debug builds; else on standard error.
final class AlertBoard: Sendable {
    /// What is shown of one finding, and what became of it.
    struct Alert: Hashable, Sendable {
        let id: String
        let title: String
        var text: String
    }

    /// Who puts alerts on the screen.
    protocol Screen: Sendable {
        /// - Parameter object: what a picture is to be made of, if one is.
        func show(_ alert: Alert, pictureOf object: AnyObject?)
        /// Changes the text of an alert that may still be shown.
        func update(_ alert: Alert)
    }

    /// `nil` where there is none, or none wanted.
    private let screen: (any Screen)?
    private let shown = Guarded([String: Alert]())
    private let write: @Sendable (String) -> Void

    init(
        screen: (any Screen)? = nil, write: @escaping @Sendable (String) -> Void = StandardError.writeFinding
    ) {
        self.screen = screen
        self.write = write
    }

    /// On the screen, if there is one and this is a debug build.
    static var standard: AlertBoard {
        #if DEBUG && canImport(UIKit) && !os(watchOS)
            AlertBoard(screen: AlertScreen.shared)
        #else
            AlertBoard()
        #endif
    }

    /// - Parameter isWatched: whether the object's end will be told.
    func show(_ finding: LeakDetector.Finding, withScreenshot: Bool, isWatched: Bool) {
        let alert = Alert(
            id: finding.report.id ?? "", title: "\(finding.className) leaked", text: finding.text)
        if isWatched { shown.with { $0[alert.id] = alert } }
        guard let screen else { return write(finding.text) }
        screen.show(alert, pictureOf: withScreenshot ? finding.object : nil)
    }

    /// Says why an object is still in memory, in the alert that was shown for it.
    func explain(_ report: LeakReport, _ explanation: RetainExplanation) {
        guard let text = FindingText.explanation(report, explanation) else { return }
        guard let screen else { return write(text) }
        let alert = shown.with { shown -> Alert? in
            guard var alert = shown[report.id ?? ""] else { return nil }
            alert.text += "\n\n\(text)"
            shown[alert.id] = alert
            return alert
        }
        // Of an object that is not watched, the alert is not remembered.
        guard let alert else { return write(text) }
        screen.update(alert)
    }

    /// Says what became of what was shown.
    func end(_ report: LeakReport, isInUse: Bool) {
        guard var alert = shown.with({ $0.removeValue(forKey: report.id ?? "") }) else { return }
        let end = FindingText.end(report, isInUse: isInUse)
        guard let screen else { return write(end) }
        alert.text += "\n\n\(end)"
        screen.update(alert)
    }

    /// Says that nothing will be told of what became of what was shown.
    func forget(_ id: String) { shown.with { $0[id] = nil } }
}
