#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The standard error of the app that contains this library.
public enum StandardError {
    /// The number of bytes that a pipe accepts without blocking if `poll` reports it as writable: the smallest `PIPE_BUF` that
    /// POSIX allows.
    private static let maxPieceBytes = 512
    private static let lock = Guarded(())

    /// Writes a line and a line feed without waiting.
    ///
    /// Drops the rest of the line if a pipe or terminal is full because no process reads it, if standard error is closed, or if
    /// it is a file on a full disk. Only a terminal that the process may not open, as after `su`, can still block.
    public static func write(_ line: String) {
        lock.with { _ in
            // A terminal can be ready and still have no room for a whole piece. So it is opened once more, in non-blocking
            // mode: on the existing descriptor this mode would also apply to the app and to other processes.
            let terminal = openTerminal()
            defer { if terminal >= 0 { close(terminal) } }
            var rest = Array((line + "\n").utf8)[...]
            while !rest.isEmpty, canWrite {
                let count = put(rest.prefix(maxPieceBytes), to: terminal >= 0 ? terminal : STDERR_FILENO)
                guard count > 0 || count < 0 && errno == EINTR else { return }
                rest = rest.dropFirst(max(count, 0))
            }
        }
    }

    /// Opens the terminal that standard error refers to; returns −1 if it is not a terminal or cannot be opened.
    private static func openTerminal() -> Int32 {
        guard isatty(STDERR_FILENO) == 1 else { return -1 }
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard unsafe ttyname_r(STDERR_FILENO, &path, path.count) == 0 else { return -1 }
        return unsafe open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }

    private static var canWrite: Bool {
        var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&descriptor, 1, 0) == 1 && descriptor.revents & Int16(POLLOUT) != 0
    }

    private static func put(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
        unsafe bytes.withUnsafeBytes { bytes in
            #if canImport(Darwin)
                unsafe Darwin.write(descriptor, bytes.baseAddress, bytes.count)
            #else
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            #endif
        }
    }
}
