#if canImport(Darwin)
    import Darwin
#else
    import CLinux
    import Glibc
#endif

/// Wakes a loop that waits, from any thread: eventfd on Linux, a pipe on Darwin.
struct Alarm: ~Copyable, Sendable {
    private let reading: Int32
    private let writing: Int32

    init() throws(Errno) {
        #if canImport(Darwin)
            var ends: (Int32, Int32) = (0, 0)
            _ = try retryingOnInterrupt {
                unsafe withUnsafeMutablePointer(to: &ends) {
                    unsafe $0.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe pipe($0) }
                }
            }
            (reading, writing) = ends
            for end in [reading, writing] {
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            }
        #else
            reading = try retryingOnInterrupt {
                eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
            }
            writing = reading
        #endif
    }

    deinit {
        close(reading)
        if writing != reading { close(writing) }
    }

    /// Becomes readable when it rings.
    var number: Int32 { reading }

    func ring() {
        var one: UInt64 = 1
        // A full counter or pipe rings already.
        _ = unsafe write(writing, &one, 8)
    }

    func silence() {
        var rung: UInt64 = 0
        while unsafe read(reading, &rung, 8) > 0 && writing != reading {}
    }
}
