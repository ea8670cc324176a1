public import LeakMessage
internal import LeakPlatform

extension LeakDetector {
    /// Behavior of a detector when it finds leaks.
    public struct Mode: Sendable {
        /// The function that asks the app about a finding, and where it has to run.
        enum Question: Sendable {
            case onQueue(@Sendable (Finding) -> Answer)
            case onMainActor(@MainActor (Finding) -> Answer)
        }

        let question: Question
        let report: @Sendable (LeakReport) -> Void
        /// Receives the explanations; `nil` if they are wanted only for leaks that are shown as alerts.
        let explain: (@Sendable (LeakReport, RetainExplanation, _ advice: String?) -> Void)?
        let wantsExplanations: @Sendable () -> Bool

        /// Returns a mode that asks about each leak on the main actor, then reports the leaks that were not ignored.
        ///
        /// The main queue has to run, as it does in apps, and in a program that calls `dispatchMain()` or has an `async` `main`.
        /// Else use ``custom(onDetectOnQueue:report:onExplain:wantsExplanations:)``.
        ///
        /// - Parameters:
        ///   - onDetect: called once for each leaked object: at once if the detector's queue is the main queue, as it is on
        ///     Apple's systems unless another queue is given; otherwise a little later.
        ///   - report: receives leaks, and later reports that a leaked object was freed or is in use again, on the detector's
        ///     queue.
        ///   - onExplain: receives a reported leak again with the references that keep its object, on the detector's queue, if the
        ///     detector was given an explainer; once per class, call site and owners.
        ///   - wantsExplanations: called on any thread before an object is explained; `false` skips the explainer.
        public static func custom(
            onDetect: @escaping @MainActor (Finding) -> Answer,
            report: @escaping @Sendable (LeakReport) -> Void = { _ in },
            onExplain: (@Sendable (LeakReport, RetainExplanation) -> Void)? = nil,
            wantsExplanations: @escaping @Sendable () -> Bool = { true }
        ) -> Mode {
            Mode(
                question: .onMainActor(onDetect), report: report, explain: withoutAdvice(onExplain),
                wantsExplanations: wantsExplanations)
        }

        /// Returns a mode that asks about each leak on the detector's queue, then reports the leaks that were not ignored.
        ///
        /// - Parameters:
        ///   - onDetectOnQueue: called once for each leaked object.
        ///   - report: receives leaks, and later reports that a leaked object was freed or is in use again.
        ///   - onExplain: receives a reported leak again with the references that keep its object, if the detector was given an
        ///     explainer; once per class, call site and owners.
        ///   - wantsExplanations: called on any thread before an object is explained; `false` skips the explainer.
        public static func custom(
            onDetectOnQueue: @escaping @Sendable (Finding) -> Answer,
            report: @escaping @Sendable (LeakReport) -> Void = { _ in },
            onExplain: (@Sendable (LeakReport, RetainExplanation) -> Void)? = nil,
            wantsExplanations: @escaping @Sendable () -> Bool = { true }
        ) -> Mode {
            Mode(
                question: .onQueue(onDetectOnQueue), report: report, explain: withoutAdvice(onExplain),
                wantsExplanations: wantsExplanations)
        }

        /// Returns a mode that reports each leak, as release builds should: `.report(reporter.record(leak:))`.
        ///
        /// - Parameters:
        ///   - onExplain: receives a reported leak again with the references that keep its object, if the detector was given an
        ///     explainer.
        ///   - wantsExplanations: called on any thread before an object is explained: `{ reporter.takesExplanations }` skips it
        ///     if the collector asks the app to send no explanations.
        public static func report(
            _ report: @escaping @Sendable (LeakReport) -> Void,
            onExplain: (@Sendable (LeakReport, RetainExplanation) -> Void)? = nil,
            wantsExplanations: @escaping @Sendable () -> Bool = { true }
        ) -> Mode {
            .custom(
                onDetectOnQueue: { _ in .report }, report: report, onExplain: onExplain,
                wantsExplanations: wantsExplanations)
        }

        /// A mode that writes to standard error when an object has leaked, and when it is freed or used again later. If the
        /// detector has an explainer, it also writes the references that keep the object.
        public static let log = Mode(
            question: .onQueue { finding in
                StandardError.writeFinding(finding.text)
                return .report
            },
            report: { report in
                guard report.event == .freed else { return }
                StandardError.writeFinding(FindingText.endLine(about: report, isInUse: report.isCameBack))
            },
            explain: { report, explanation, advice in
                if let text = FindingText.explanation(report, explanation, advice: advice) {
                    StandardError.writeFinding(text)
                }
            },
            wantsExplanations: { true })

        /// A mode that shows on screen, in debug builds, when an object has leaked, and when it is freed or used again later.
        /// Without a screen, and in release builds, it works like ``log``.
        public static let alert = Mode.custom(onDetectOnQueue: { _ in .showAlert })

        /// A mode that stops the process at the first leak and prints its class and path, in release builds too: for testers, not
        /// for users.
        public static let assert = Mode.custom(
            onDetectOnQueue: { finding in
                // This mode alone stops the process, on request. preconditionFailure would print no text under -O.
                fatalError(finding.text)
            })

        private static func withoutAdvice(_ onExplain: (@Sendable (LeakReport, RetainExplanation) -> Void)?)
            -> (@Sendable (LeakReport, RetainExplanation, String?) -> Void)?
        {
            guard let onExplain else { return nil }
            return { report, explanation, _ in onExplain(report, explanation) }
        }
    }
}

extension StandardError {
    /// Writes a message of the detector, as far as that is possible without blocking.
    static func writeFinding(_ text: String) { write("LeakDetector: \(text)") }
}
