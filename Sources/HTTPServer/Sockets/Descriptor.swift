#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file descriptor with one owner, closed when the owner lets go.
struct Descriptor: ~Copyable {
    let number: Int32

    init(adopting number: Int32) { self.number = number }

    deinit {
        // Never again on EINTR: the number may belong to somebody else by then.
        close(number)
    }
}
