import LeakCollector

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The lines of a file, one after another.
struct LineReader: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private var buffer: [UInt8] = []
    /// Index of the first byte in ``buffer`` that was not returned yet.
    private var start = 0
    private var isAtEnd = false

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Opens a file.
    ///
    /// - Parameter path: `-` for standard input.
    init(_ path: String) throws(Failure) {
        let number = unsafe path == "-" ? dup(0) : open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else {
            throw Failure(description: "\(path) cannot be opened: \(unsafe String(cString: strerror(errno)))")
        }
        descriptor = number
        self.path = path
    }

    deinit { close(descriptor) }

    /// Returns the next line without its end; `nil` at the end of the file. A line longer than ``Import/maxLineBytes`` is cut
    /// to one byte more than this limit, so that it is recognized as too long.
    mutating func next() throws(Failure) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                append(buffer[start..<end], to: &line)
                start = end + 1
                return line
            }
            append(buffer[start...], to: &line)
            let hasMore = start < buffer.count
            (buffer, start) = ([], 0)
            if isAtEnd { return line.isEmpty && !hasMore ? nil : line }
            try fill()
        }
    }

    private func append(_ bytes: ArraySlice<UInt8>, to line: inout [UInt8]) {
        line += bytes.prefix(Import.maxLineBytes + 1 - line.count)
    }

    private mutating func fill() throws(Failure) {
        let size = 1 << 18
        var count = 0
        repeat {
            buffer = unsafe [UInt8](unsafeUninitializedCapacity: size) { bytes, filled in
                count = unsafe read(descriptor, bytes.baseAddress, size)
                filled = max(0, count)
            }
        } while count < 0 && errno == EINTR
        guard count >= 0 else {
            throw Failure(description: "\(path) cannot be read: \(unsafe String(cString: strerror(errno)))")
        }
        isAtEnd = count == 0
    }
}
