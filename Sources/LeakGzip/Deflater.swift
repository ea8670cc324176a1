// Only this folder calls zlib.
internal import CLeakZlib

/// A compressor into gzip members. It keeps its memory from one member to the next.
@safe
public struct Deflater: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameters:
    ///   - level: 1 is the fastest, 9 gives the smallest result; other values are limited to that range.
    ///   - historyBits: the base-2 logarithm of the size in bytes of the window in which repetitions are found, 9 to 15; other
    ///     values are limited to that range. The compressor needs eight times the memory of the window. A small window is
    ///     faster, because it stays in the processor's cache.
    public init(level: Int = 6, historyBits: Int = 15) {
        let bits = Int32(min(max(historyBits, 9), 15))
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let opened = unsafe deflateInit2_(
            stream, Int32(min(max(level, 1), 9)), Z_DEFLATED, bits + Self.gzipFormat,
            bits - Self.bitsAboveMemoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(opened == Z_OK, "zlib has no memory for a deflate stream (code \(opened))")
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Compresses `bytes` into one gzip member without a name or a time.
    public mutating func deflate(_ bytes: [UInt8]) -> [UInt8] {
        unsafe deflateReset(stream)
        let bound = unsafe Int(deflateBound(stream, uLong(bytes.count)))
        return unsafe bytes.withUnsafeBufferPointer { input in
            unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                // The lengths of zlib have 32 bits, so longer input is passed in pieces.
                var read = 0
                var result = Z_OK
                while result == Z_OK {
                    let piece = min(input.count - read, Int(Int32.max))
                    let isLast = read + piece == input.count
                    unsafe stream.pointee.next_in = UnsafeMutablePointer(
                        mutating: input.baseAddress?.advanced(by: read))
                    unsafe stream.pointee.avail_in = uInt(piece)
                    unsafe stream.pointee.next_out = output.baseAddress?.advanced(by: count)
                    let room = min(bound - count, Int(UInt32.max))
                    unsafe stream.pointee.avail_out = uInt(room)
                    result = unsafe CLeakZlib.deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    read += piece - Int(unsafe stream.pointee.avail_in)
                    count += room - Int(unsafe stream.pointee.avail_out)
                }
                // `deflateBound` guarantees that the output fits into the buffer.
                precondition(result == Z_STREAM_END, "zlib did not finish a deflate stream (code \(result))")
            }
        }
    }

    /// Added to zlib's `windowBits`, so that the output is in gzip format.
    static let gzipFormat: Int32 = 16
    /// The difference between zlib's default window of 15 bits and its default memory level, 8. Smaller windows use the same
    /// difference.
    private static let bitsAboveMemoryLevel: Int32 = 7
}
