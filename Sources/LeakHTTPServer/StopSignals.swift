#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The signals that end a program, `SIGTERM` and `SIGINT`, taken one by one on the main thread instead of by a handler.
///
/// A program without signals of its own stops well with three lines: ``wait()`` for the first, let a second one
/// ``endAtOnce()``, and ``Server/stop(within:)``.
public struct StopSignals {
    private var set = sigset_t()

    /// Blocks them for this thread and all that it starts, and ignores `SIGHUP` and `SIGPIPE`: neither a closed
    /// terminal nor a peer that went away ends the program. Call before any other thread runs.
    public init() {
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGTERM)
        unsafe sigaddset(&set, SIGINT)
        // A shell that starts a job in the background leaves SIGINT ignored; ignored signals are never delivered.
        _ = signal(SIGTERM, SIG_DFL)
        _ = signal(SIGINT, SIG_DFL)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        _ = signal(SIGHUP, SIG_IGN)
        _ = signal(SIGPIPE, SIG_IGN)
        // A file that may not grow any more is a failed write, which is answered; not the end of the process.
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Waits for the next one.
    ///
    /// - Returns: its number.
    @discardableResult
    public func wait() -> Int32 {
        var set = set
        var number: Int32 = 0
        while unsafe sigwait(&set, &number) != 0 {}
        return number
    }

    /// From here on one of them ends the process at once, with the code a shell expects: 128 and its number.
    ///
    /// A handler of its own, since the kernel spares process 1 of a container the default effect.
    public func endAtOnce() {
        _ = signal(SIGTERM) { number in _exit(128 + number) }
        _ = signal(SIGINT) { number in _exit(128 + number) }
        var set = set
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}
