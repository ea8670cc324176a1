import LeakMessage
import Testing
import UIKit

@testable import LeakDetector

extension Serialized {
    @MainActor @Suite struct ScreenChecks {
        private let app = App()

        @Test func `a screen that was popped and stays is reported`() {
            let navigation = UINavigationController(rootViewController: Home())
            app.open(navigation)
            navigation.pushViewController(app.keep(Cart()), animated: true)
            app.advancePastChecks()
            #expect(app.reportLines == [])
            navigation.popViewController(animated: true)
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Cart"])
            #expect(app.reasons == ["popped"])
            #expect(app.stacks == [["UINavigationController", "Cart"]])
            app.releaseObjects()
            app.advancePastChecks()
            #expect(app.reportLines.last?.hasPrefix("freed Cart") == true)
        }

        @Test func `a freed screen is not reported, whether it was pushed or presented`() {
            let navigation = UINavigationController(rootViewController: Home())
            app.open(navigation)
            navigation.pushViewController(Cart(), animated: true)
            navigation.popViewController(animated: true)
            navigation.present(Order(), animated: true)
            navigation.dismiss(animated: true)
            app.advancePastChecks()
            #expect(app.reportLines == [])
            #expect(app.bench.detector.counts.checked == 2)
        }

        @Test
        func `after popping to the root, a screen from the middle of the stack is reported if it stays`() {
            let navigation = UINavigationController(rootViewController: Home())
            app.open(navigation)
            navigation.pushViewController(app.keep(Cart()), animated: false)
            navigation.pushViewController(Order(), animated: false)
            app.advancePastChecks()
            navigation.popToRootViewController(animated: true)
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Cart"])
        }

        @Test func `a screen that a new navigation stack does not contain is reported if it stays`() {
            let navigation = UINavigationController(rootViewController: app.keep(Cart()))
            app.open(navigation)
            app.advancePastChecks()
            navigation.setViewControllers([Home()], animated: false)
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Cart"])
        }

        @Test(arguments: [UIModalPresentationStyle.pageSheet, .fullScreen])
        func `a dismissed screen that stays is reported, and the screen that it covered is not`(
            style: UIModalPresentationStyle
        ) {
            let home = Home()
            app.open(home)
            let cart = app.keep(Cart())
            cart.modalPresentationStyle = style
            home.present(cart, animated: true)
            app.advancePastChecks()
            #expect(app.reportLines == [])
            home.dismiss(animated: true)
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Cart"])
            #expect(app.reasons == ["dismissed"])
            #expect(app.stacks == [["Home", "Cart"]])
        }

        // `presentedViewController` of a child returns the controller that its container presents.
        @Test func `a removed child is reported although its container presents another screen`() {
            let home = Home()
            let cart = app.keep(Cart())
            app.open(home)
            home.addChild(cart)
            home.view.addSubview(cart.view)
            home.present(Order(), animated: true)
            #expect(cart.screenPresented == nil)
            #expect(home.screenPresented != nil)
            cart.willMove(toParent: nil)
            cart.view.removeFromSuperview()
            cart.removeFromParent()
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Cart"])
            #expect(app.reasons == ["removed"])
        }

        @Test func `if a chain of sheets is dismissed at once, each sheet that stays is reported`() {
            let home = Home()
            app.open(home)
            let (cart, order) = (app.keep(Cart()), app.keep(Order()))
            home.present(cart, animated: true)
            cart.present(order, animated: true)
            app.advancePastChecks()
            #expect(app.reportLines == [])
            home.dismiss(animated: true)
            app.advancePastChecks()
            #expect(Set(app.reportLines) == ["leak Cart", "leak Order"])
        }

        @Test func `a tab that is not selected is not reported, and a removed tab is`() {
            let tabs = UITabBarController()
            tabs.viewControllers = [app.keep(Cart()), Order()]
            app.open(tabs)
            tabs.selectedIndex = 1
            app.advancePastChecks()
            #expect(app.reportLines == [])
            tabs.viewControllers = [Order()]
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Cart"])
        }

