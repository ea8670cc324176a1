internal import CLeakBrotliEncoder

/// The brotli encoder of libbrotli, which senders use.
public enum BrotliEncoding {
    /// Returns one brotli stream, RFC 7932.
    ///
    /// - Parameters:
    ///   - quality: 0 is fastest, 11 is smallest.
    ///   - windowBits: the history has 2 to that power bytes, 10 to 24. With `isLarge` up to 30, which is outside of RFC 7932.
    public static func compress(
        _ bytes: [UInt8], quality: Int = 5, windowBits: Int = 22, isLarge: Bool = false
    ) -> [UInt8] {
        let encoder = unsafe BrotliEncoderCreateInstance(nil, nil, nil)
        defer { unsafe BrotliEncoderDestroyInstance(encoder) }
        unsafe BrotliEncoderSetParameter(encoder, BROTLI_PARAM_QUALITY, UInt32(quality))
        unsafe BrotliEncoderSetParameter(encoder, BROTLI_PARAM_LARGE_WINDOW, isLarge ? 1 : 0)
        unsafe BrotliEncoderSetParameter(encoder, BROTLI_PARAM_LGWIN, UInt32(windowBits))
        let bound = bytes.count + bytes.count / 64 + 1024
        return unsafe bytes.withUnsafeBufferPointer { input in
            unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                var (left, room) = (input.count, bound)
                var (next, end) = (input.baseAddress, output.baseAddress)
                let isDone = unsafe BrotliEncoderCompressStream(
                    encoder, BROTLI_OPERATION_FINISH, &left, &next, &room, &end, nil)
                precondition(isDone != 0 && left == 0 && room > 0, "libbrotli did not finish a stream")
                count = bound - room
            }
        }
    }
}
