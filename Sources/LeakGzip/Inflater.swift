internal import CLeakZlib

/// A decompressor of one gzip member, or of one stream of `deflate`, that arrives in pieces. Its ``limits`` stop a
/// decompression bomb.
///
/// After ``reset(_:)``, it inflates the next member or stream without allocating memory again.
@safe
public struct Inflater: ~Copyable {
    /// Limits for input from an untrusted sender.
    public struct Limits: Hashable, Sendable {
        /// Maximum number of bytes of output. 16 MiB by default.
        public var outputBytes: Int
        /// Maximum number of bytes of output per byte of input. Text in JSON reaches 20; a decompression bomb of zeros reaches
        /// 1029.
        public var ratio: Int
        /// The number of bytes of output up to which ``ratio`` does not apply. A short text that repeats one word has a high
        /// ratio and is not an attack.
        public var bytesBeforeRatio: Int

        public init(outputBytes: Int = 16 << 20, ratio: Int = 200, bytesBeforeRatio: Int = 64 << 10) {
            self.outputBytes = outputBytes
            self.ratio = ratio
            self.bytesBeforeRatio = bytesBeforeRatio
        }
    }

    /// The format around the compressed blocks of RFC 1951.
    public enum Format: Hashable, Sendable {
        /// One member of RFC 1952.
        case gzip
        /// HTTP's `deflate`: the zlib format of RFC 1950 or, from some senders, the blocks alone, which carry no checksum. RFC
        /// 9110 §8.4.1.2. The first byte distinguishes the two: in zlib's header, its lower four bits are 8. As the start of a
        /// block, such a byte would mean a stored block that is not the last block, with a padding bit set that encoders leave 0.
        case deflate
    }

    private enum State { case reading, finished, failed }

    private let stream: UnsafeMutablePointer<z_stream>
    private let isOpen: Bool
    private var format: Format
    private var state = State.reading
    private var expansion: ExpansionLimiter

    public var limits: Limits { expansion.limits }

