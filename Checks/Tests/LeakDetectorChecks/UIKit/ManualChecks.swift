import LeakMessage
import Testing
import UIKit

@testable import LeakDetector

extension Serialized {
    /// Checks of screens that call `checkDeallocation(of:)` themselves, without replaced methods of UIKit.
    @MainActor @Suite struct ManualChecks {
        private let app = App(isWatched: false)

        private func manual() -> Manual {
            let manual = Manual()
            manual.detector = app.bench.detector
            return manual
        }

        @Test func `a popped screen that stays is reported with the source line of checkDeallocation`() {
            let navigation = UINavigationController(rootViewController: Home())
            app.open(navigation)
            navigation.pushViewController(app.keep(manual()), animated: true)
            navigation.popViewController(animated: true)
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Manual"])
            #expect(app.reasons == ["popped"])
            #expect(
                app.bench.reports.first?.keys == [
                    CustomKey("file", .string("App/Manual.swift")), CustomKey("line", .number(7)),
                ])
        }

        @Test func `a screen that was dismissed in its container and stays is reported`() {
            let home = Home()
            app.open(home)
            home.present(UINavigationController(rootViewController: app.keep(manual())), animated: true)
            app.advancePastChecks()
            home.dismiss(animated: true)
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Manual"])
            #expect(app.reasons == ["dismissed"])
        }

        @Test func `a screen that is covered, or in another tab, is not reported`() {
            let tabs = UITabBarController()
            let navigation = UINavigationController(rootViewController: manual())
            tabs.viewControllers = [navigation, Home()]
            app.open(tabs)
            navigation.pushViewController(Home(), animated: true)
            navigation.popViewController(animated: true)
            tabs.selectedIndex = 1
            app.advancePastChecks()
            #expect(app.reportLines == [])
            #expect(app.bench.detector.counts.outstanding == 0)
        }

        @Test func `a screen that is freed is checked and not reported`() {
            let home = Home()
            app.open(home)
            home.present(manual(), animated: true)
            home.dismiss(animated: true)
            app.advancePastChecks()
            #expect(app.reportLines == [])
            #expect(app.bench.detector.counts.checked == 1)
        }
    }
}
