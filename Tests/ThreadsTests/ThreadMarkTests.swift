import Testing
import Threads

@Suite struct ThreadMarkTests {
    private final class Owner: Sendable {}

    @Test func `a thread belongs to whom it was marked for, and no other does`() {
        let owner = Owner()
        let other = Owner()
        let seen = Guarded<[Bool]>([])
        WorkerThread(name: "marked") {
            let before = ThreadMark.isSet(by: owner)
            ThreadMark.set(owner)
            let after = [before, ThreadMark.isSet(by: owner), ThreadMark.isSet(by: other)]
            seen.with { $0 = after }
        }.join()
        #expect(seen.with { $0 } == [false, true, false])
        WorkerThread(name: "unmarked") { seen.with { $0 = [ThreadMark.isSet(by: owner)] } }.join()
        #expect(seen.with { $0 } == [false])
    }
}
