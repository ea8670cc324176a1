/// The gzip format, RFC 1952.
public enum Gzip {
    /// Compresses `bytes` into one gzip member without a name or a time, so that equal bytes give equal
    /// results.
    ///
    /// - Parameter level: 1 is the fastest, 9 gives the smallest result; other values are limited to that range.
    public static func deflate(_ bytes: [UInt8], level: Int = 6) -> [UInt8] {
        var deflater = Deflater(level: level)
        return deflater.deflate(bytes)
    }
}
