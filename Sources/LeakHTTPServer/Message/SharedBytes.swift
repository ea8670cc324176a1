/// Immutable bytes with shared ownership.
///
/// Passing on a body in this form makes no copy. The value retains the whole buffer in which the bytes were received, in most
/// cases 16 KiB to 1 MiB. It suits a response or work on another thread; keep a ``copy()`` instead if the bytes are needed for
/// long.
@safe
public struct SharedBytes: @unchecked Sendable {
    // `@unchecked` is safe: a shared buffer is not written to before its last reference was released.
    private let owner: Buffer?
    private let bytes: UnsafeBufferPointer<UInt8>

    /// - Parameter bytes: bytes in `owner`, or no bytes.
    @unsafe
    init(_ bytes: UnsafeBufferPointer<UInt8>, of owner: Buffer?) {
        owner?.share()
        self.owner = owner
        unsafe self.bytes = unsafe bytes
    }

    /// The number of bytes.
    public var count: Int { unsafe bytes.count }

    /// Returns a copy, for keeping the bytes.
    public func copy() -> [UInt8] { unsafe withPointer { unsafe Array($0) } }

    /// Calls `read` with the bytes.
    public func withBytes<Result, Failure: Error>(
        _ read: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(owner) {} }
        return try read(unsafe bytes.span)
    }

    /// Calls `read` with the bytes, for system calls.
    @unsafe
    func withPointer<Result, Failure: Error>(
        _ read: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(owner) {} }
        return try unsafe read(bytes)
    }
}
