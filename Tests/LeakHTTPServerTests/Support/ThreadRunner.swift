import LeakPlatform

/// Runs something beside the test.
struct ThreadRunner {
    private let thread: WorkerThread

    init(_ body: @escaping @Sendable () -> Void) { thread = WorkerThread(name: "beside", body: body) }

    func join() { thread.join() }
}
