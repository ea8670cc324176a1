#if canImport(Darwin)
    internal import Darwin

    /// The poller of Darwin. kqueue(2)
    @safe
    final class Kqueue: Poller {
        private let descriptor: Descriptor
        private let events: UnsafeMutablePointer<kevent>

        init() throws(SystemError) {
            descriptor = Descriptor(adopting: try retryingOnInterrupt { kqueue() })
            unsafe events = .allocate(capacity: Int(Self.eventsPerWait))
        }

        deinit { unsafe events.deallocate() }

        func add(_ descriptor: Int32, token: UInt64, for interest: Interest) throws(SystemError) {
            if interest.contains(.read) {
                try set(descriptor, filter: EVFILT_READ, action: EV_ADD, token: token)
            }
            if interest.contains(.write) {
                try set(descriptor, filter: EVFILT_WRITE, action: EV_ADD, token: token)
            }
        }

        func change(_ descriptor: Int32, token: UInt64, from oldInterest: Interest, to interest: Interest) {
            for (kind, filter) in [(Interest.read, EVFILT_READ), (.write, EVFILT_WRITE)]
            where oldInterest.contains(kind) != interest.contains(kind) {
                try? set(
                    descriptor, filter: filter, action: interest.contains(kind) ? EV_ADD : EV_DELETE,
                    token: token)
            }
        }

        func remove(_ descriptor: Int32, from oldInterest: Interest) {
            change(descriptor, token: 0, from: oldInterest, to: [])
        }

        func wait(milliseconds: Int32) -> Int {
            var timeout = timespec(
                tv_sec: Int(milliseconds) / 1000, tv_nsec: Int(milliseconds) % 1000 * 1_000_000)
            let count =
                milliseconds < 0
                ? unsafe kevent(descriptor.number, nil, 0, events, Self.eventsPerWait, nil)
                : unsafe kevent(descriptor.number, nil, 0, events, Self.eventsPerWait, &timeout)
            return Int(max(0, count))
        }

        func event(at index: Int) -> SocketEvent {
            let event = unsafe events[index]
            let isReading = unsafe event.filter == Int16(EVFILT_READ)
            return SocketEvent(
                token: UInt64(UInt(bitPattern: unsafe event.udata)), isReadable: isReading,
                isWritable: !isReading,
                isGone: unsafe !isReading && event.flags & UInt16(EV_EOF) != 0)
        }

        private func set(_ descriptor: Int32, filter: Int32, action: Int32, token: UInt64)
            throws(SystemError)
        {
            var change = unsafe kevent(
                ident: UInt(descriptor), filter: Int16(filter), flags: UInt16(action), fflags: 0, data: 0,
                udata: UnsafeMutableRawPointer(bitPattern: UInt(token)))
            _ = try retryingOnInterrupt { unsafe kevent(self.descriptor.number, &change, 1, nil, 0, nil) }
        }

        private static let eventsPerWait: Int32 = 256
    }
#endif
