/// The encoding of a body, RFC 9110 §8.4.1.
enum ContentEncoding: Hashable, Sendable {
    case identity
    /// RFC 1952.
    case gzip
    /// Either the zlib format of RFC 1950, or the data of RFC 1951 without the zlib header and checksum.
    case deflate
    /// RFC 7932.
    case brotli
    /// Another coding, or several codings in sequence.
    case unknown

    /// The codings that the server can decode, as a value of `Accept-Encoding`.
    static let supported = "gzip, deflate, br"

    /// Parses the whole value of `Content-Encoding`; an empty value is ``identity``.
    init(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) {
        self =
            switch value.count {
            case 0: .identity
            case 2 where FieldValidator.equal(bytes, in: value, to: "br"): .brotli
            case 4 where FieldValidator.equal(bytes, in: value, to: "gzip"): .gzip
            case 6 where FieldValidator.equal(bytes, in: value, to: "x-gzip"): .gzip
            case 7 where FieldValidator.equal(bytes, in: value, to: "deflate"): .deflate
            case 8 where FieldValidator.equal(bytes, in: value, to: "identity"): .identity
            default: .unknown
            }
    }
}
