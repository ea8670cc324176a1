#if canImport(Darwin)
    import Darwin
#else
    import CLeakLinux
    import Glibc
#endif

/// A thread that runs one closure and can be joined.
///
/// All signals except faults such as `SIGSEGV` are blocked on it, so that no signal handler of the app runs on it.
@safe
public final class WorkerThread: @unchecked Sendable {
    // `Sendable` is unchecked: `handle` is written before `init` returns and read by the one caller of `join` or `detach`.
    private var handle: pthread_t

    /// The arguments with which a new thread starts. The thread takes over the reference to this object.
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
    ///   - name: the name in debuggers; its first 15 bytes on Linux.
    ///   - body: the code of the thread; the thread ends when it returns.
    public init(name: String, body: @escaping @Sendable () -> Void) {
        let (thread, code) = Self.create(name, body)
        guard let thread else {
            preconditionFailure("the system cannot start another thread (errno \(code))")
        }
        handle = thread
    }

    /// Starts a thread that is never joined. On Apple's systems it has the quality of service for work that no user waits for.
    ///
    /// - Returns: `false` if the system cannot start another thread.
    public static func start(name: String, body: @escaping @Sendable () -> Void) -> Bool {
        let (thread, _) = create(name) {
            #if canImport(Darwin)
                pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
            #endif
            body()
        }
        guard let thread else { return false }
        _ = pthread_detach(thread)
        return true
    }

    private static func create(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) -> (thread: pthread_t?, code: Int32) {
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
        guard code == 0 else {
            unsafe start.release()
            return (nil, code)
        }
        return (handle, 0)
    }

    /// Waits until the thread has ended. Call once.
    public func join() {
        _ = pthread_join(handle, nil)
    }

    /// Lets the system release the thread when it ends. Call it once, instead of ``join()``.
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
