import Testing
import LeakPlatform

@Suite struct GuardedTests {
    @Test func `no addition is lost if several threads add to a guarded value`() {
        let sum = Guarded(0)
        let threads = (0..<4).map { index in
            WorkerThread(name: "add-\(index)") { for _ in 0..<1000 { sum.with { $0 += 1 } } }
        }
        for thread in threads { thread.join() }
        #expect(sum.with { $0 } == 4000)
    }

    @Test func `a waiting thread gets the value that another thread sets`() {
        let value = Guarded<Int?>(nil)
        let thread = WorkerThread(name: "set") {
            value.with { $0 = 7 }
            value.wakeAll()
        }
        #expect(value.wait(timeout: .seconds(5)) { $0 } == 7)
        thread.join()
    }

    @Test func `a wait for a guarded value ends when the time is up`() {
        let value = Guarded<Int?>(nil)
        #expect(value.wait(timeout: .milliseconds(5)) { $0 } == nil)
        #expect(value.wait(milliseconds: 5) { $0 } == nil)
    }

    /// A wait uses the monotonic clock, which cannot be set, and is never shorter than requested.
    @Test func `a wait for a guarded value is not shorter than requested`() {
        let value = Guarded<Int?>(nil)
        let clock = ContinuousClock()
        let time = clock.measure { _ = value.wait(milliseconds: 20) { $0 } }
        #expect(time >= .milliseconds(20) && time < .seconds(2))
    }

    @Test(arguments: [0, -1, Int64.min])
    func `a wait with a time of zero or less checks its condition once`(milliseconds: Int64) {
        let looks = Guarded(0)
        let result: Int? = looks.wait(milliseconds: milliseconds) { looks in
            looks += 1
            return nil
        }
        #expect(result == nil)
        #expect(looks.with { $0 } == 1)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max / 1000), .nanoseconds(1)])
    func `a wait with a very long or very short duration returns a value that is there already`(
        timeout: Duration
    ) {
        let value = Guarded(7)
        #expect(value.wait(timeout: timeout) { $0 } == 7)
    }

    @Test func `a wait of the longest possible time ends when another thread sets the value`() {
        let value = Guarded<Int?>(nil)
        let thread = WorkerThread(name: "set") {
            value.with { $0 = 7 }
            value.wakeAll()
        }
        #expect(value.wait(milliseconds: .max) { $0 } == 7)
        thread.join()
    }

    @Test func `a waiting thread checks the value again after each sleep that it chooses`() {
        let looks = Guarded(0)
        let result = looks.wait { looks -> Guarded<Int>.WaitDecision<Int> in
            looks += 1
            return looks == 3 ? .take(looks) : .sleep(milliseconds: 1)
        }
        #expect(result == 3)
    }
}
