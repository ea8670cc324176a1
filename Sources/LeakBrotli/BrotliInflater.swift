// The only folder that calls libbrotli.
internal import CLeakBrotli
public import LeakGzip

/// Reads one brotli stream, RFC 7932, that arrives in pieces, within the same bounds as gzip.
///
/// It holds 5 KiB and the stream's history, which grows with what comes out: up to 16 MiB, as much as the format lets a
/// stream look back. The longer history of "large window" streams, which are no RFC 7932, is refused.
@safe
public struct BrotliInflater: ~Copyable {
    private enum State { case reading, finished, failed }

    private let decoder: OpaquePointer?
    private var state = State.reading
    private var expansion: Expansion

    public init(limits: Inflater.Limits = .init()) {
        expansion = Expansion(limits: limits)
        unsafe decoder = BrotliDecoderCreateInstance(nil, nil, nil)
    }

    deinit { unsafe BrotliDecoderDestroyInstance(decoder) }

    /// Appends to `output` what the next `bytes` inflate to.
    ///
    /// - Throws: ``InflateError``; nothing more can be read then.
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

    /// Hands to `take`, piece by piece, what the next `bytes` inflate to. The pieces are lent for the call.
    ///
    /// - Throws: ``InflateError``; nothing more can be read then.
    @unsafe
    public mutating func inflate(
        _ bytes: UnsafeBufferPointer<UInt8>, take: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(InflateError) {
        guard unsafe decoder != nil else { throw .outOfMemory }
        guard !bytes.isEmpty else { return }
        guard state == .reading else { throw state == .finished ? .trailingBytes : .malformed }
        do throws(InflateError) {
            try unsafe read(bytes, take: take)
        } catch {
            state = .failed
            throw error
        }
    }

    /// Says that no more bytes come.
    ///
    /// - Throws: ``InflateError/truncated`` when the stream is not complete.
    public mutating func finish() throws(InflateError) {
        guard state == .finished else { throw state == .reading ? .truncated : .malformed }
    }

    @unsafe
    private mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>, take: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(InflateError) {
        var next = bytes.baseAddress
        var left = bytes.count
        var failure: InflateError?
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.pieceBytes) { piece in
            repeat {
                let offered = left
                var end = piece.baseAddress
                var room = Self.pieceBytes
                let result = unsafe BrotliDecoderDecompressStream(decoder, &left, &next, &room, &end, nil)
                let made = Self.pieceBytes - room
                do throws(InflateError) {
                    try expansion.count(in: offered - left, out: made)
                    guard result != BROTLI_DECODER_RESULT_ERROR else { throw error }
                } catch {
                    failure = error
                    return
                }
                if made > 0 { unsafe take(UnsafeBufferPointer(rebasing: piece[..<made])) }
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

    /// What libbrotli gave up on: among its codes are those of memory, `BROTLI_DECODER_ERROR_ALLOC_…`.
    private var error: InflateError {
        let code = unsafe BrotliDecoderGetErrorCode(decoder).rawValue
        let (first, last) = (
            BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES, BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES
        )
        return (first.rawValue...last.rawValue).contains(code) ? .outOfMemory : .malformed
    }

    /// Bytes inflated at a time, on the stack.
    private static let pieceBytes = 16 << 10
}
