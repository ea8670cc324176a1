#if canImport(Darwin)
    import Darwin
#else
    import CLinux
    import Glibc
#endif

/// A thread of the system that runs one closure and can be waited for.
///
/// Signals other than faults stay blocked on it, so that a handler runs on the main thread alone.
@safe
public final class WorkerThread: @unchecked Sendable {
    // Unchecked: `handle` is written before `init` returns and read by the one caller of `join`.
    private var handle: pthread_t

    /// What the thread starts with: lent to it once, taken over there.
    private final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: what debuggers show; the first 15 bytes of it on Linux.
    ///   - body: what it runs; the thread ends when it returns.
    public init(name: String, body: @escaping @Sendable () -> Void) {
        var everySignal = sigset_t()
        var former = sigset_t()
        unsafe sigfillset(&everySignal)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] {
            unsafe sigdelset(&everySignal, fault)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &everySignal, &former)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }

        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        #if canImport(Darwin)
            var handle: pthread_t?
        #else
            var handle = pthread_t()
        #endif
        let code = unsafe pthread_create(&handle, nil, { unsafe WorkerThread.runStart($0) }, start.toOpaque())
        precondition(code == 0, "the system starts no more threads (errno \(code))")
        #if canImport(Darwin)
            guard let handle = unsafe handle else { preconditionFailure("a thread without a handle") }
            unsafe self.handle = handle
        #else
            self.handle = handle
        #endif
    }

    /// Waits until the thread has ended. Call once.
    public func join() {
        _ = pthread_join(handle, nil)
    }

    /// Lets the system forget the thread when it ends. Call instead of ``join()``, once.
    public func detach() {
        _ = pthread_detach(handle)
    }

    #if canImport(Darwin)
        private static func runStart(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
            let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
            unsafe pthread_setname_np(start.name)
            start.body()
            return nil
        }
    #else
        private static func runStart(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let context = unsafe context else { return nil }
            let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
            unsafe pthread_setname_np(pthread_self(), String(start.name.prefix(15)))
            start.body()
            return nil
        }
    #endif
}
