/// Takes a chunked body apart as it arrives. RFC 9112 §7.1
struct ChunkedDecoder {
    private enum State {
        case size, extensions, quoted, quotedPair, sizeLineEnd
        case data, dataCR, dataLF
        case trailerStart, trailerName, trailerValue, trailerLineEnd, end
    }

    private var state = State.size
    private var size = 0
    private var digits = 0
    /// Bytes of extensions and trailers so far.
    private var extra = 0
    private(set) var isDone = false

    /// A size of more digits could only be zeros or too large.
    private static let mostDigits = 8

    /// - Parameters:
    ///   - bytes: the next bytes of the connection.
    ///   - body: where the data goes.
    /// - Returns: how many of the bytes belong to this message; the others follow it.
    mutating func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, into body: inout [UInt8], limits: Limits
    ) throws(RequestError) -> Int {
        var offset = 0
        while offset < bytes.count, !isDone {
            if state == .data {
                let count = min(size, bytes.count - offset)
                unsafe body.append(contentsOf: bytes[offset..<offset + count])
                offset += count
                size -= count
                if size == 0 { state = .dataCR }
                continue
            }
            try take(unsafe bytes[offset], body.count, limits)
            offset += 1
        }
        return offset
    }

    private mutating func take(_ byte: UInt8, _ received: Int, _ limits: Limits) throws(RequestError) {
        switch state {
        case .size:
            if let value = byte.hexadecimalValue {
                guard digits < Self.mostDigits else { throw .bodyTooLarge }
                size = size << 4 | Int(value)
                digits += 1
                return
            }
            guard digits > 0 else { throw .malformedChunk }
            try endSize(byte)
        case .extensions: try takeExtension(byte, limits)
        case .quoted:
            try count(byte, limits)
            if byte == 0x22 { state = .extensions } else if byte == 0x5C { state = .quotedPair }
        case .quotedPair:
            try count(byte, limits)
            state = .quoted
        case .sizeLineEnd:
            guard byte == 0x0A else { throw .malformedChunk }
            guard received + size <= limits.bodyBytes else { throw .bodyTooLarge }
            state = size == 0 ? .trailerStart : .data
        case .data: break
        case .dataCR:
            guard byte == 0x0D else { throw .malformedChunk }
            state = .dataLF
        case .dataLF:
            guard byte == 0x0A else { throw .malformedChunk }
            (state, size, digits) = (.size, 0, 0)
        case .trailerStart:
            if byte == 0x0D {
                state = .end
            } else {
                guard byte.isToken else { throw .malformedChunk }
                try count(byte, limits)
                state = .trailerName
            }
        case .trailerName:
            try count(byte, limits)
            if byte == 0x3A { state = .trailerValue } else if !byte.isToken { throw .malformedChunk }
        case .trailerValue:
            if byte == 0x0D { state = .trailerLineEnd } else { try count(byte, limits) }
        case .trailerLineEnd:
            guard byte == 0x0A else { throw .malformedChunk }
            state = .trailerStart
        case .end:
            guard byte == 0x0A else { throw .malformedChunk }
            isDone = true
        }
    }

    private mutating func endSize(_ byte: UInt8) throws(RequestError) {
        switch byte {
        case 0x0D: state = .sizeLineEnd
        case 0x3B: state = .extensions
        default: throw .malformedChunk
        }
    }

    private mutating func takeExtension(_ byte: UInt8, _ limits: Limits) throws(RequestError) {
        switch byte {
        case 0x0D: state = .sizeLineEnd
        case 0x22:
            try count(byte, limits)
            state = .quoted
        default: try count(byte, limits)
        }
    }

    private mutating func count(_ byte: UInt8, _ limits: Limits) throws(RequestError) {
        guard byte.isFieldText else { throw .malformedChunk }
        extra += 1
        guard extra <= limits.chunkExtraBytes else { throw .malformedChunk }
    }
}
