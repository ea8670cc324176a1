#if canImport(ObjectiveC) && canImport(UIKit) && !os(watchOS)
    import Foundation
    import ObjectiveC
    import Testing
    import LeakPlatform
    import UIKit

    @testable import LeakDetector

    /// A controller that reads its view in `deinit`, whether loaded or not.
    private final class ViewReadingController: UIViewController {
        deinit { MainActor.assumeIsolated { _ = view } }
    }

    /// A controller that calls `checkDeallocation` in `deinit`.
    private final class SelfCheckingController: UIViewController {
        var detector: LeakDetector?
        deinit { MainActor.assumeIsolated { detector?.checkDeallocation(of: self) } }
    }

    private final class SelfRemovingView: UIView {
        var detector: LeakDetector?
        deinit { MainActor.assumeIsolated { removeFromSuperviewDetectLeaks(detector) } }
    }

    private final class DeinitRecordingView: UIView {
        let ends = Guarded([Bool]())
        deinit { ends.with { $0.append(Thread.isMainThread) } }
    }

    extension Serialized {
        @MainActor @Suite struct EndTests {
            private let watchedWindow = WatchedWindow()

            @Test func `a replaced root view controller is reported if it stays, but not if it is freed`() {
                let cart = Cart()
                watchedWindow.open(cart)
                #expect(cart.viewIfLoaded?.window === watchedWindow.window)
                watchedWindow.window.rootViewController = Order()
                watchedWindow.advancePastChecks()
                #expect(watchedWindow.bench.lines == ["leak Cart"])
                watchedWindow.window.rootViewController = nil
                watchedWindow.advancePastChecks()
                #expect(watchedWindow.bench.lines == ["leak Cart"])
                withExtendedLifetime(cart) {}
            }

            @Test(arguments: [true, false])
            func `a controller that reads its view in its deinit does not crash the app`(isLoaded: Bool) {
                weak var trace: UIViewController?
                autoreleasepool {
                    let asking = ViewReadingController()
                    trace = asking
                    if isLoaded { asking.loadViewIfNeeded() }
                    unsafe OtherSwizzlers.selectors = []
                }
                watchedWindow.advancePastChecks()
                #expect(trace == nil)
                #expect(unsafe OtherSwizzlers.selectors.contains("viewDidLoad") == !isLoaded)
                #expect(watchedWindow.bench.lines == [])
            }

            @Test func `a check that is requested in a deinit does not crash the app`() {
                weak var checkingTrace: (UIViewController)?
                weak var view: UIView?
                autoreleasepool {
                    let (checking, leaving) = (SelfCheckingController(), SelfRemovingView())
                    (checking.detector, leaving.detector) = (
                        watchedWindow.bench.detector, watchedWindow.bench.detector
                    )
                    (checkingTrace, view) = (checking, leaving)
                }
                watchedWindow.advancePastChecks()
                #expect(checkingTrace == nil)
                #expect(view == nil)
                #expect(watchedWindow.bench.lines == [])
            }

            @Test func `an object that is not in its deinit does not count as deallocating`() {
                #expect(!isDeallocating(NSObject()))
                #expect(!isDeallocating(Guarded(0) as AnyObject))
                #expect(!isDeallocating(UIView()))
            }

            @Test
            func `a screen's lifetime token ends with the screen, whose view is released on the main thread`()
            {
                weak var token: ScreenLifetimeToken?
                weak var view: DeinitRecordingView?
                var ends: Guarded<[Bool]>?
                autoreleasepool {
                    let controller = UIViewController()
                    let telling = DeinitRecordingView()
                    controller.view = telling
                    controller.viewDidAppear(false)
                    (token, view, ends) = (controller.screenLifetimeToken, telling, telling.ends)
                    #expect(token != nil)
                }
                watchedWindow.advancePastChecks()
                #expect(token == nil)
                #expect(view == nil)
                #expect(ends?.with { $0 } == [true])
            }
        }
    }
#endif
