// Sockets of clients, good and bad. None of the calls waits.

#if canImport(Darwin)
    import Darwin
    private let stream = SOCK_STREAM
    private let sendFlags: Int32 = 0
#else
    import Glibc
    private let stream = Int32(SOCK_STREAM.rawValue)
    private let sendFlags = Int32(MSG_NOSIGNAL)
#endif

/// Nanoseconds on the monotonic clock.
func nanoseconds() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// One connection to the server on 127.0.0.1.
final class ClientConnection {
    enum Outcome: Hashable {
        case bytes(Int)
        case nothingNow
        case ended
    }

    let descriptor: Int32

    /// - Parameter receiveBufferBytes: a small buffer makes a slow reader.
    /// - Returns: `nil` when the system gives no socket or the server does not listen.
    init?(port: Int, receiveBufferBytes: Int32? = nil) {
        descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var one: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        if var receiveBufferBytes {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBufferBytes, 4)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 || errno == EINPROGRESS else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }

    /// Makes the connection end with a reset.
    func resetAtEnd() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    func send(_ bytes: ArraySlice<UInt8>) -> Outcome {
        outcome(
            unsafe bytes.withUnsafeBytes { unsafe sendBytes(of: $0, to: descriptor, flags: sendFlags) })
    }

    func receive(into buffer: inout [UInt8], atMost count: Int) -> Outcome {
        outcome(unsafe recv(descriptor, &buffer, min(count, buffer.count), 0))
    }

    private func outcome(_ count: Int) -> Outcome {
        if count > 0 { return .bytes(count) }
        return count < 0 && (errno == EAGAIN || errno == ENOTCONN || errno == EINTR) ? .nothingNow : .ended
    }
}

private func sendBytes(of buffer: UnsafeRawBufferPointer, to descriptor: Int32, flags: Int32) -> Int {
    #if canImport(Darwin)
        unsafe Darwin.send(descriptor, buffer.baseAddress, buffer.count, flags)
    #else
        unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, flags)
    #endif
}
