import Dispatch
import Foundation
import LeakDetectorTesting
import Testing

/// Tests in Swift Testing that must pass. A failure of `expectNoLeaks` would be recorded as a failure of the test.
@Suite struct ExpectNoLeaksTests {
    private struct Offline: Error {}

    @Test func `expectNoLeaks passes if all objects are freed, and returns the result of its block`() {
        let isOpen = expectNoLeaks { leaks in
            leaks.track(Screen())
            return leaks.track(Sheet()).onClose == nil
        }
        #expect(isOpen)
    }

    @Test func `an async expectNoLeaks passes if all objects are freed, even if its block awaits nothing`()
        async
    {
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

    @Test func `expectNoLeaks passes without waiting if its block breaks the cycle`() {
        expectNoLeaks(within: 0) { leaks in
            let screen = leaks.track(Screen())
            screen.leak()
            screen.onClose?()
        }
    }

    // The timeout is much longer than needed, for busy machines. A released object ends the wait early.
    @Test func `expectNoLeaks waits for an object that another thread releases a little later`() {
        expectNoLeaks(within: 30) { leaks in
            let upload = leaks.track(Upload())
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { withExtendedLifetime(upload) {} }
        }
    }

    @Test func `an async expectNoLeaks waits for an object that another thread releases a little later`()
        async
    {
        await expectNoLeaks(within: 30) { leaks in
            let upload = leaks.track(Upload())
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { withExtendedLifetime(upload) {} }
        }
    }

    @Test func `expectNoLeaks waits for an object that a task holds until the task ends`() async {
        await expectNoLeaks(within: 30) { leaks in
            let upload = leaks.track(Upload())
            Task.detached {
                try? await Task.sleep(nanoseconds: 20_000_000)
                withExtendedLifetime(upload) {}
            }
        }
    }

    @Test @MainActor
    func `expectNoLeaks runs its block on the main actor, and waits for objects that are released there`()
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

    @Test @MainActor func `expectNoLeaks waits for an object that a task of the main actor releases`() async {
        await expectNoLeaks(within: 30) { leaks in
            let screen = leaks.track(MainScreen())
            Task { @MainActor in withExtendedLifetime(screen) {} }
        }
    }

    @Test @MainActor
    func `a block of expectNoLeaks that is not async runs on the main actor if its test does`() {
        expectNoLeaks { leaks in
            MainActor.assertIsolated()
            leaks.track(MainScreen())
        }
    }

    @Test func `expectNoLeaks rethrows an error of its block`() {
        #expect(throws: Offline.self) {
            try expectNoLeaks { leaks in
                leaks.track(Screen())
                throw Offline()
            }
        }
    }

    @Test func `an async expectNoLeaks rethrows an error of its block`() async {
        await #expect(throws: Offline.self) {
            try await expectNoLeaks { leaks in
                leaks.track(Screen())
                await Task.yield()
                throw Offline()
            }
        }
    }

    @Test func `expectNoLeaks waits for objects even in a cancelled task`() async {
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
