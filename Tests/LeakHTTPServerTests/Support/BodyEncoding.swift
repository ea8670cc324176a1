import LeakBrotliEncoding
import LeakGzip

/// The content codings of a request body. Tests run for each of them.
enum BodyEncoding: CaseIterable {
    case gzip, zlib, rawDeflate, brotli

    /// The name of the coding in `Content-Encoding`.
    var name: String {
        switch self {
        case .gzip: "gzip"
        case .zlib, .rawDeflate: "deflate"
        case .brotli: "br"
        }
    }

    func pack(_ bytes: [UInt8]) -> [UInt8] {
        // Removes ten bytes of header and eight of trailer; the blocks between them are common to gzip and both forms of
        // deflate.
        let blocks = { Gzip.deflate(bytes, level: 9).dropFirst(10).dropLast(8) }
        return switch self {
        case .gzip: Gzip.deflate(bytes, level: 9)
        case .zlib: [0x78, 0xDA] + blocks() + Self.adler32(bytes)
        case .rawDeflate: Array(blocks())
        case .brotli: BrotliEncoding.compress(bytes)
        }
    }

    /// Returns the checksum of the zlib format. RFC 1950 §9.
    private static func adler32(_ bytes: [UInt8]) -> [UInt8] {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return unsafe withUnsafeBytes(of: (high << 16 | low).bigEndian) { unsafe Array($0) }
    }
}
