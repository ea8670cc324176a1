/// Bytes that nobody changes and that live as long as somebody holds them.
///
/// A body passed on as these is not copied. They hold on to the whole buffer that the bytes came in, 16 KiB to
/// a mebibyte: right for an answer or another thread's work, wrong for what is kept for long.
@safe
public struct SharedBytes: @unchecked Sendable {
    // Unchecked: a buffer that was shared is not written to before its last holder has let go.
    private let owner: Buffer?
    private let bytes: UnsafeBufferPointer<UInt8>

    /// - Parameter bytes: in `owner`, or none.
    @unsafe
    init(_ bytes: UnsafeBufferPointer<UInt8>, of owner: Buffer?) {
        owner?.share()
        self.owner = owner
        unsafe self.bytes = unsafe bytes
    }

    public var count: Int { unsafe bytes.count }

    /// A copy: for what is kept.
    public func copy() -> [UInt8] { unsafe withPointer { unsafe Array($0) } }

    /// Lends the bytes.
    public func withBytes<Result, Failure: Error>(
        _ read: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(owner) {} }
        return try read(unsafe bytes.span)
    }

    /// Lends the bytes to calls of the system.
    @unsafe
    func withPointer<Result, Failure: Error>(
        _ read: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(owner) {} }
        return try unsafe read(bytes)
    }
}