    public init(limits: Limits = Limits(), format: Format = .gzip) {
        self.format = format
        expansion = ExpansionLimiter(limits: limits)
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let code = unsafe inflateInit2_(
            stream, Self.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        isOpen = code == Z_OK
    }

    deinit {
        if isOpen { unsafe inflateEnd(stream) }
        unsafe stream.deallocate()
    }

    /// Prepares for another member or stream.
    public mutating func reset(_ format: Format = .gzip) {
        if isOpen { unsafe inflateReset2(stream, Self.windowBits) }
        self.format = format
        state = .reading
        expansion = ExpansionLimiter(limits: limits)
    }

    /// Inflates the next `bytes` and appends the result to `output`.
    ///
    /// - Throws: ``InflateError``. After an error, call ``reset(_:)`` before more bytes are inflated.
    public mutating func inflate(_ bytes: [UInt8], into output: inout [UInt8]) throws(InflateError) {
        let result = unsafe bytes.withUnsafeBufferPointer { input -> Result<Void, InflateError> in
            do throws(InflateError) {
                try unsafe inflate(input) { unsafe output.append(contentsOf: $0) }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Inflates the next `bytes` and passes the result to `output`, piece by piece. The pieces are valid only during the call.
    ///
    /// - Throws: ``InflateError``. After an error, call ``reset(_:)`` before more bytes are inflated.
    @unsafe
    public mutating func inflate(
        _ bytes: UnsafeBufferPointer<UInt8>, output: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(InflateError) {
        guard isOpen else { throw .outOfMemory }
        guard !bytes.isEmpty else { return }
        guard state == .reading else { throw state == .finished ? .trailingBytes : .malformed }
        if format == .deflate, expansion.bytesIn == 0, let first = unsafe bytes.first {
            unsafe inflateReset2(stream, first & 0x0F == Self.zlibMark ? MAX_WBITS : -MAX_WBITS)
        }
        do throws(InflateError) {
            try unsafe decompress(bytes, output: output)
        } catch {
            state = .failed
            throw error
        }
    }

    /// Ends the input: no more bytes come.
    ///
    /// - Throws: ``InflateError/truncated`` if the member or stream is not complete, ``InflateError/malformed`` after an error.
    public mutating func finish() throws(InflateError) {
        guard state == .finished else { throw state == .reading ? .truncated : .malformed }
    }

    @unsafe
    private mutating func decompress(
        _ bytes: UnsafeBufferPointer<UInt8>, output: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(InflateError) {
        var next = 0
        var failure: InflateError?
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.maxPieceBytes) { piece in
            repeat {
                let offered = min(bytes.count - next, Int(Int32.max))
                unsafe stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: bytes.baseAddress?.advanced(by: next))
                unsafe stream.pointee.avail_in = uInt(offered)
                unsafe stream.pointee.next_out = piece.baseAddress
                unsafe stream.pointee.avail_out = uInt(Self.maxPieceBytes)
                let code = unsafe CLeakZlib.inflate(stream, Z_NO_FLUSH)
                let consumedBytes = offered - Int(unsafe stream.pointee.avail_in)
                let producedBytes = Self.maxPieceBytes - Int(unsafe stream.pointee.avail_out)
                next += consumedBytes
                do throws(InflateError) {
                    try expansion.count(in: consumedBytes, out: producedBytes)
                    try throwIfFailed(code)
                } catch {
                    failure = error
                    return
                }
                if producedBytes > 0 { unsafe output(UnsafeBufferPointer(rebasing: piece[..<producedBytes])) }
                if code == Z_STREAM_END {
                    state = .finished
                    if next < bytes.count { failure = .trailingBytes }
                    return
                }
                // If the piece is full, zlib may still hold output although it has consumed all input.
                if producedBytes < Self.maxPieceBytes && next == bytes.count { return }
            } while true
        }
        if let failure { throw failure }
    }

    /// Throws if a step of zlib failed. `Z_BUF_ERROR` only means that zlib needs more input.
    private func throwIfFailed(_ code: Int32) throws(InflateError) {
        switch code {
        case Z_OK, Z_STREAM_END, Z_BUF_ERROR: return
        case Z_MEM_ERROR: throw .outOfMemory
        default:
            // Only the text of the message distinguishes a wrong checksum or length from other damage.
            guard let message = unsafe stream.pointee.msg else { throw .malformed }
            let text = unsafe String(cString: message)
            throw text == "incorrect data check" || text == "incorrect length check"
                ? .badChecksum : .malformed
        }
    }

    /// zlib's `windowBits` for the gzip format with its largest window, 32 KiB.
    private static let windowBits = MAX_WBITS + Deflater.gzipFormat
    /// The compression method in the low half of zlib's first byte: deflate. RFC 1950 §2.2.
    private static let zlibMark: UInt8 = 8
    /// Maximum number of bytes inflated at a time, in a buffer on the stack.
    private static let maxPieceBytes = 16 << 10
}

/// The reason why compressed bytes cannot be inflated.
public enum InflateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end before the stream does.
    case truncated
    /// The checksum or the length at the end does not match the output. RFC 1952 §2.3.1, RFC 1950 §2.2.
    case badChecksum
    /// Bytes follow the stream. A second gzip member is also rejected, because no sender of this package writes a second member.
    case trailingBytes
    /// The bytes are not of this format, or are damaged.
    case malformed
    /// The output exceeds ``Inflater/Limits/outputBytes``, or ``Inflater/Limits/ratio`` per byte of input.
    case tooLarge
    /// The system has no memory for the decompressor.
    case outOfMemory

    public var description: String {
        switch self {
        case .truncated: "the compressed data ends too early"
        case .badChecksum: "the checksum of the compressed data does not match"
        case .trailingBytes: "more bytes follow the compressed data"
        case .malformed: "the compressed data is damaged"
        case .tooLarge: "the decompressed data is too long"
        case .outOfMemory: "no memory is left to inflate the compressed data"
        }
    }
}

/// A counter of the input and output of a decompressor that throws when a limit is exceeded.
package struct ExpansionLimiter: Sendable {
    package let limits: Inflater.Limits
    package private(set) var bytesIn = 0
    package private(set) var bytesOut = 0

    package init(limits: Inflater.Limits) { self.limits = limits }

    /// Counts the input and output of one step.
    ///
    /// - Throws: ``InflateError/tooLarge``.
    package mutating func count(in consumedBytes: Int, out producedBytes: Int) throws(InflateError) {
        bytesIn += consumedBytes
        bytesOut += producedBytes
        if bytesOut > limits.outputBytes { throw .tooLarge }
        if bytesOut > limits.bytesBeforeRatio && bytesOut / max(limits.ratio, 1) > bytesIn {
            throw .tooLarge
        }
    }
}
