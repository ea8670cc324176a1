#if os(Linux)
    import Foundation

    /// Runs what blocks on a thread of its own; the pool that tests run on has few.
    func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }
#endif
