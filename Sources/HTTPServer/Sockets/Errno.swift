#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Why a system call failed.
struct Errno: Error, Hashable, CustomStringConvertible {
    let code: Int32

    static var current: Errno { Errno(code: errno) }
    static let interrupted = Errno(code: EINTR)
    static let wouldBlock = Errno(code: EAGAIN)

    var description: String { unsafe String(cString: strerror(code)) }

    /// No descriptor is left, here or in the system.
    var isExhaustion: Bool { code == EMFILE || code == ENFILE }
}

/// Runs a system call that reports failure as −1, again each time a signal interrupts it.
///
/// - Returns: what the call returned, never −1.
/// - Throws: ``Errno``, never ``Errno/interrupted``.
func retryingOnInterrupt<Result: FixedWidthInteger>(_ call: () -> Result) throws(Errno) -> Result {
    while true {
        let result = call()
        guard result == -1 else { return result }
        let failure = Errno.current
        guard failure == .interrupted else { throw failure }
    }
}
