internal import Dispatch
internal import Foundation

extension TrackedObjects {
    /// Waits until all are gone, or as long as they have.
    func wait(within seconds: Double) {
        for pause in PollDelays(within: seconds) {
            guard anyAlive else { return }
            let end = Date(timeIntervalSinceNow: pause)
            // What the main queue is to let go of needs its run loop.
            if Thread.isMainThread { RunLoop.current.run(until: end) }
            // A run loop without anything to run returns at once.
            Thread.sleep(until: end)
        }
    }

    /// Waits until all are gone, or as long as they have, also in a task that was cancelled.
    ///
    /// After each pause the main actor has a turn: what is to be done on it before goes first, so that the time in which it is
    /// busy with other tests does not count.
    func waitSuspended(within seconds: Double) async {
        for pause in PollDelays(within: seconds) {
            guard anyAlive else { return }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + pause) { continuation.resume() }
            }
            await MainActor.run {}
        }
    }
}
