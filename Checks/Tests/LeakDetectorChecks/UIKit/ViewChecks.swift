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
                gallery.made = badge
                home.present(gallery, animated: true)
                app.settle()
                home.dismiss(animated: true)
            }
            app.settle()
            #expect(app.told == ["leak Badge"])
            #expect(app.stacks == [["Home", "Gallery", "Badge"]])
            #expect(app.bench.findings.first?.view is Badge)
            #expect(app.bench.findings.first?.viewController == nil)
        }

        /// Answers about views as in LeakedViewControllerDetector's README.
        @Test func `a closure of the main actor may read the view and count`() {
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
            gallery.made = badge
            home.addChild(gallery)
            home.view.addSubview(gallery.view)
            app.settle()
            badge.removeFromSuperview()
            gallery.view = UIView()
            app.settle()
            #expect(app.told == ["leak Badge"])
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
            bench.wait(5_000)
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

        @Test func `the view that was touched last is retained until another view is touched`() {
            app.open(Home())
            let badge = app.keep(Badge())
            app.window.rootViewController?.view.addSubview(badge)
            touch(badge)
            badge.removeFromSuperviewDetectLeaks(app.bench.detector)
            app.settle()
            #expect(app.told == [])
            touch(app.window)
            app.settle()
            #expect(app.told == ["leak Badge"])
        }

        private func touch(_ view: UIView) {
            app.window.sendEvent(UIEvent(type: .touches, touches: [UITouch(.began, view)]))
        }

        @Test(arguments: [UIEvent.EventType.touches, .motion], [UITouch.Phase.began, .moved, .ended])
        func `the view under a finger that just came down is the touched view`(
            type: UIEvent.EventType, phase: UITouch.Phase
        ) {
            let badge = Badge()
            let event = UIEvent(type: type, touches: [UITouch(phase, badge)])
            #expect((event.touchedViews?.first === badge) == (type == .touches && phase == .began))
            #expect(UIEvent(type: type, touches: nil).touchedViews == nil)
        }

        @Test func `views under fingers that stay down are touched too`() {
            let (badge, home) = (Badge(), UIView())
            let event = UIEvent(
                type: .touches, touches: [UITouch(.moved, badge), UITouch(.began, home)])
            #expect(Set((event.touchedViews ?? []).map(ObjectIdentifier.init)).count == 2)
        }

        @Test func `views that a navigation bar shows belong to controllers`() {
            let bar = UINavigationBar()
            #expect(bar.viewBorrowsChildren)
            #expect(!UIView().viewBorrowsChildren)
        }

        @Test func `only the view of a controller knows its controller`() {
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
