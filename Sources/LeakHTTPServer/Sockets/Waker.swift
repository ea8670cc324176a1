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
