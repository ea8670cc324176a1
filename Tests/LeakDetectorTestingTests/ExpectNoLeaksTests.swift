import Dispatch
import Foundation
import LeakDetectorTesting
import Testing

/// Tests in Swift Testing that must pass. A failure of `expectNoLeaks` would be recorded as a failure of the test.
@Suite struct ExpectNoLeaksTests {
    private struct Offline: Error {}

    @Test func `objects that go pass, and the block's result is returned`() {
        let isOpen = expectNoLeaks { leaks in
            leaks.track(Screen())
            return leaks.track(Sheet()).onClose == nil
        }
        #expect(isOpen)
    }

    @Test func `in async tests too, whether the block awaits or not`() async {
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

    @Test func `a cycle that the block undoes passes at once`() {
        expectNoLeaks(within: 0) { leaks in
            let screen = leaks.track(Screen())
            screen.leak()
            screen.onClose?()
        }
    }

    // The timeout is much longer than needed, for busy machines. A released object ends the wait early.
    @Test func `an object that another thread lets go of a little later passes`() {
        expectNoLeaks(within: 30) { leaks in
            let upload = leaks.track(Upload())
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { withExtendedLifetime(upload) {} }
        }
    }

    @Test func `one that another thread lets go of while the test is suspended passes`() async {
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

    @Test @MainActor func `on the main actor the block is on it too, and what it ends later passes`() async {
        await expectNoLeaks(within: 30) { leaks in
            MainActor.assertIsolated()
            let screen = leaks.track(MainScreen())
            await screen.load()
            MainActor.assertIsolated()
            Task { await screen.load() }
        }
    }

    /// Blocks the main actor, as other tests do that share it with this one.
    @MainActor private func work() { Thread.sleep(forTimeInterval: 0.1) }

    @Test @MainActor func `the time in which the main actor is busy with others does not count`() async {
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

    @Test @MainActor func `without waiting, the block is on the main actor as well`() {
        expectNoLeaks { leaks in
            MainActor.assertIsolated()
            leaks.track(MainScreen())
        }
    }

    @Test func `what the block throws is thrown on`() {
        #expect(throws: Offline.self) {
            try expectNoLeaks { leaks in
                leaks.track(Screen())
                throw Offline()
            }
        }
    }

    @Test func `what an async block throws is thrown on`() async {
        await #expect(throws: Offline.self) {
            try await expectNoLeaks { leaks in
                leaks.track(Screen())
                await Task.yield()
                throw Offline()
            }
        }
    }

    @Test func `a block of a task that was cancelled waits as any other`() async {
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await expectNoLeaks(within: 30) { leaks in
                let upload = leaks.track(Upload())
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { withExtendedLifetime(upload) {} }
            }
        }
        await task.value
    }

    @Test func `objects are tracked from several tasks`() async {
        await expectNoLeaks { leaks in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { for _ in 0..<500 { leaks.track(Upload()) } }
                }
            }
        }
    }
}
