#if os(Linux)
    import Foundation

    /// Runs blocking code on a separate thread, because the thread pool of the tests has few threads.
    func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }
#endif
