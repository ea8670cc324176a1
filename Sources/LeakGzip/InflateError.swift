/// Why compressed bytes could not be read.
public enum InflateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end before the stream does.
    case truncated
    /// The checksum or the length at the end does not fit what came out. RFC 1952 §2.3.1, RFC 1950 §2.2.
    case badChecksum
    /// Something follows the stream; a second gzip member counts, since no sender of ours makes one.
    case trailingBytes
    /// Not of this format, or damaged inside.
    case malformed
    /// More comes out than ``Inflater/Limits/outputBytes``, or more per byte read than
    /// ``Inflater/Limits/ratio``.
    case tooLarge
    /// The system has no memory for the history that decompressing looks back on.
    case outOfMemory

    public var description: String {
        switch self {
        case .truncated: "the compressed data ends too early"
        case .badChecksum: "the checksum of the compressed data does not fit"
        case .trailingBytes: "something follows the compressed data"
        case .malformed: "the compressed data is damaged"
        case .tooLarge: "the compressed data inflates to more than is taken"
        case .outOfMemory: "no memory is left to inflate the compressed data"
        }
    }
}