        @Test func `a cached page is not reported, and a page that left the cache is`() {
            let pages = UIPageViewController()
            pages.setViewControllers([app.keep(Cart())], direction: .forward, animated: false)
            app.open(pages)
            pages.setViewControllers([Order()], direction: .forward, animated: true)
            app.advancePastChecks()
            #expect(app.reportLines == [])
            pages.setViewControllers([Home()], direction: .forward, animated: true)
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Cart"])
        }

        @Test func `a detail that its split view hides is not reported until the next detail is shown`() {
            let split = UISplitViewController(list: Home())
            app.open(split)
            split.showDetailViewController(app.keep(Cart()), sender: nil)
            split.goBackToList()
            app.advancePastChecks()
            #expect(app.reportLines == [])
            split.showDetailViewController(Order(), sender: nil)
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Cart"])
        }

        @Test func `the report of a replaced root controller names its children`() {
            let navigation = UINavigationController(rootViewController: Home())
            navigation.pushViewController(Cart(), animated: false)
            app.open(app.keep(navigation))
            app.advancePastChecks()
            app.window.rootViewController = Order()
            app.advancePastChecks()
            #expect(app.reportLines == ["leak UINavigationController"])
            #expect(app.reasons == ["replaced"])
            #expect(app.bench.reports.first?.children.map(App.short) == ["Home", "Cart"])
        }

        @Test func `screenContained returns the children of each kind of container, shown or not`() {
            let screens = (0..<7).map { _ in Home() }
            let navigation = UINavigationController(rootViewController: screens[0])
            navigation.pushViewController(screens[1], animated: false)
            let tabs = UITabBarController()
            tabs.viewControllers = [screens[2], screens[3]]
            let pages = UIPageViewController()
            pages.setViewControllers([screens[4]], direction: .forward, animated: false)
            let split = UISplitViewController(list: screens[5])
            let custom = Home()
            custom.addChild(screens[6])
            let containers: [UIViewController] = [navigation, tabs, pages, split, custom]
            let contained = containers.map { container in
                container.screenContained.compactMap { node in screens.firstIndex { $0 === node } }
            }
            #expect(contained == [[0, 1], [2, 3], [4], [5], [6]])
            #expect(containers.map(\.screenIsStack) == [true, false, false, false, false])
            #expect(UITabBarController().screenContained.isEmpty)
        }

        @Test
        func `a split view with columns contains its hidden columns, and retains no other hidden detail`() {
            let (list, detail) = (Home(), Cart())
            let split = UISplitViewController(style: .doubleColumn)
            split.setViewController(list, for: .primary)
            split.setViewController(detail, for: .secondary)
            let contained = split.screenContained
            #expect(contained.count == 2 && contained.first === list && contained.last === detail)
            #expect(!split.screenHidesDetail)
            #expect(UISplitViewController(list: list).screenHidesDetail)
            #expect(!list.screenHidesDetail)
        }

        @Test func `screenIsKeptByOwner is true for a search controller and false for other screens`() {
            #expect(UISearchController(nibName: nil, bundle: nil).screenIsKeptByOwner)
            #expect(!Home().screenIsKeptByOwner)
        }

        @Test func `a cached page is a child of its page controller, but not in screenContained`() {
            let (old, new) = (Home(), Home())
            let pages = UIPageViewController()
            pages.setViewControllers([old], direction: .forward, animated: false)
            app.open(pages)
            pages.setViewControllers([new], direction: .forward, animated: true)
            #expect(pages.children.count == 2)
            #expect(pages.screenContained.map(ObjectIdentifier.init) == [ObjectIdentifier(new)])
        }

        @Test(arguments: [UIModalPresentationStyle.pageSheet, .fullScreen])
        func `a screen that stays in the leftover views of its transition is reported`(
            style: UIModalPresentationStyle
        ) {
            let home = Home()
            app.open(home)
            let cart = app.keep(Cart())
            cart.modalPresentationStyle = style
            home.present(cart, animated: false)
            let container = cart.view.superview
            let leftover = container?.superview is UIWindow ? container : container?.superview
            home.dismiss(animated: false)
            #expect(cart.view.superview === container)
            #expect(leftover != nil && leftover?.superview == nil)
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Cart"])
        }

