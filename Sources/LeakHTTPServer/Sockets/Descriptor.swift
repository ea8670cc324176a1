#if canImport(Darwin)
    internal import Darwin
    private let openFiles = RLIMIT_NOFILE
#else
    internal import Glibc
    private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#endif

/// A file descriptor with one owner, closed when the owner lets go.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    init(adopting number: Int32) { self.number = number }

    /// A descriptor that waits to be given away: when none is left, closing it makes room to refuse one peer.
    static func reserve() throws(SystemError) -> Descriptor {
        Descriptor(adopting: try retryingOnInterrupt { unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) })
    }

    /// Lets the process have `count` descriptors at the same time, as far as it may ask for them: systems start
    /// programs with few, 1024 or 256, so that old ones that keep them in bit sets go on working.
    ///
    /// - Returns: how many it may have.
    static func allow(_ count: Int) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(openFiles, &limit) == 0 else { return count }
        let wanted = min(rlim_t(clamping: count), limit.rlim_max)
        if limit.rlim_cur < wanted {
            let former = limit.rlim_cur
            limit.rlim_cur = wanted
            if unsafe setrlimit(openFiles, &limit) != 0 { limit.rlim_cur = former }
        }
        return Int(clamping: limit.rlim_cur)
    }

    // `close` is never repeated: after an interruption the number may already belong to somebody else.
    deinit { close(number) }
}
