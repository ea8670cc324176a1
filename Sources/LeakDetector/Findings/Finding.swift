public import LeakMessage

extension LeakDetector {
    /// An object that stayed though it should have gone.
    public struct Finding: Sendable {
        /// What would be sent: class, path, reason, time waited.
        public let report: LeakReport
        private let subject: any Subject

        init(_ report: LeakReport, _ subject: any Subject) {
            self.report = report
            self.subject = subject
        }

        /// The object, while it is there. Whoever keeps it makes the leak worse; views and controllers belong to the main
        /// thread.
        public var object: AnyObject? { subject.object }

        /// The type's qualified name.
        public var className: String { report.className ?? "" }

        /// The finding in one line: `Shop.CartModel is still in memory 1.5 s after it should have gone (popped): Cart → Shop.CartModel`.
        public var text: String { FindingText.line(report) }
    }

    /// What to do with a finding.
    public enum Answer: Hashable, Sendable {
        /// Report it.
        case report
        /// Report it, and in debug builds show it on screen, with a picture if it is a view or a controller. Where there is no
        /// screen to show it on, it is written to standard error.
        case showAlert
        case showAlertWithoutScreenshot
        /// This object is meant to stay: tell nothing of it, now or later.
        case ignore
        /// Objects of this class are meant to stay: tell nothing of them from now on.
        case ignoreClass
    }
}
