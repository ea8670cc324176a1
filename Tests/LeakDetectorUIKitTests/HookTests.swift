#if canImport(ObjectiveC) && canImport(UIKit) && !os(watchOS)
    import ObjectiveC
    import Testing
    import UIKit

    @testable import LeakDetector

    extension Serialized {
        @MainActor @Suite struct HookTests {
            private let watchedWindow = WatchedWindow()

            @Test func `each of the seven hooks calls the method that it replaced, with its own selector`() {
                let controller = UIViewController()
                let split = UISplitViewController(style: .doubleColumn)
                let calls: [(selector: String, call: () -> Void)] = [
                    ("viewDidLoad", { controller.viewDidLoad() }),
                    ("viewDidAppear:", { controller.viewDidAppear(false) }),
                    ("viewDidDisappear:", { controller.viewDidDisappear(false) }),
                    ("removeFromParentViewController", { controller.removeFromParent() }),
                    ("setView:", { controller.view = UIView() }),
                    (
                        "showDetailViewController:sender:",
                        { split.showDetailViewController(controller, sender: nil) }
                    ),
                    ("sendEvent:", { watchedWindow.window.sendEvent(TouchEvent(UIView())) }),
                ]
                for (selector, call) in calls {
                    unsafe OtherSwizzlers.selectors = []
                    call()
                    let seen = unsafe OtherSwizzlers.selectors
                    #expect(seen.contains(selector))
                    #expect(Set(seen).isSubset(of: calls.map(\.selector)))
                }
                #expect(LeakDetector.isSwizzled)
            }

            @Test func `libraries that exchanged methods before or after the hooks are still called`() {
                let controller = UIViewController()
                controller.viewDidAppear(false)
                #expect(OtherSwizzlers.callsBelow == 1)
                #expect(OtherSwizzlers.callsAbove == 1)
                #expect(controller.screenLifetimeToken?.record.appearanceCount == 1)
            }

            @Test func `a controller that loads its view is recorded`() {
                let controller = UIViewController()
                #expect(controller.screenLifetimeToken == nil)
                controller.loadViewIfNeeded()
                #expect(controller.screenLifetimeToken != nil)
            }

            @Test func `a removed child that stays is reported`() {
                let (home, cart) = (UIViewController(), Cart())
                home.addChild(cart)
                home.loadViewIfNeeded()
                home.view.addSubview(cart.view)
                watchedWindow.open(home)
                cart.view.removeFromSuperview()
                cart.removeFromParent()
                watchedWindow.advancePastChecks()
                #expect(watchedWindow.bench.lines == ["leak Cart"])
            }

            @Test func `a replaced view that stays is reported`() {
                let badge = Badge()
                let controller = UIViewController()
                controller.view = badge
                controller.viewDidAppear(false)
                controller.view = UIView()
                watchedWindow.advancePastChecks()
                #expect(watchedWindow.bench.lines == ["leak Badge"])
                withExtendedLifetime((badge, controller)) {}
            }

            @Test func `the record of a detail contains the split view that shows it`() {
                let split = UISplitViewController(style: .doubleColumn)
                let detail = UIViewController()
                split.showDetailViewController(detail, sender: nil)
                #expect(detail.screenLifetimeToken?.record.split === split)
            }

            @Test func `the view that was touched last is reported after the next touch`() {
                let badge = Badge()
                watchedWindow.window.addSubview(badge)
                watchedWindow.window.sendEvent(TouchEvent(badge))
                badge.removeFromSuperviewDetectLeaks(watchedWindow.bench.detector)
                watchedWindow.advancePastChecks()
                #expect(watchedWindow.bench.lines == [])
                watchedWindow.window.sendEvent(TouchEvent(watchedWindow.window))
                watchedWindow.advancePastChecks()
                #expect(watchedWindow.bench.lines == ["leak Badge"])
            }
        }
    }
#endif
