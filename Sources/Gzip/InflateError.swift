/// Why compressed bytes could not be read.
public enum InflateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end before the member does.
    case truncated
    /// The checksum or the length at the end does not fit what came out. RFC 1952 §2.3.1.
    case badChecksum
    /// Something follows the member; a second member counts, since no sender of ours makes one.
    case trailingBytes
    /// Not gzip, or damaged inside.
    case malformed
    /// More comes out than ``Inflater/Limits/outputBytes``, or more per byte read than
    /// ``Inflater/Limits/ratio``.
    case tooLarge
    /// The system has no memory for the 40 KiB that inflating takes.
    case outOfMemory

    public var description: String {
        switch self {
        case .truncated: "the gzip data ends too early"
        case .badChecksum: "the gzip checksum does not fit"
        case .trailingBytes: "something follows the gzip data"
        case .malformed: "the gzip data is damaged"
        case .tooLarge: "the gzip data inflates to more than is taken"
        case .outOfMemory: "no memory is left to inflate the gzip data"
        }
    }
}
