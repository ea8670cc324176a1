public import LeakMessage

extension LeakDetector {
    /// What a detector does with what it finds.
    public struct Mode: Sendable {
        let answer: @Sendable (Finding) -> Answer
        let report: @Sendable (LeakReport) -> Void

        /// Asks about each leak, then reports what was not ignored.
        ///
        /// - Parameters:
        ///   - onDetect: called on the detector's queue, once for each leaked object.
        ///   - report: takes leaks, and the ends of objects that were reported before.
        public static func custom(
            onDetect: @escaping @Sendable (Finding) -> Answer,
            report: @escaping @Sendable (LeakReport) -> Void = { _ in }
        ) -> Mode {
            Mode(answer: onDetect, report: report)
        }

        /// Reports each leak, as release builds should: `.report(reporter.record(leak:))`.
        public static func report(_ report: @escaping @Sendable (LeakReport) -> Void) -> Mode {
            Mode(answer: { _ in .report }, report: report)
        }

        /// Writes each leak to standard error, and its end.
        public static let log = Mode(
            answer: { finding in
                StandardError.write(finding.text)
                return .report
            },
            report: { report in
                guard report.event == .freed else { return }
                StandardError.write(FindingText.end(report, isInUse: report.isCameBack))
            })

        /// Shows each leak on screen in debug builds, and its end; where there is no screen, as ``log``.
        public static let alert = Mode(answer: { _ in .showAlert }, report: { _ in })

        /// Stops the process at the first leak, with its class and path, in release builds too: for testers, not for users.
        public static let assert = Mode(
            answer: { finding in
                // To stop is what this mode was chosen for, and no other one does. Not by preconditionFailure, which says
                // nothing under -O.
                fatalError(finding.text)
            },
            report: { _ in })
    }
}
