#if canImport(ObjectiveC) && canImport(UIKit) && !os(watchOS)
    import ObjectiveC
    import Testing
    import UIKit

    @testable import LeakDetector

    extension Serialized {
        @MainActor @Suite struct HookTests {
            private let watching = Watching()

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
                    ("sendEvent:", { watching.window.sendEvent(TouchEvent(UIView())) }),
                ]
                for (selector, call) in calls {
                    unsafe Agents.selectors = []
                    call()
                    let seen = unsafe Agents.selectors
                    #expect(seen.contains(selector))
                    #expect(Set(seen).isSubset(of: calls.map(\.selector)))
                }
                #expect(LeakDetector.isSwizzled)
            }

            @Test func `agents that exchange methods before or after the hooks stay in the chain`() {
                let controller = UIViewController()
                controller.viewDidAppear(false)
                #expect(Agents.below == 1)
                #expect(Agents.above == 1)
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
                watching.open(home)
                cart.view.removeFromSuperview()
                cart.removeFromParent()
                watching.settle()
                #expect(watching.bench.lines == ["leak Cart"])
            }

            @Test func `a replaced view that stays is reported`() {
                let badge = Badge()
                let controller = UIViewController()
                controller.view = badge
                controller.viewDidAppear(false)
                controller.view = UIView()
                watching.settle()
                #expect(watching.bench.lines == ["leak Badge"])
                withExtendedLifetime((badge, controller)) {}
            }

            @Test func `a detail is held by the split view that shows it`() {
                let split = UISplitViewController(style: .doubleColumn)
                let detail = UIViewController()
                split.showDetailViewController(detail, sender: nil)
                #expect(detail.screenLifetimeToken?.record.split === split)
            }

            @Test func `the view that was touched last is reported after the next touch`() {
                let badge = Badge()
                watching.window.addSubview(badge)
                watching.window.sendEvent(TouchEvent(badge))
                badge.removeFromSuperviewDetectLeaks(watching.bench.detector)
                watching.settle()
                #expect(watching.bench.lines == [])
                watching.window.sendEvent(TouchEvent(watching.window))
                watching.settle()
                #expect(watching.bench.lines == ["leak Badge"])
            }
        }
    }
#endif
