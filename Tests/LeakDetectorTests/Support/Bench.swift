import Dispatch
import LeakMessage
import LeakPlatform

@testable import LeakDetector

/// A detector with a clock that the test advances, and the reports of the detector.
final class Bench: Sendable {
    let clock = VirtualClock()
    let detector: LeakDetector
    private let receivedReports: Guarded<[LeakReport]>
    private let receivedFindings: Guarded<[LeakDetector.Finding]>
    private let explained = Guarded([LeakReport]())

    /// - Parameter answer: returns the answer to each finding.
    init(
        limits: LeakDetector.Limits = .init(), suppression: LeakDetector.Suppression = .standard,
        explainer: (any LeakExplainer)? = nil, system: OperatingSystem = .current,
        known: [KnownSystemLeak] = KnownSystemLeak.all, alerts: AlertPresenter = AlertPresenter { _ in },
        answer: @escaping @Sendable (LeakDetector.Finding) -> LeakDetector.Answer = { _ in .report },
        wantsExplanations: @escaping @Sendable () -> Bool = { true }
    ) {
        let receivedReports = Guarded([LeakReport]())
        let receivedFindings = Guarded([LeakDetector.Finding]())
        let mode = LeakDetector.Mode.custom(
            onDetectOnQueue: { finding in
                receivedFindings.with { $0.append(finding) }
                return answer(finding)
            },
            report: { report in receivedReports.with { $0.append(report) } },
            onExplain: { [explained] report, _ in explained.with { $0.append(report) } },
            wantsExplanations: wantsExplanations)
        (self.receivedReports, self.receivedFindings) = (receivedReports, receivedFindings)
        detector = LeakDetector(
            limits: limits, clock: clock,
            LeakNotifier(
                mode, suppression, explainer: explainer, system: system, known: known,
                alerts: alerts, monotonicTime: { 0 }))
    }

    /// The reports as lines: `leak Page`, `freed Page 2000`, `came back Page 2000`.
    var lines: [String] {
        receivedReports.with { $0 }.map { report in
            let name = report.className?.split(separator: ".").last.map(String.init) ?? ""
            let lived = report.livedMilliseconds.map { " \($0)" } ?? ""
            return report.event == .leak
                ? "leak \(name)" : (report.isCameBack ? "came back " : "freed ") + name + lived
        }
    }

    var reports: [LeakReport] { receivedReports.with { $0 } }
    var findings: [LeakDetector.Finding] { receivedFindings.with { $0 } }
    /// The reports that were followed by an explanation.
    var explanations: [LeakReport] { explained.with { $0 } }

    /// Advances the clock.
    func advance(by milliseconds: Int, stall: Int = 0) { clock.advance(by: milliseconds, stall: stall) }
}

/// An object that tests let leak.
class Page {
    init() {}
}
final class Sheet: Page {}
