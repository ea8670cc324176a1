// Only this folder calls libbrotli.
internal import CLeakBrotli
public import LeakGzip

/// A decompressor of one brotli stream (RFC 7932) that arrives in pieces. It applies the same limits as ``Inflater``.
///
/// It takes 5 KiB of memory and a copy of the recent output, which grows to at most 16 MiB: the largest distance to which the
/// format can refer back. Streams with a "large window" of more than 16 MiB, which are not RFC 7932, are rejected.
@safe
public struct BrotliInflater: ~Copyable {
    private enum State { case reading, finished, failed }

    private let decoder: OpaquePointer?
    private var state = State.reading
    private var expansion: ExpansionLimiter

    public init(limits: Inflater.Limits = .init()) {
        expansion = ExpansionLimiter(limits: limits)
        unsafe decoder = BrotliDecoderCreateInstance(nil, nil, nil)
    }

    deinit { unsafe BrotliDecoderDestroyInstance(decoder) }

    /// Inflates the next `bytes` and appends the result to `output`.
    ///
    /// - Throws: ``InflateError``. After an error, no more bytes can be inflated.
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
    /// - Throws: ``InflateError``. After an error, no more bytes can be inflated.
    @unsafe
    public mutating func inflate(
        _ bytes: UnsafeBufferPointer<UInt8>, output: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(InflateError) {
        guard unsafe decoder != nil else { throw .outOfMemory }
        guard !bytes.isEmpty else { return }
        guard state == .reading else { throw state == .finished ? .trailingBytes : .malformed }
        do throws(InflateError) {
            try unsafe decompress(bytes, output: output)
        } catch {
            state = .failed
            throw error
        }
    }

    /// Ends the input: no more bytes come.
    ///
    /// - Throws: ``InflateError/truncated`` if the stream is not complete, ``InflateError/malformed`` after an error.
    public mutating func finish() throws(InflateError) {
        guard state == .finished else { throw state == .reading ? .truncated : .malformed }
    }

    @unsafe
    private mutating func decompress(
        _ bytes: UnsafeBufferPointer<UInt8>, output: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(InflateError) {
        var next = bytes.baseAddress
        var left = bytes.count
        var failure: InflateError?
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.maxPieceBytes) { piece in
            repeat {
                let offered = left
                var end = piece.baseAddress
                var room = Self.maxPieceBytes
                let result = unsafe BrotliDecoderDecompressStream(decoder, &left, &next, &room, &end, nil)
                let producedBytes = Self.maxPieceBytes - room
                do throws(InflateError) {
                    try expansion.count(in: offered - left, out: producedBytes)
                    guard result != BROTLI_DECODER_RESULT_ERROR else { throw decoderError }
                } catch {
                    failure = error
                    return
                }
                if producedBytes > 0 { unsafe output(UnsafeBufferPointer(rebasing: piece[..<producedBytes])) }
                if result == BROTLI_DECODER_RESULT_SUCCESS {
                    state = .finished
                    if left > 0 { failure = .trailingBytes }
                    return
                }
                if result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT { return }
            } while true
        }
        if let failure { throw failure }
    }

    /// The error that corresponds to libbrotli's error code. The codes `BROTLI_DECODER_ERROR_ALLOC_…` mean that memory ran out.
    private var decoderError: InflateError {
        let code = unsafe BrotliDecoderGetErrorCode(decoder).rawValue
        let (first, last) = (
            BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES, BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES
        )
        return (first.rawValue...last.rawValue).contains(code) ? .outOfMemory : .malformed
    }

    /// Maximum number of bytes inflated at a time, in a buffer on the stack.
    private static let maxPieceBytes = 16 << 10
}
