import LeakPlatform

/// A thread that runs a closure at the same time as the test.
struct ThreadRunner {
    private let thread: WorkerThread

    init(_ body: @escaping @Sendable () -> Void) { thread = WorkerThread(name: "beside", body: body) }

    func join() { thread.join() }
}
