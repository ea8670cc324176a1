import Testing

@testable import LeakDetector

@Suite struct AlertQueueTests {
    private func alert(_ number: Int, _ text: String = "leaked") -> AlertPresenter.Alert {
        AlertPresenter.Alert(id: "\(number)", title: "Cart", text: text)
    }

    @Test func `one alert is shown at a time, in the order of the leaks`() {
        var queue = AlertQueue<String>()
        guard case .show(let first) = queue.add(alert(1), picture: "1") else {
            Issue.record("the first is not shown")
            return
        }
        #expect(first.alert.id == "1")
        #expect(first.picture == "1")
        for number in 2...3 {
            guard case .wait = queue.add(alert(number), picture: nil) else {
                Issue.record("\(number) does not wait")
                return
            }
        }
        #expect(queue.closeShown()?.alert.id == "2")
        #expect(queue.shownEntry?.alert.id == "2")
        #expect(queue.closeShown()?.alert.id == "3")
        #expect(queue.closeShown() == nil)
        #expect(queue.shownEntry == nil)
    }

    @Test func `an alert whose turn comes shows its latest state`() {
        var queue = AlertQueue<String>()
        _ = queue.add(alert(1), picture: nil)
        _ = queue.add(alert(2), picture: "2")
        #expect(queue.update(alert(2, "freed")) == .waiting)
        #expect(queue.shownEntry?.alert.text == "leaked")
        let next = queue.closeShown()
        #expect(next?.alert.text == "freed")
        #expect(next?.picture == "2")
        #expect(queue.update(alert(2, "in use")) == .shown)
        #expect(queue.shownEntry?.alert.text == "in use")
    }

    @Test func `an update of a closed alert changes nothing`() {
        var queue = AlertQueue<String>()
        _ = queue.add(alert(1), picture: nil)
        #expect(queue.closeShown() == nil)
        #expect(queue.update(alert(1, "freed")) == .absent)
        #expect(queue.shownEntry == nil)
    }

    @Test
    func `the number of waiting alerts is limited, and no screenshot is made for an alert above the limit`() {
        var queue = AlertQueue<String>()
        var pictures = 0
        func picture() -> String? {
            pictures += 1
            return nil
        }
        for number in 0...AlertQueue<String>.waitingLimit { _ = queue.add(alert(number), picture: picture()) }
        guard case .full = queue.add(alert(99), picture: picture()) else {
            Issue.record("an alert above the limit is accepted")
            return
        }
        #expect(pictures == AlertQueue<String>.waitingLimit + 1)
        #expect(queue.update(alert(99)) == .absent)
        #expect(queue.closeShown()?.alert.id == "1")
        guard case .wait = queue.add(alert(100), picture: nil) else {
            Issue.record("an alert is rejected although there is room again")
            return
        }
    }
}
