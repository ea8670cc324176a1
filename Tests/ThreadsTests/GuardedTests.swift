import Testing
import Threads

@Suite struct GuardedTests {
    @Test func `no addition is lost`() {
        let sum = Guarded(0)
        let threads = (0..<4).map { index in
            WorkerThread(name: "add-\(index)") { for _ in 0..<1000 { sum.with { $0 += 1 } } }
        }
        for thread in threads { thread.join() }
        #expect(sum.with { $0 } == 4000)
    }

    @Test func `a waiter sees what another thread sets`() {
        let value = Guarded<Int?>(nil)
        let thread = WorkerThread(name: "set") {
            value.with { $0 = 7 }
            value.wakeAll()
        }
        #expect(value.wait(timeout: .seconds(5)) { $0 } == 7)
        thread.join()
    }

    @Test func `waiting ends when the time is up`() {
        let value = Guarded<Int?>(nil)
        #expect(value.wait(timeout: .milliseconds(5)) { $0 } == nil)
    }
}
