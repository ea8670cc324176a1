#if canImport(ObjectiveC) && canImport(UIKit) && !os(watchOS)
    import Foundation
    import ObjectiveC
    import Testing
    import LeakPlatform
    import UIKit

    @testable import LeakDetector

    /// A controller that reads its view in `deinit`, whether loaded or not.
    private final class Asking: UIViewController {
        deinit { MainActor.assumeIsolated { _ = view } }
    }

    /// A controller that calls `checkDeallocation` in `deinit`.
    private final class Checking: UIViewController {
        var detector: LeakDetector?
        deinit { MainActor.assumeIsolated { detector?.checkDeallocation(of: self) } }
    }

    private final class Leaving: UIView {
        var detector: LeakDetector?
        deinit { MainActor.assumeIsolated { removeFromSuperviewDetectLeaks(detector) } }
    }

    private final class Telling: UIView {
        let ends = Guarded([Bool]())
        deinit { ends.with { $0.append(Thread.isMainThread) } }
    }

    extension Serialized {
        @MainActor @Suite struct EndTests {
            private let watching = Watching()

            @Test func `a replaced root that stays is reported, and a freed one is not`() {
                let cart = Cart()
                watching.open(cart)
                #expect(cart.viewIfLoaded?.window === watching.window)
                watching.window.rootViewController = Order()
                watching.settle()
                #expect(watching.bench.lines == ["leak Cart"])
                watching.window.rootViewController = nil
                watching.settle()
                #expect(watching.bench.lines == ["leak Cart"])
                withExtendedLifetime(cart) {}
            }

            @Test(arguments: [true, false])
            func `a controller that asks for its view in its deinit does not stop the app`(isLoaded: Bool) {
                weak var trace: UIViewController?
                autoreleasepool {
                    let asking = Asking()
                    trace = asking
                    if isLoaded { asking.loadViewIfNeeded() }
                    unsafe Agents.selectors = []
                }
                watching.settle()
                #expect(trace == nil)
                #expect(unsafe Agents.selectors.contains("viewDidLoad") == !isLoaded)
                #expect(watching.bench.lines == [])
            }

            @Test func `a check that is requested in a deinit does not stop the app`() {
                weak var traces: (UIViewController)?
                weak var view: UIView?
                autoreleasepool {
                    let (checking, leaving) = (Checking(), Leaving())
                    (checking.detector, leaving.detector) = (watching.bench.detector, watching.bench.detector)
                    (traces, view) = (checking, leaving)
                }
                watching.settle()
                #expect(traces == nil)
                #expect(view == nil)
                #expect(watching.bench.lines == [])
            }

            @Test func `an object is deallocating only in its deinit`() {
                #expect(!isDeallocating(NSObject()))
                #expect(!isDeallocating(Guarded(0) as AnyObject))
                #expect(!isDeallocating(UIView()))
            }

            @Test func `a ticket ends with its screen, and the view is released on the main thread`() {
                weak var ticket: ScreenLifetimeToken?
                weak var view: Telling?
                var ends: Guarded<[Bool]>?
                autoreleasepool {
                    let controller = UIViewController()
                    let telling = Telling()
                    controller.view = telling
                    controller.viewDidAppear(false)
                    (ticket, view, ends) = (controller.screenLifetimeToken, telling, telling.ends)
                    #expect(ticket != nil)
                }
                watching.settle()
                #expect(ticket == nil)
                #expect(view == nil)
                #expect(ends?.with { $0 } == [true])
            }
        }
    }
#endif
