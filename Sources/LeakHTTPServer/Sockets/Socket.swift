// System calls on descriptors and connected sockets. The differences between systems are values and small functions at the top.

#if canImport(Darwin)
    internal import Darwin
    private let openFiles = RLIMIT_NOFILE
    private let sendFlags: Int32 = 0
    private let shutdownWriting = SHUT_WR

    /// Accepts a connection, and sets the nonblocking and close-on-exec flags: on this system it is not certain that the new
    /// descriptor inherits them.
    private func acceptNow(
        _ listener: Int32, address: UnsafeMutablePointer<sockaddr>, length: inout socklen_t
    ) -> Int32 {
        let number = unsafe accept(listener, address, &length)
        guard number >= 0 else { return number }
        _ = unsafe fcntl(number, F_SETFL, O_NONBLOCK)
        _ = unsafe fcntl(number, F_SETFD, FD_CLOEXEC)
        Socket.enableOption(SOL_SOCKET, SO_NOSIGPIPE, on: number)
        Socket.enableOption(Int32(IPPROTO_TCP), TCP_NODELAY, on: number)
        return number
    }
#else
    internal import CLeakLinux
    internal import Glibc
    private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    private let sendFlags = Int32(MSG_NOSIGNAL)
    private let shutdownWriting = Int32(SHUT_WR)

    private func acceptNow(
        _ listener: Int32, address: UnsafeMutablePointer<sockaddr>, length: inout socklen_t
    ) -> Int32 {
        unsafe accept4(
            listener, address, &length, Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue))
    }
#endif

/// System calls on nonblocking sockets.
enum Socket {
    /// The result of a call that reads or writes.
    enum Outcome: Hashable {
        /// The number of transferred bytes, at least one.
        case transferred(bytes: Int)
        case wouldBlock
        /// The peer has closed its sending side.
        case ended
        /// The connection is broken.
        case failed
    }

    /// Accepts the next connection of a listener; it inherits the options of the listener.
    static func accept(_ listener: Int32) throws(SystemError) -> AcceptedConnection {
        var address = sockaddr_storage()
        let number = try retryingOnInterrupt {
            unsafe withUnsafeMutablePointer(to: &address) { storage in
                var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
                return unsafe acceptNow(
                    listener,
                    address: UnsafeMutableRawPointer(storage).assumingMemoryBound(to: sockaddr.self),
                    length: &length)
            }
        }
        return AcceptedConnection(socket: Descriptor(adopting: number), address: IPAddress(address))
    }

    @unsafe
    static func receive(_ number: Int32, into buffer: UnsafeMutableBufferPointer<UInt8>) -> Outcome {
        do throws(SystemError) {
            let count = try retryingOnInterrupt { unsafe recv(number, buffer.baseAddress, buffer.count, 0) }
            return count > 0 ? .transferred(bytes: count) : .ended
        } catch {
            return error == .wouldBlock ? .wouldBlock : .failed
        }
    }

    /// Sends two byte ranges in one call; the second range may be empty.
    @unsafe
    static func send(
        _ number: Int32, _ first: UnsafeBufferPointer<UInt8>, then second: UnsafeBufferPointer<UInt8>
    ) -> Outcome {
        do throws(SystemError) {
            let count: Int
            if second.isEmpty {
                count = try retryingOnInterrupt {
                    #if canImport(Darwin)
                        unsafe Darwin.send(number, first.baseAddress, first.count, sendFlags)
                    #else
                        unsafe Glibc.send(number, first.baseAddress, first.count, sendFlags)
                    #endif
                }
            } else {
                count = try unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
                    unsafe parts[0] = unsafe ioVector(first)
                    unsafe parts[1] = unsafe ioVector(second)
                    var message = unsafe msghdr()
                    unsafe message.msg_iov = parts.baseAddress
                    unsafe message.msg_iovlen = 2
                    return Result { () throws(SystemError) in
                        try retryingOnInterrupt { unsafe sendmsg(number, &message, sendFlags) }
                    }
                }.get()
            }
            return count > 0 ? .transferred(bytes: count) : .wouldBlock
        } catch {
            return error == .wouldBlock ? .wouldBlock : .failed
        }
    }

    /// Closes the sending side of the connection.
    static func endWriting(_ number: Int32) {
        shutdown(number, shutdownWriting)
    }

    static func enableOption(_ level: Int32, _ option: Int32, on number: Int32) {
        setOption(level, option, to: 1, on: number)
    }

    static func setOption(_ level: Int32, _ option: Int32, to value: Int32, on number: Int32) {
        var value = value
        unsafe setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Ignores `SIGPIPE`: writing to a closed connection must not end the process.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    @unsafe
    private static func ioVector(_ bytes: UnsafeBufferPointer<UInt8>) -> iovec {
        unsafe iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }
}

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
