import Dispatch
import LeakMessage
import LeakPlatform

@testable import LeakDetector

/// A simulation of UIKit and an app, with a clock that the tests advance. It sends the events that UIKit is known to send, in
/// the same order.
@MainActor
final class SimulatedUIKit {
    let clock = VirtualClock()
    let detector: LeakDetector
    /// True if UIKit's methods notify the detector.
    var hasHooks = true
    private(set) lazy var window = Window(self)
    private let reported = Guarded<[LeakReport]>([])
    private let answered = Guarded(0)
    /// Objects that the app retains by mistake or on purpose.
    private var kept: [AnyObject] = []

    /// - Parameter queue: the queue on which objects other than screens are checked; with a queue, time is real.
    init(
        suppression: LeakDetector.Suppression = .standard, answer: LeakDetector.Answer = .report,
        queue: DispatchQueue? = nil, _ change: (inout LeakDetector.Limits) -> Void = { _ in }
    ) {
        var limits = LeakDetector.Limits()
        change(&limits)
        let mode = LeakDetector.Mode.custom { [answered] _ in
            answered.with { $0 += 1 }
            return answer
        } report: { [reported] report in
            reported.with { $0.append(report) }
        }
        if let queue {
            detector = LeakDetector(mode, limits: limits, suppression: suppression, queue: queue)
        } else {
            let notifier = LeakNotifier(mode, suppression, explainer: nil)
            detector = LeakDetector(limits: limits, clock: clock, notifier)
        }
    }

    var screens: Screens { detector.screens }

    func notifyDetector(_ event: ScreenEvent, _ screen: Screen) {
        if hasHooks { screens.handle(event, screen) }
    }

    @discardableResult
    func keep<Object: AnyObject>(_ object: Object) -> Object {
        kept.append(object)
        return object
    }

    func releaseKeptObjects() { kept = [] }

    /// Advances the clock by enough for a transition, a grace period, a second check and a later check of a reported object.
    func advancePastChecks() { clock.advance(by: 3_000) }

    /// Number of findings for which the app was asked for an answer.
    var askedCount: Int { answered.with { $0 } }

    var reports: [LeakReport] { reported.with { $0 } }

    /// Returns the report at `index`, or an empty report if there are fewer.
    func report(_ index: Int) -> LeakReport { index < reports.count ? reports[index] : LeakReport() }

    /// The reports as text: `leak Cart`, `freed Cart`, `came back Cart`.
    var reportLines: [String] {
        reports.map { report in
            let end = report.isCameBack ? "came back" : "freed"
            return "\(report.event == .leak ? "leak" : end) \(Self.short(report.className ?? ""))"
        }
    }

    /// Returns the counted checks as text, such as `Cart 2`, and resets them.
    func takeChecks() -> [String] {
        detector.takeChecks().map { "\(Self.short($0.className)) \($0.count)" }
    }

    static func short(_ name: String) -> String { String(name.drop { $0 != "." }.dropFirst()) }
}

@MainActor
class Window {
    private unowned let kit: SimulatedUIKit
    init(_ kit: SimulatedUIKit) { self.kit = kit }

    var root: Screen? {
        didSet {
            // The old root still presents its screens, although none of them is in the window.
            var old = oldValue
            while let screen = old {
                screen.leaveWindow()
                old = screen.presented
            }
            root?.enter(self)
        }
    }
}

/// A window of the keyboard. The tests add its class to ``LeakDetector/Suppression/windows``.
final class KeyboardWindow: Window {}
