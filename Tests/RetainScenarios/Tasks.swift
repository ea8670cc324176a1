import Dispatch
import Foundation
import Synchronization

/// Waits for a task, from code that is not asynchronous.
func wait(for work: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
        await work()
        done.signal()
    }
    done.wait()
}

/// Counts the tasks that are about to suspend and will not resume.
enum Suspensions {
    private static let begunTaskCount = Atomic(0)

    static func recordSuspension() { begunTaskCount.add(1, ordering: .sequentiallyConsistent) }

    /// Runs `start` and waits until a task that it started is about to suspend.
    static func wait(for start: () -> Void) {
        let before = begunTaskCount.load(ordering: .sequentiallyConsistent)
        start()
        while begunTaskCount.load(ordering: .sequentiallyConsistent) == before {
            Thread.sleep(forTimeInterval: 0.001)
        }
    }
}

/// Suspends for an hour, which is longer than any test runs.
func sleepForever() async {
    Suspensions.recordSuspension()
    try? await Task.sleep(nanoseconds: 3_600_000_000_000)
}

final class Poller: Screen, @unchecked Sendable {
    var task: Task<Void, Never>?
    func poll() async { while !Task.isCancelled { await sleepForever() } }
}
final class Listener: Screen, @unchecked Sendable {
    var task: Task<Void, Never>?
    var stream: AsyncStream<Int>?
    var continuation: AsyncStream<Int>.Continuation?
}

@inline(never) func outerStep(_ screen: Screen) async {
    let numbers = (screen.count, screen.count, screen.count)
    await middleStep(screen)
    use(numbers)
    screen.count += 1
}
@inline(never) func middleStep(_ screen: Screen) async {
    let numbers = [1, 2, 3]
    await innerStep(screen)
    use(numbers)
    screen.count += 1
}
@inline(never) func innerStep(_ screen: Screen) async {
    let numbers = (1, 2, 3, 4, 5, 6, 7, 8, 9)
    await sleepForever()
    use(numbers)
    screen.count += 1
}

extension RetainScenario {
    static let tasks: [RetainScenario] = [
        .cycle("task that sleeps", "Poller.task → Task → closure? → Poller", isSuspected: true) {
            let poller = Poller()
            poller.task = Task {
                await sleepForever()
                poller.refresh()
            }
            return poller
        },
        .cycle("task that polls", "Poller.task → Task → closure? → Poller", isSuspected: true) {
            let poller = Poller()
            poller.task = Task { await poller.poll() }
            return poller
        },
        .cycle(
            "task with weak self that unwraps it once", "Poller.task → Task → async frames? → Poller?",
            isSuspected: true
        ) {
            let poller = Poller()
            poller.task = Task { [weak poller] in
                guard let poller else { return }
                await poller.poll()
            }
            return poller
        },
        .cycle(
            "task with an endless for await", "Listener.task → Task → async frames? → Listener?",
            isSuspected: true
        ) {
            let listener = Listener()
            let stream = AsyncStream<Int> { listener.continuation = $0 }
            listener.stream = stream
            listener.task = Task { [weak listener] in
                guard let listener else { return }
                for await number in stream { listener.count += number }
            }
            return listener
        },
        .cycle("task deep in nested calls", "Poller.task → Task → async frames? → Poller?", isSuspected: true)
        {
            let poller = Poller()
            poller.task = Task { [weak poller] in
                guard let poller else { return }
                await outerStep(poller)
            }
            return poller
        },
        .cycle(
            "termination handler of a stream",
            "Listener.continuation.storage → AsyncStream<Int>._Storage.state.onTermination → closure → Listener"
        ) {
            let listener = Listener()
            listener.stream = AsyncStream { continuation in
                listener.continuation = continuation
                continuation.onTermination = { _ in listener.refresh() }
            }
            return listener
        },
    ]
}
