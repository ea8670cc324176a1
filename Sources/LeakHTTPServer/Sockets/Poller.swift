/// The events that a loop waits for on a descriptor.
struct Interest: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let read = Interest(rawValue: 1)
    static let write = Interest(rawValue: 2)
}

/// The state of a descriptor reported by the poller.
struct SocketEvent: Hashable, Sendable {
    /// The token given when the descriptor was added.
    let token: UInt64
    let isReadable: Bool
    let isWritable: Bool
    /// `true` if the connection is closed in both directions or has failed.
    let isGone: Bool
}

/// The interface of epoll and kqueue, with which a loop waits for events on many descriptors. It is level-triggered: an event
/// that was not handled is reported again.
protocol Poller: AnyObject {
    init() throws(SystemError)
    func add(_ descriptor: Int32, token: UInt64, for interest: Interest) throws(SystemError)
    func change(_ descriptor: Int32, token: UInt64, from oldInterest: Interest, to interest: Interest)
    func remove(_ descriptor: Int32, from oldInterest: Interest)

    /// Waits until an event occurs or a signal arrives.
    ///
    /// - Parameter milliseconds: the timeout; −1 waits without a timeout.
    /// - Returns: the number of events available from ``event(at:)``; 0 after a timeout, a signal or an error.
    func wait(milliseconds: Int32) -> Int
    func event(at index: Int) -> SocketEvent
}

#if canImport(Darwin)
    typealias SystemPoller = Kqueue
#else
    typealias SystemPoller = Epoll
#endif

#if canImport(Darwin)
    internal import Darwin
#else
    internal import CLeakLinux
    internal import Glibc
#endif

/// A descriptor that wakes the loop while it waits for events: a pipe on Darwin, an `eventfd` on Linux.
final class Waker: Sendable {
    private let readEnd: Descriptor
    #if canImport(Darwin)
        private let writeEnd: Descriptor
    #endif

    /// The descriptor that the poller watches for reading.
    var number: Int32 { readEnd.number }

    init() throws(SystemError) {
        #if canImport(Darwin)
            var ends: [Int32] = [-1, -1]
            _ = try retryingOnInterrupt { unsafe pipe(&ends) }
            readEnd = Descriptor(adopting: ends[0])
            writeEnd = Descriptor(adopting: ends[1])
            for end in ends {
                _ = unsafe fcntl(end, F_SETFL, O_NONBLOCK)
                _ = unsafe fcntl(end, F_SETFD, FD_CLOEXEC)
            }
        #else
            readEnd = Descriptor(
                adopting: try retryingOnInterrupt { eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC)) })
        #endif
    }

    /// Wakes the loop; can be called from any thread. If the pipe or counter is full, a wake-up is already pending.
    func wake() {
        #if canImport(Darwin)
            var one: UInt8 = 1
            _ = unsafe write(writeEnd.number, &one, 1)
        #else
            var one: UInt64 = 1
            _ = unsafe write(readEnd.number, &one, 8)
        #endif
    }

    /// Resets the waker for the next wake-up.
    func clear() {
        var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        _ = unsafe read(readEnd.number, &bytes, 32)
    }
}
