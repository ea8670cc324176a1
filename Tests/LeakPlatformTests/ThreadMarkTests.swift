import Foundation
import Testing

@testable import LeakPlatform

@Suite struct ThreadMarkTests {
    @Test func `a marked thread is recognized even if the process has no free keys of thread-local storage`()
        async
    {
        await #expect(processExitsWith: .success) {
            while ThreadKey.make() != nil {}
            let owner = Owner()
            let other = Owner()
            guard !ThreadMark.isSet(by: owner) else { fatalError("before") }
            ThreadMark.set(owner)
            guard ThreadMark.isSet(by: owner), !ThreadMark.isSet(by: other) else { fatalError("marked") }
            WorkerThread(name: "other") { if ThreadMark.isSet(by: owner) { fatalError("other") } }.join()
            exit(0)
        }
    }

    private final class Owner: Sendable {}

    @Test func `a thread is recognized only by the object that marked it`() {
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
