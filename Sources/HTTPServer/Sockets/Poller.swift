#if canImport(Darwin)
    import Darwin
#else
    import CLinux
    import Glibc
#endif

/// What a loop wants to know about a socket.
struct Interest: OptionSet, Hashable {
    let rawValue: UInt8
    static let readable = Interest(rawValue: 1)
    static let writable = Interest(rawValue: 2)
}

/// What happened at a socket.
struct Readiness {
    /// Given with ``Poller/add(_:token:interest:)``.
    var token: UInt64
    var isReadable: Bool
    var isWritable: Bool
    /// The connection is gone in both directions.
    var isBroken: Bool
}

/// Waits for many sockets at once: epoll on Linux, kqueue on Darwin, both level-triggered.
///
/// Darwin's part has been read against its manual and compiled by nobody yet.
struct Poller: ~Copyable {
    private let descriptor: Descriptor
    /// Events taken in one call.
    private static let batch = 256

    init() throws(Errno) {
        #if canImport(Darwin)
            descriptor = Descriptor(adopting: try retryingOnInterrupt { kqueue() })
        #else
            descriptor = Descriptor(adopting: try retryingOnInterrupt { epoll_create1(Int32(EPOLL_CLOEXEC)) })
        #endif
    }

    #if canImport(Darwin)
        func add(_ socket: Int32, token: UInt64, interest: Interest) throws(Errno) {
            try change(socket, token, interest)
        }

        func modify(_ socket: Int32, token: UInt64, interest: Interest) throws(Errno) {
            try change(socket, token, interest)
        }

        private func change(_ socket: Int32, _ token: UInt64, _ interest: Interest) throws(Errno) {
            for (filter, wanted) in [(EVFILT_READ, Interest.readable), (EVFILT_WRITE, .writable)] {
                var event = unsafe kevent()
                unsafe event.ident = UInt(socket)
                unsafe event.filter = Int16(filter)
                unsafe event.flags = UInt16(EV_ADD | (interest.contains(wanted) ? EV_ENABLE : EV_DISABLE))
                unsafe event.udata = UnsafeMutableRawPointer(bitPattern: UInt(token))
                _ = try retryingOnInterrupt { unsafe kevent(descriptor.number, &event, 1, nil, 0, nil) }
            }
        }

        /// Closing a socket removes it.
        func remove(_ socket: Int32) {}

        func wait(milliseconds: Int32, into events: inout [Readiness]) {
            events.removeAll(keepingCapacity: true)
            var timeout = timespec(
                tv_sec: Int(milliseconds) / 1000, tv_nsec: Int(milliseconds) % 1000 * 1_000_000)
            unsafe withUnsafeTemporaryAllocation(of: kevent.self, capacity: Self.batch) { buffer in
                let count = unsafe kevent(
                    descriptor.number, nil, 0, buffer.baseAddress, Int32(Self.batch), &timeout)
                for index in 0..<max(0, Int(count)) {
                    let event = unsafe buffer[index]
                    let isRead = unsafe event.filter == Int16(EVFILT_READ)
                    events.append(
                        Readiness(
                            token: UInt64(UInt(bitPattern: unsafe event.udata)), isReadable: isRead,
                            isWritable: !isRead, isBroken: unsafe event.flags & UInt16(EV_ERROR) != 0))
                }
            }
        }
    #else
        func add(_ socket: Int32, token: UInt64, interest: Interest) throws(Errno) {
            try control(EPOLL_CTL_ADD, socket, token, interest)
        }

        func modify(_ socket: Int32, token: UInt64, interest: Interest) throws(Errno) {
            try control(EPOLL_CTL_MOD, socket, token, interest)
        }

        func remove(_ socket: Int32) {
            _ = unsafe epoll_ctl(descriptor.number, EPOLL_CTL_DEL, socket, nil)
        }

        private func control(
            _ operation: Int32, _ socket: Int32, _ token: UInt64, _ interest: Interest
        ) throws(Errno) {
            var event = epoll_event()
            if interest.contains(.readable) { event.events |= EPOLLIN.rawValue }
            if interest.contains(.writable) { event.events |= EPOLLOUT.rawValue }
            event.data.u64 = token
            _ = try retryingOnInterrupt { unsafe epoll_ctl(descriptor.number, operation, socket, &event) }
        }

        /// Waits until something happens or the time is up.
        func wait(milliseconds: Int32, into events: inout [Readiness]) {
            events.removeAll(keepingCapacity: true)
            unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.batch) { buffer in
                // An interrupted wait is an empty one: the loop comes back at once.
                let count = unsafe epoll_wait(
                    descriptor.number, buffer.baseAddress, Int32(Self.batch), milliseconds)
                for index in 0..<max(0, Int(count)) {
                    let event = unsafe buffer[index]
                    events.append(
                        Readiness(
                            token: event.data.u64, isReadable: event.events & EPOLLIN.rawValue != 0,
                            isWritable: event.events & EPOLLOUT.rawValue != 0,
                            isBroken: event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0))
                }
            }
        }
    #endif
}
