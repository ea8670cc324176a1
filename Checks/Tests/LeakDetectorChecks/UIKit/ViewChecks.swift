import LeakMessage
import Testing
import UIKit

@testable import LeakDetector

@MainActor private final class Shown {
    var count = 0
}

extension Serialized {
    @MainActor @Suite struct ViewChecks {
        private let app = App()

        @Test func `a view that stays after its controller was freed is reported without its subviews`() {
            let home = Home()
            app.open(home)
            do {
                let badge = app.keep(Badge())
                badge.addSubview(UIView())
                let gallery = Gallery()
                gallery.testView = badge
                home.present(gallery, animated: true)
                app.advancePastChecks()
                home.dismiss(animated: true)
            }
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Badge"])
            #expect(app.stacks == [["Home", "Gallery", "Badge"]])
            #expect(app.bench.findings.first?.view is Badge)
            #expect(app.bench.findings.first?.viewController == nil)
        }

        /// The closure ignores views as the one in LeakedViewControllerDetector's README does.
        @Test func `onDetect may read the view of a finding and change state of the main actor`() {
            let shown = Shown()
            let clock = VirtualClock(isMainQueue: true)
            let mode = LeakDetector.Mode.custom(onDetect: { finding in
                if finding.view?.tag == -1 || finding.viewController is Home { return .ignore }
                shown.count += 1
                return .report
            })
            let detector = LeakDetector(
                limits: .init(), clock: clock, LeakNotifier(mode, .standard, explainer: nil))
            let badges = [Badge(), Badge()]
            badges[0].tag = -1
            for badge in badges { badge.removeFromSuperviewDetectLeaks(detector) }
            clock.advance(by: 5_000)
            #expect(shown.count == 1)
            withExtendedLifetime(badges) {}
        }

        @Test func `a view that its controller replaced is reported if it stays`() {
            let home = Home()
            app.open(home)
            let badge = app.keep(Badge())
            let gallery = Gallery()
            gallery.testView = badge
            home.addChild(gallery)
            home.view.addSubview(gallery.view)
            app.advancePastChecks()
            badge.removeFromSuperview()
            gallery.view = UIView()
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Badge"])
            #expect(app.reasons == ["replaced"])
        }

        @Test func `only the outermost of removed views that stay is reported`() {
            let bench = Bench()
            let superview = UIView()
            let badge = Badge()
            do {
                let inner = UIView()
                badge.addSubview(inner)
                superview.addSubview(badge)
            }
            badge.removeFromSuperviewDetectLeaks(bench.detector)
            #expect(superview.subviews.isEmpty)
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak Badge"])
            #expect(bench.reports.first?.reason == "removed")
            withExtendedLifetime(badge) {}
        }

        @Test func `without a detector a view is only removed`() {
            let superview = UIView()
            let badge = Badge()
            superview.addSubview(badge)
            badge.removeFromSuperviewDetectLeaks()
            #expect(superview.subviews.isEmpty)
        }

        @Test func `a removed view that was touched last is not reported before another view is touched`() {
            app.open(Home())
            let badge = app.keep(Badge())
            app.window.rootViewController?.view.addSubview(badge)
            touch(badge)
            badge.removeFromSuperviewDetectLeaks(app.bench.detector)
            app.advancePastChecks()
            #expect(app.reportLines == [])
            touch(app.window)
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Badge"])
        }

        private func touch(_ view: UIView) {
            app.window.sendEvent(UIEvent(type: .touches, touches: [UITouch(.began, view)]))
        }

        @Test(arguments: [UIEvent.EventType.touches, .motion], [UITouch.Phase.began, .moved, .ended])
        func `touchedViews contains the view of a touch only if the touch has just begun`(
            type: UIEvent.EventType, phase: UITouch.Phase
        ) {
            let badge = Badge()
            let event = UIEvent(type: type, touches: [UITouch(phase, badge)])
            #expect((event.touchedViews?.first === badge) == (type == .touches && phase == .began))
            #expect(UIEvent(type: type, touches: nil).touchedViews == nil)
        }

        @Test func `when a touch begins, touchedViews also contains the views of touches that continue`() {
            let (badge, home) = (Badge(), UIView())
            let event = UIEvent(
                type: .touches, touches: [UITouch(.moved, badge), UITouch(.began, home)])
            #expect(Set((event.touchedViews ?? []).map(ObjectIdentifier.init)).count == 2)
        }

        @Test func `viewBorrowsChildren is true for a navigation bar and false for a plain view`() {
            let bar = UINavigationBar()
            #expect(bar.viewBorrowsChildren)
            #expect(!UIView().viewBorrowsChildren)
        }

        @Test func `viewController of a view is its controller, and nil for a subview of that view`() {
            let home = Home()
            let inner = UIView()
            home.view.addSubview(inner)
            #expect(home.view.viewController === home)
            #expect(inner.viewController == nil)
            #expect(inner.viewParent === home.view)
            #expect(home.view.viewChildren.count == 1)
            #expect(inner.viewWindowClass == nil)
            app.open(home)
            #expect(inner.viewWindowClass == UIWindow.self)
        }

        @Test func `asking a screen for its view does not load the view`() {
            let home = Home()
            #expect(home.screenView == nil)
            #expect(home.screenWindowClass == nil)
            #expect(home.viewIfLoaded == nil)
        }
    }
}
