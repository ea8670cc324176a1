import Dispatch
import Foundation
import LeakDetectorTesting
import Testing

/// Tests in Swift Testing that must pass. A failure of `expectNoLeaks` would be recorded as a failure of the test.
@Suite struct ExpectNoLeaksTests {
    private struct Offline: Error {}

    @Test func `freed objects pass, and the block's result is returned`() {
        let isOpen = expectNoLeaks { leaks in
            leaks.track(Screen())
            return leaks.track(Sheet()).onClose == nil
        }
        #expect(isOpen)
    }

    @Test func `async tests pass too, whether the block awaits or not`() async {
        let number = await expectNoLeaks { leaks in
            let screen = leaks.track(Screen())
            await Task.yield()
            return screen.onClose == nil ? 1 : 2
        }
        #expect(number == 1)
        await expectNoLeaks { leaks in
            let screen = leaks.track(Screen())
            screen.onClose = {}
        }
    }

    @Test func `a cycle that the block breaks passes at once`() {
        expectNoLeaks(within: 0) { leaks in
            let screen = leaks.track(Screen())
            screen.leak()
            screen.onClose?()
        }
    }

    // The timeout is much longer than needed, for busy machines. A released object ends the wait early.
    @Test func `an object that another thread releases a little later passes`() {
        expectNoLeaks(within: 30) { leaks in
            let upload = leaks.track(Upload())
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { withExtendedLifetime(upload) {} }
        }
    }

    @Test func `an object that another thread releases while the test is suspended passes`() async {
        await expectNoLeaks(within: 30) { leaks in
            let upload = leaks.track(Upload())
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { withExtendedLifetime(upload) {} }
        }
    }

    @Test func `an object that a task holds until it ends passes`() async {
        await expectNoLeaks(within: 30) { leaks in
            let upload = leaks.track(Upload())
            Task.detached {
                try? await Task.sleep(nanoseconds: 20_000_000)
                withExtendedLifetime(upload) {}
            }
        }
    }

    @Test @MainActor
    func `a test on the main actor runs its block there, and objects that are released there later pass`()
        async
    {
        await expectNoLeaks(within: 30) { leaks in
            MainActor.assertIsolated()
            let screen = leaks.track(MainScreen())
            await screen.load()
            MainActor.assertIsolated()
            Task { await screen.load() }
        }
    }

    /// Blocks the main actor, as other tests do that share it with this test.
    @MainActor private func work() { Thread.sleep(forTimeInterval: 0.1) }

    @Test @MainActor
    func `time in which the main actor is busy with other work is not part of the waiting time`() async {
        await expectNoLeaks(within: 0.02) { leaks in
            let screen = leaks.track(MainScreen())
            for _ in 0..<4 { Task { work() } }
            Task {
                await screen.load()
                work()
                await screen.load()
            }
        }
    }

    @Test @MainActor func `an object that a task of the main actor frees passes`() async {
        await expectNoLeaks(within: 30) { leaks in
            let screen = leaks.track(MainScreen())
            Task { @MainActor in withExtendedLifetime(screen) {} }
        }
    }

    @Test @MainActor func `without waiting the block runs on the main actor too`() {
        expectNoLeaks { leaks in
            MainActor.assertIsolated()
            leaks.track(MainScreen())
        }
    }

    @Test func `an error of the block is rethrown`() {
        #expect(throws: Offline.self) {
            try expectNoLeaks { leaks in
                leaks.track(Screen())
                throw Offline()
            }
        }
    }

    @Test func `an error of an async block is rethrown`() async {
        await #expect(throws: Offline.self) {
            try await expectNoLeaks { leaks in
                leaks.track(Screen())
                await Task.yield()
                throw Offline()
            }
        }
    }

    @Test func `a block in a cancelled task waits like any other`() async {
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await expectNoLeaks(within: 30) { leaks in
                let upload = leaks.track(Upload())
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { withExtendedLifetime(upload) {} }
            }
        }
        await task.value
    }

    @Test func `objects can be tracked from several tasks`() async {
        await expectNoLeaks { leaks in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { for _ in 0..<500 { leaks.track(Upload()) } }
                }
            }
        }
    }
}
