#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The signals that end a program, `SIGTERM` and `SIGINT`, received by a call on the main thread instead of in a signal
/// handler.
///
/// A program without its own signal handling stops gracefully with three calls: ``wait()`` for the first signal, ``endAtOnce()`` so
/// that a second signal ends the process at once, and ``Server/stop(within:)``.
public struct StopSignals {
    private var set = sigset_t()

    /// Blocks both signals for this thread and all threads that it starts, and ignores `SIGHUP` and `SIGPIPE`, so that neither
    /// a closed terminal nor a disconnected peer ends the program. Also ignores `SIGXFSZ`: writing to a file at its size limit
    /// fails instead. Call it before any other thread runs.
    public init() {
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGTERM)
        unsafe sigaddset(&set, SIGINT)
        // A shell that starts a background job sets SIGINT to ignored, and ignored signals are never delivered.
        _ = signal(SIGTERM, SIG_DFL)
        _ = signal(SIGINT, SIG_DFL)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        _ = signal(SIGHUP, SIG_IGN)
        _ = signal(SIGPIPE, SIG_IGN)
        // When a file reaches its size limit, the write must fail, which is handled; the process must not end.
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Waits for the next signal.
    ///
    /// - Returns: the number of the signal.
    @discardableResult
    public func wait() -> Int32 {
        var set = set
        var number: Int32 = 0
        while unsafe sigwait(&set, &number) != 0 {}
        return number
    }

    /// Lets the next signal end the process at once, with the exit code that a shell expects: 128 plus the number of the signal.
    ///
    /// It installs a handler, because the kernel does not apply the default action to process 1 of a container.
    public func endAtOnce() {
        _ = signal(SIGTERM) { number in _exit(128 + number) }
        _ = signal(SIGINT) { number in _exit(128 + number) }
        var set = set
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}