        @Test
        func
            `the view of a container has a controller, although leftover views of transitions have the same class`()
        {
            for container in [UINavigationController(), UITabBarController()] {
                #expect(container.view.viewIsTransitionLeftover)
                #expect(container.view.viewController === container)
            }
        }

        @Test func `if a reported screen is presented again, its return is reported`() {
            let home = Home()
            let cart = app.keep(Cart())
            app.open(home)
            home.present(cart, animated: true)
            home.dismiss(animated: true)
            app.advancePastChecks()
            home.present(cart, animated: true)
            app.advancePastChecks()
            #expect(app.reportLines.count == 2)
            #expect(app.reportLines.last?.hasPrefix("came back Cart") == true)
        }

        @Test
        func
            `a screen in another view tree is not reported, a screen in a leftover of a transition is`()
        {
            let home = Home()
            app.open(home)
            let (cart, order) = (app.keep(Cart()), app.keep(Order()))
            home.present(cart, animated: false)
            home.dismiss(animated: false)
            let foreign = UIView()
            foreign.addSubview(cart.view)
            home.present(order, animated: false)
            let leftover = order.view.superview
            #expect(leftover?.superview?.viewIsTransitionLeftover == true)
            home.dismiss(animated: false)
            leftover?.removeFromSuperview()
            #expect(leftover?.viewIsTransitionLeftover == true)
            #expect(!foreign.viewIsTransitionLeftover)
            #expect(order.screenView?.viewParent === leftover)
            app.advancePastChecks()
            #expect(app.reportLines == ["leak Order"])
        }

        @Test func `screens in windows of a suppressed class are not reported`() {
            let app = App(suppression: .init(windows: ["LeakDetectorChecks.OtherWindow"]))
            let window = OtherWindow(windowScene: app.scene)
            window.rootViewController = app.keep(Cart())
            window.isHidden = false
            app.advancePastChecks()
            window.rootViewController = nil
            app.advancePastChecks()
            #expect(app.reportLines == [])
        }

        @Test func `the finding of a leaked controller returns the controller and no view`() {
            let home = Home()
            app.open(home)
            let cart = app.keep(Cart())
            home.present(cart, animated: true)
            home.dismiss(animated: true)
            app.advancePastChecks()
            #expect(app.bench.findings.first?.viewController === cart)
            #expect(app.bench.findings.first?.view == nil)
        }

        @Test
        func `only the first detector that watches screens receives their events, and it stays retained`() {
            let other = Bench()
            #expect(!other.detector.watchViewControllers())
            #expect(app.bench.detector.watchViewControllers(), "asked again")
            app.open(app.keep(Cart()))
            app.advancePastChecks()
            app.window.rootViewController = Home()
            app.advancePastChecks()
            other.advance(by: 5_000)
            #expect(app.reportLines == ["leak Cart"])
            #expect(other.lines == [])
            weak var detector: LeakDetector?
            ScreenEventForwarder.detector = nil
            do {
                let bench = Bench()
                detector = bench.detector
                bench.detector.watchViewControllers()
            }
            #expect(detector != nil)
            ScreenEventForwarder.detector = nil
            #expect(detector == nil)
        }

        @Test func `no method is replaced before a detector watches screens`() async {
            await #expect(processExitsWith: .success) {
                await MainActor.run {
                    precondition(!LeakDetector.isSwizzled)
                    let bench = Bench()
                    Home().checkItself(with: bench.detector)
                    precondition(!LeakDetector.isSwizzled)
                    bench.detector.watchViewControllers()
                    precondition(LeakDetector.isSwizzled)
                }
            }
        }
    }
}

extension Home {
    fileprivate func checkItself(with detector: LeakDetector) { detector.checkDeallocation(of: self) }
}
