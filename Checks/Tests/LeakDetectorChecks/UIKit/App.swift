import LeakMessage
import UIKit

@testable import LeakDetector

/// An app with one window, and a detector that watches its screens.
@MainActor
final class App {
    let bench: Bench
    let scene = UIWindowScene()
    private(set) lazy var window = UIWindow(windowScene: scene)
    private var kept: [AnyObject] = []

    init(
        suppression: LeakDetector.Suppression = .standard, alerts: AlertPresenter = AlertPresenter { _ in },
        isWatched: Bool = true
    ) {
        bench = Bench(suppression: suppression, alerts: alerts) { _ in .showAlert }
        ScreenEventForwarder.detector = nil
        if isWatched { bench.detector.watchViewControllers() }
    }

    func open(_ root: UIViewController) {
        window.rootViewController = root
        window.makeKeyAndVisible()
    }

    /// Retains the object until ``releaseObjects()``, so that it leaks.
    func keep<Object: AnyObject>(_ object: Object) -> Object {
        kept.append(object)
        return object
    }

    func releaseObjects() { kept = [] }

    /// Lets enough time pass for every leak to be reported.
    func advancePastChecks() { bench.advance(by: 5_000) }

    var reportLines: [String] { bench.lines }
    var reasons: [String?] { bench.reports.map(\.reason) }
    var stacks: [[String]] { bench.reports.map { $0.stack.map(Self.short) } }

    static func short(_ name: String) -> String { name.split(separator: ".").last.map(String.init) ?? name }
}

class Home: UIViewController {}
final class Cart: UIViewController {}
final class Order: UIViewController {}

/// A screen that asks for its own check.
final class Manual: UIViewController {
    var detector: LeakDetector?

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        detector?.checkDeallocation(of: self, file: "App/Manual.swift", line: 7)
    }
}

/// A controller whose view a test provides.
final class Gallery: UIViewController {
    var testView: UIView?

    override func loadView() { view = testView ?? UIView() }
}

final class Badge: UIView {}

final class OtherWindow: UIWindow {}
