#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A file descriptor with one owner, closed when the owner lets go.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    init(adopting number: Int32) { self.number = number }

    /// A descriptor that waits to be given away: when none is left, closing it makes room to refuse one peer.
    static func reserve() throws(SystemError) -> Descriptor {
        Descriptor(adopting: try retryingOnInterrupt { unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) })
    }

    // `close` is never repeated: after an interruption the number may already belong to somebody else.
    deinit { close(number) }
}
