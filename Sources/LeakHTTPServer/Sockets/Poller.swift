/// What a loop waits for at one descriptor.
struct Interest: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let read = Interest(rawValue: 1)
    static let write = Interest(rawValue: 2)
}

/// What happened at one descriptor.
struct Event: Hashable, Sendable {
    /// What the descriptor was added with.
    let token: UInt64
    let isReadable: Bool
    let isWritable: Bool
    /// The connection is gone in both directions.
    let isGone: Bool
}

/// Waits for many descriptors at once, level-triggered: what was not dealt with is reported again.
protocol Poller: AnyObject {
    init() throws(SystemError)
    func add(_ descriptor: Int32, token: UInt64, for interest: Interest) throws(SystemError)
    func change(_ descriptor: Int32, token: UInt64, from former: Interest, to interest: Interest)
    func remove(_ descriptor: Int32, from former: Interest)

    /// Waits until something happens, a signal included.
    ///
    /// - Parameter milliseconds: how long at most; −1 waits for good.
    /// - Returns: how many events ``event(at:)`` has.
    func wait(milliseconds: Int32) -> Int
    func event(at index: Int) -> Event
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

/// Ends another thread's wait for events.
final class Waker: Sendable {
    private let reading: Descriptor
    #if canImport(Darwin)
        private let writing: Descriptor
    #endif

    /// What the poller watches for reading.
    var number: Int32 { reading.number }

    init() throws(SystemError) {
        #if canImport(Darwin)
            var ends: [Int32] = [-1, -1]
            _ = try retryingOnInterrupt { unsafe pipe(&ends) }
            reading = Descriptor(adopting: ends[0])
            writing = Descriptor(adopting: ends[1])
            for end in ends {
                _ = unsafe fcntl(end, F_SETFL, O_NONBLOCK)
                _ = unsafe fcntl(end, F_SETFD, FD_CLOEXEC)
            }
        #else
            reading = Descriptor(
                adopting: try retryingOnInterrupt { eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC)) })
        #endif
    }

    /// From any thread. A full pipe or counter means that the wake-up is already on its way.
    func wake() {
        #if canImport(Darwin)
            var one: UInt8 = 1
            _ = unsafe write(writing.number, &one, 1)
        #else
            var one: UInt64 = 1
            _ = unsafe write(reading.number, &one, 8)
        #endif
    }

    /// Makes ready for the next wake-up.
    func clear() {
        var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        _ = unsafe read(reading.number, &bytes, 32)
    }
}
