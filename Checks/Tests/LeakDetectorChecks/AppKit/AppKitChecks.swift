import AppKit
import LeakMessage
import Testing

@testable import LeakDetector

private final class Panel: NSViewController {
    var detector: LeakDetector?

    override func viewDidDisappear() {
        super.viewDidDisappear()
        detector?.checkDeallocation(of: self)
    }
}

extension Serialized {
    @MainActor @Suite struct AppKitChecks {
        private let bench = Bench()
        private let window = NSWindow()

        private func panel() -> Panel {
            let panel = Panel()
            panel.detector = bench.detector
            return panel
        }

        @Test func `a sheet that was dismissed and stays is reported`() {
            let root = NSViewController()
            window.contentViewController = root
            let panel = panel()
            root.presentAsSheet(panel)
            bench.advance(by: 5_000)
            root.dismiss(panel)
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak Panel"])
            withExtendedLifetime(panel) {}
        }

        @Test func `a controller that is freed is checked and not reported`() {
            let root = NSViewController()
            window.contentViewController = root
            do {
                let panel = panel()
                root.presentAsSheet(panel)
                root.dismiss(panel)
            }
            bench.advance(by: 5_000)
            #expect(bench.lines == [])
            #expect(bench.detector.counts.checked == 1)
        }

        @Test func `a controller that its parent keeps is not checked`() {
            let root = NSViewController()
            window.contentViewController = root
            let panel = panel()
            root.addChild(panel)
            root.view.addSubview(panel.view)
            panel.view.removeFromSuperview()
            panel.viewDidDisappear()
            #expect(bench.detector.counts.outstanding == 0)
            bench.advance(by: 5_000)
            #expect(bench.lines == [])
        }

        @Test func `a controller whose view is in a window is not checked`() {
            let panel = panel()
            window.contentViewController = panel
            panel.viewDidDisappear()
            #expect(bench.detector.counts.outstanding == 0)
            bench.advance(by: 5_000)
            #expect(bench.lines == [])
        }

        @Test func `views and controllers of AppKit return the objects that hold them and that they hold`() {
            let (root, sheet, child) = (NSViewController(), NSViewController(), NSViewController())
            #expect(root.screenView == nil, "reading screenView does not load the view")
            window.contentViewController = root
            root.presentAsSheet(sheet)
            sheet.addChild(child)
            sheet.view.addSubview(child.view)
            #expect(root.screenPresented === sheet)
            #expect(sheet.screenPresenter === root)
            #expect(child.screenParent === sheet)
            #expect(sheet.screenContained.map(ObjectIdentifier.init) == [ObjectIdentifier(child)])
            #expect(sheet.screenView === sheet.view)
            #expect(child.view.viewController === child)
            #expect(child.view.viewParent === sheet.view)
            #expect(sheet.view.viewChildren.count == 1)
            #expect(child.view.viewWindowClass == NSWindow.self)
        }

        @Test func `if a closed window stays, its window controller is reported instead of the window`() {
            let controller = NSWindowController(window: window)
            window.contentViewController = NSViewController()
            bench.detector.checkDeallocation(of: window)
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak NSWindowController"])
            #expect(bench.reports.first?.reason == "closed")
            withExtendedLifetime(controller) {}
        }

        @Test func `the content controller of a closed window is reported if it outlives the window`() {
            let shown = NSViewController()
            do {
                let window = NSWindow()
                window.contentViewController = shown
                bench.detector.checkDeallocation(of: window)
            }
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak NSViewController"])
            withExtendedLifetime(shown) {}
        }

        @Test func `a window that stays after its controller was freed is reported`() {
            do {
                let controller = NSWindowController(window: window)
                bench.detector.checkDeallocation(of: window)
                withExtendedLifetime(controller) {}
            }
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak NSWindow"])
        }
    }
}
