// Only this folder calls zlib.
internal import CLeakZlib

/// The gzip format, RFC 1952.
public enum Gzip {
    /// Compresses `bytes` into one gzip member without a name or a time, so that equal bytes give equal
    /// results.
    ///
    /// - Parameter level: 1 is the fastest, 9 gives the smallest result; other values are limited to that range.
    public static func deflate(_ bytes: [UInt8], level: Int = 6) -> [UInt8] {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        defer { unsafe stream.deallocate() }
        let opened = unsafe deflateInit2_(
            stream, Int32(min(max(level, 1), 9)), Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(opened == Z_OK, "zlib has no memory for a deflate stream (code \(opened))")
        defer { unsafe deflateEnd(stream) }

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

    /// The base-2 logarithm of 32 KiB, the format's longest history. Adding 16 selects the gzip format.
    static let windowBits = MAX_WBITS + 16
    /// The memory level that zlib uses by default.
    private static let memoryLevel: Int32 = 8
}
