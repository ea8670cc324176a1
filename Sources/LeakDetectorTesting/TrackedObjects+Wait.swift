internal import Dispatch
internal import Foundation

extension TrackedObjects {
    /// Waits until all objects are deallocated, at most `seconds`. Blocks the thread.
    func wait(within seconds: Double) {
        for pause in PollDelays(within: seconds) {
            guard isAnyAlive else { return }
            let end = Date(timeIntervalSinceNow: pause)
            // Work on the main queue, which may release objects, runs only while the run loop of the main thread runs.
            if Thread.isMainThread { RunLoop.current.run(until: end) }
            // Sleeps for the rest of the pause: a run loop without anything to run returns at once.
            Thread.sleep(until: end)
        }
    }

    /// Waits until all objects are deallocated, at most `seconds`, even in a task that was cancelled. Does not block the thread.
    ///
    /// After each delay it waits for the main actor to run the tasks that were enqueued earlier, so that the time in which the
    /// main actor is busy with other tests does not count.
    func waitSuspended(within seconds: Double) async {
        for pause in PollDelays(within: seconds) {
            guard isAnyAlive else { return }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + pause) { continuation.resume() }
            }
            await MainActor.run {}
        }
    }
}
