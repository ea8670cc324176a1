#if canImport(Darwin)
    internal import Darwin
    private let openFiles = RLIMIT_NOFILE
#else
    internal import Glibc
    private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#endif

/// A file descriptor with a single owner, closed on deinitialization.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    init(adopting number: Int32) { self.number = number }

    /// Opens a spare descriptor: if no other descriptor is left, the spare descriptor is closed to make room for rejecting one
    /// peer.
    static func openSpare() throws(SystemError) -> Descriptor {
        Descriptor(adopting: try retryingOnInterrupt { unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) })
    }

    /// Raises the limit of open descriptors of the process to `count`, as far as permitted. Systems start programs with a low
    /// limit, 1024 or 256, because old programs keep descriptors in bit sets of that size.
    ///
    /// - Returns: the resulting limit.
    static func raiseLimit(_ count: Int) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(openFiles, &limit) == 0 else { return count }
        let newLimit = min(rlim_t(clamping: count), limit.rlim_max)
        if limit.rlim_cur < newLimit {
            let previousLimit = limit.rlim_cur
            limit.rlim_cur = newLimit
            if unsafe setrlimit(openFiles, &limit) != 0 { limit.rlim_cur = previousLimit }
        }
        return Int(clamping: limit.rlim_cur)
    }

    // `close` is never repeated: after an interruption, the number may already belong to another open file.
    deinit { close(number) }
}
