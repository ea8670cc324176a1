#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Standard error of an app that a library runs in.
public enum StandardError {
    /// A pipe that can be written to takes this many bytes at once: POSIX's smallest `PIPE_BUF` on the systems that we run on.
    private static let pieceBytes = 512
    private static let lock = Guarded(())

    /// Writes a line, into a pipe without waiting.
    ///
    /// Drops the rest of the line if the pipe is full, standard error is closed, or the disk behind it is full. A write to a
    /// terminal that nobody reads can still block.
    public static func write(_ line: String) {
        lock.with { _ in
            var rest = Array((line + "\n").utf8)[...]
            while !rest.isEmpty, canWrite {
                let count = put(rest.prefix(pieceBytes))
                guard count > 0 || errno == EINTR else { return }
                rest = rest.dropFirst(max(count, 0))
            }
        }
    }

    private static var canWrite: Bool {
        var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&descriptor, 1, 0) == 1 && descriptor.revents & Int16(POLLOUT) != 0
    }

    private static func put(_ bytes: ArraySlice<UInt8>) -> Int {
        unsafe bytes.withUnsafeBytes { bytes in
            #if canImport(Darwin)
                unsafe Darwin.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
            #else
                unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
            #endif
        }
    }
}
