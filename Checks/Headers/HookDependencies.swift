// The declarations of other files of LeakDetector that the hooks use, for the type checker.

internal import UIKit

final class LeakDetector {
    @MainActor var screens: Screens { Screens() }
}

@MainActor
final class Screens {
    func handle(_ event: ScreenEvent, _ node: UIViewController) {}
    func willShowDetail(_ detail: UIViewController, in split: UISplitViewController) {}
    func viewWillChange(of node: UIViewController) {}
    func didTouch(_ views: [UIView]) {}
}

extension UIEvent {
    var touchedViews: [UIView]? { nil }
}

enum ScreenEvent { case didLoad, didAppear, didDisappear, didRemoveFromParent }
