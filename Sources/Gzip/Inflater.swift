internal import CZlib

/// Reads one gzip member that arrives in pieces, within bounds.
///
/// Reusable: after ``reset()`` it reads the next one without asking for memory again.
@safe
public struct Inflater: ~Copyable {
    /// What is taken from a stranger.
    public struct Limits: Hashable, Sendable {
        /// Bytes that may come out. 16 MiB by default.
        public var outputBytes: Int
        /// Bytes out per byte in. Text in JSON reaches 20; a bomb of zeros reaches 1029.
        public var ratio: Int
        /// Bytes that may come out before ``ratio`` counts: short inputs of one repeated word are no bomb.
        public var bytesBeforeRatio: Int

        public init(outputBytes: Int = 16 << 20, ratio: Int = 200, bytesBeforeRatio: Int = 64 << 10) {
            self.outputBytes = outputBytes
            self.ratio = ratio
            self.bytesBeforeRatio = bytesBeforeRatio
        }
    }

    private enum State { case reading, finished, failed }

    public let limits: Limits
    private let stream: UnsafeMutablePointer<z_stream>
    private let isOpen: Bool
    private var state = State.reading
    private var bytesIn = 0
    private var bytesOut = 0

    public init(limits: Limits = Limits()) {
        self.limits = limits
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let code = unsafe inflateInit2_(
            stream, Gzip.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        isOpen = code == Z_OK
    }

    deinit {
        if isOpen { unsafe inflateEnd(stream) }
        unsafe stream.deallocate()
    }

    /// Makes ready for another member.
    public mutating func reset() {
        if isOpen { unsafe inflateReset(stream) }
        state = .reading
        bytesIn = 0
        bytesOut = 0
    }

    /// Appends to `output` what the next `bytes` inflate to.
    ///
    /// - Throws: ``InflateError``; nothing more can be read then, before ``reset()``.
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
    /// - Throws: ``InflateError``; nothing more can be read then, before ``reset()``.
    @unsafe
    public mutating func inflate(
        _ bytes: UnsafeBufferPointer<UInt8>, take: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(InflateError) {
        guard isOpen else { throw .outOfMemory }
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
    /// - Throws: ``InflateError/truncated`` when the member is not complete.
    public mutating func finish() throws(InflateError) {
        guard state == .finished else { throw state == .reading ? .truncated : .malformed }
    }

    @unsafe
    private mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>, take: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(InflateError) {
        var next = 0
        var failure: InflateError?
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.pieceBytes) { piece in
            repeat {
                let offered = min(bytes.count - next, Int(Int32.max))
                unsafe stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: bytes.baseAddress?.advanced(by: next))
                unsafe stream.pointee.avail_in = uInt(offered)
                unsafe stream.pointee.next_out = piece.baseAddress
                unsafe stream.pointee.avail_out = uInt(Self.pieceBytes)
                let code = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
                let taken = offered - Int(unsafe stream.pointee.avail_in)
                let made = Self.pieceBytes - Int(unsafe stream.pointee.avail_out)
                next += taken
                bytesIn += taken
                bytesOut += made
                if let problem = problem(code, taken: taken, made: made) {
                    failure = problem
                    return
                }
                if made > 0 { unsafe take(UnsafeBufferPointer(rebasing: piece[..<made])) }
                if code == Z_STREAM_END {
                    state = .finished
                    if next < bytes.count { failure = .trailingBytes }
                    return
                }
                // A full piece may leave output inside zlib although all input is taken.
                if made < Self.pieceBytes && next == bytes.count { return }
            } while true
        }
        if let failure { throw failure }
    }

    /// What is wrong after one step of zlib; `Z_BUF_ERROR` only says that it waits for input.
    private func problem(_ code: Int32, taken: Int, made: Int) -> InflateError? {
        if bytesOut > limits.outputBytes { return .tooLarge }
        if bytesOut > limits.bytesBeforeRatio && bytesOut / max(limits.ratio, 1) > bytesIn {
            return .tooLarge
        }
        switch code {
        case Z_OK, Z_STREAM_END, Z_BUF_ERROR: return nil
        case Z_MEM_ERROR: return .outOfMemory
        default:
            // zlib tells these apart from other damage by its text alone.
            guard let message = unsafe stream.pointee.msg else { return .malformed }
            let text = unsafe String(cString: message)
            return text == "incorrect data check" || text == "incorrect length check"
                ? .badChecksum : .malformed
        }
    }

    /// Bytes inflated at a time, on the stack.
    private static let pieceBytes = 16 << 10
}
