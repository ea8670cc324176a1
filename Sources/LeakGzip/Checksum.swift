internal import CLeakZlib

/// The checksum of the gzip format, for whatever else wants to know whether bytes are still what they were.
public enum Checksum {
    /// CRC-32 as in RFC 1952 §8: finds each burst of damage of up to 32 bits, and of others all but one in 2³².
    ///
    /// - Parameter start: the checksum of what stands before `bytes`.
    public static func crc32(_ bytes: ArraySlice<UInt8>, after start: UInt32 = 0) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var sum = uLong(start)
            var read = 0
            // zlib counts in 32 bits.
            while read < buffer.count {
                let count = min(buffer.count - read, Int(Int32.max))
                sum = unsafe CLeakZlib.crc32(sum, buffer.baseAddress?.advanced(by: read), uInt(count))
                read += count
            }
            return UInt32(truncatingIfNeeded: sum)
        }
    }
}
