internal import Dispatch
internal import Foundation

extension TrackedObjects {
    /// Waits until all are gone, or as long as they have.
    func wait(within seconds: Double) {
        for pause in Pauses(within: seconds) {
            guard anyAlive else { return }
            let end = Date(timeIntervalSinceNow: pause)
            // What the main queue is to let go of needs its run loop.
            if Thread.isMainThread { RunLoop.current.run(until: end) }
            // A run loop without anything to run returns at once.
            Thread.sleep(until: end)
        }
    }

    /// Waits until all are gone, or as long as they have, also in a task that was cancelled.
    func waitSuspended(within seconds: Double) async {
        for pause in Pauses(within: seconds) {
            guard anyAlive else { return }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + pause) { continuation.resume() }
            }
        }
    }
}
