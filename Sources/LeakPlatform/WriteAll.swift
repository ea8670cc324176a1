#if canImport(Darwin)
    internal import Darwin
    private let systemWrite = unsafe Darwin.write
#else
    internal import Glibc
    private let systemWrite = unsafe Glibc.write
#endif

/// Writes bytes to a file descriptor, in as many pieces as the system needs.
///
/// - Returns: the number of written bytes. If it is smaller than the number of bytes, `errno` gives the reason.
public func writeAll(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Int {
    let bytes = Array(bytes)
    return unsafe bytes.withUnsafeBytes { buffer in
        var written = 0
        while written < buffer.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
            let count = unsafe systemWrite(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        return written
    }
}
