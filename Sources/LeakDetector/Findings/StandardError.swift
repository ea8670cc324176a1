#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Where a process says what nobody asked for.
enum StandardError {
    /// Writes a line, as far as that is possible.
    static func write(_ text: String) {
        var bytes = Array("LeakDetector: \(text)\n".utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe put(2, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(count, 0))
        }
    }

    private static func put(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
            unsafe Darwin.write(file, bytes, count)
        #else
            unsafe Glibc.write(file, bytes, count)
        #endif
    }
}
