#if os(Linux)
    internal import CLeakLinux
    internal import Glibc

    /// The poller of Linux. epoll(7)
    @safe
    final class Epoll: Poller {
        private let descriptor: Descriptor
        private let events: UnsafeMutablePointer<epoll_event>

        init() throws(SystemError) {
            descriptor = Descriptor(adopting: try retryingOnInterrupt { epoll_create1(Int32(EPOLL_CLOEXEC)) })
            unsafe events = .allocate(capacity: Int(Self.eventsPerWait))
        }

        deinit { unsafe events.deallocate() }

        func add(_ descriptor: Int32, token: UInt64, for interest: Interest) throws(SystemError) {
            var event = unsafe Self.event(token, interest)
            _ = try retryingOnInterrupt {
                unsafe epoll_ctl(self.descriptor.number, EPOLL_CTL_ADD, descriptor, &event)
            }
        }

        func change(_ descriptor: Int32, token: UInt64, from oldInterest: Interest, to interest: Interest) {
            var event = unsafe Self.event(token, interest)
            _ = unsafe epoll_ctl(self.descriptor.number, EPOLL_CTL_MOD, descriptor, &event)
        }

        func remove(_ descriptor: Int32, from oldInterest: Interest) {
            var event = unsafe epoll_event()
            _ = unsafe epoll_ctl(self.descriptor.number, EPOLL_CTL_DEL, descriptor, &event)
        }

        func wait(milliseconds: Int32) -> Int {
            Int(max(0, unsafe epoll_wait(descriptor.number, events, Self.eventsPerWait, milliseconds)))
        }

        func event(at index: Int) -> SocketEvent {
            let event = unsafe events[index]
            let set = unsafe event.events
            return SocketEvent(
                token: unsafe event.data.u64,
                isReadable: set & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0,
                isWritable: set & EPOLLOUT.rawValue != 0,
                isGone: set & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0)
        }

        private static func event(_ token: UInt64, _ interest: Interest) -> epoll_event {
            var event = unsafe epoll_event()
            if interest.contains(.read) { unsafe event.events |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
            if interest.contains(.write) { unsafe event.events |= EPOLLOUT.rawValue }
            unsafe event.data.u64 = token
            return unsafe event
        }

        private static let eventsPerWait: Int32 = 256
    }
#endif
