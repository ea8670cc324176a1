import LeakBrotliEncoding
import LeakGzip

/// Content codings of a request body. Tests of one content coding run for all.
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
        // Ten bytes of header, eight of trailer, and the blocks that are common to all three.
        let blocks = { Gzip.deflate(bytes, level: 9).dropFirst(10).dropLast(8) }
        return switch self {
        case .gzip: Gzip.deflate(bytes, level: 9)
        case .zlib: [0x78, 0xDA] + blocks() + Self.adler32(bytes)
        case .rawDeflate: Array(blocks())
        case .brotli: BrotliEncoding.compress(bytes)
        }
    }

    /// RFC 1950 §9.
    private static func adler32(_ bytes: [UInt8]) -> [UInt8] {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return unsafe withUnsafeBytes(of: (high << 16 | low).bigEndian) { unsafe Array($0) }
    }
}
