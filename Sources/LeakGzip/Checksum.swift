internal import CLeakZlib

/// The checksum of the gzip format, which the package also uses to detect damage of other data.
public enum Checksum {
    /// Returns the CRC-32 of RFC 1952 §8, which detects every burst error of up to 32 bits, and misses one in 2³² of all other
    /// errors.
    ///
    /// - Parameter start: the checksum of the bytes before `bytes`.
    public static func crc32(_ bytes: ArraySlice<UInt8>, after start: UInt32 = 0) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var sum = uLong(start)
            var read = 0
            // The lengths of zlib have 32 bits, so longer input is passed in pieces.
            while read < buffer.count {
                let count = min(buffer.count - read, Int(Int32.max))
                sum = unsafe CLeakZlib.crc32(sum, buffer.baseAddress?.advanced(by: read), uInt(count))
                read += count
            }
            return UInt32(truncatingIfNeeded: sum)
        }
    }
}
