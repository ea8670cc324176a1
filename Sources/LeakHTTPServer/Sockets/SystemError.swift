#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The error number of a failed system call.
struct SystemError: Error, Hashable, Sendable {
    let number: Int32

    static var current: SystemError { SystemError(number: errno) }

    static let interrupted = SystemError(number: EINTR)
    static let wouldBlock = SystemError(number: EAGAIN)
    static let addressInUse = SystemError(number: EADDRINUSE)
    static let addressUnavailable = SystemError(number: EADDRNOTAVAIL)
    static let familyUnsupported = SystemError(number: EAFNOSUPPORT)
    static let accessDenied = SystemError(number: EACCES)
    static let tooManyFiles = SystemError(number: EMFILE)
    static let tooManyFilesInSystem = SystemError(number: ENFILE)

    /// The message of the system, such as `Permission denied`.
    var message: String {
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }
}

/// Runs a system call that reports failure as −1, and repeats it if a signal interrupts it.
///
/// - Returns: the result of the call, never −1.
/// - Throws: ``SystemError``, never ``SystemError/interrupted``.
@inline(__always)
func retryingOnInterrupt<Result: FixedWidthInteger & SignedInteger>(
    _ call: () -> Result
) throws(SystemError) -> Result {
    while true {
        let result = call()
        guard result == -1 else { return result }
        let failure = SystemError.current
        guard failure == .interrupted else { throw failure }
    }
}
