/// Parser of request targets. RFC 9112 §3.2.
enum TargetParser {
    /// Splits `target` into path and query and checks both.
    static func parse(_ bytes: borrowing Span<UInt8>, _ target: HeadRange, into head: inout Head)
        throws(RequestError)
    {
        head.target = target
        let end = target.range.upperBound
        var start = target.range.lowerBound
        if bytes[start] == UInt8(ascii: "*") {
            guard target.count == 1 && head.method == .options else { throw .malformedTarget }
            head.isAsterisk = true
            return
        }
        if bytes[start] != UInt8(ascii: "/") {
            start = try authorityEnd(bytes, target.range)
        }
        var pathEnd = start
        var isEncoded = false
        while pathEnd < end && bytes[pathEnd] != UInt8(ascii: "?") {
            guard ASCII.isPath(bytes[pathEnd]) else { throw .malformedTarget }
            if bytes[pathEnd] == UInt8(ascii: "%") { isEncoded = true }
            pathEnd += 1
        }
        head.path = HeadRange(from: start, to: pathEnd)
        if isEncoded { try validatePath(bytes, from: start, to: pathEnd) }
        if pathEnd < end {
            head.query = HeadRange(from: pathEnd + 1, to: end)
            try validateEscapes(bytes, from: pathEnd + 1, to: end)
        }
    }

    /// Parses `http://host:port` before a path and returns its end. Only this form of a target names a host, which then takes
    /// precedence over `Host`.
    private static func authorityEnd(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) throws(RequestError)
        -> Int
    {
        var position = range.lowerBound
        for byte in "http".utf8 {
            guard position < range.upperBound, bytes[position] | 0x20 == byte else { throw .malformedTarget }
            position += 1
        }
        if position < range.upperBound, bytes[position] | 0x20 == UInt8(ascii: "s") { position += 1 }
        for byte in "://".utf8 {
            guard position < range.upperBound, bytes[position] == byte else { throw .malformedTarget }
            position += 1
        }
        var end = position
        while end < range.upperBound && bytes[end] != UInt8(ascii: "/") && bytes[end] != UInt8(ascii: "?") {
            end += 1
        }
        guard HostSyntax.isAuthority(bytes, from: position, to: end) else { throw .malformedTarget }
        return end
    }

    private static func validateEscapes(
        _ bytes: borrowing Span<UInt8>, from start: Int, to end: Int
    ) throws(RequestError) {
        var position = start
        while position < end {
            if bytes[position] == UInt8(ascii: "%") {
                guard isEscape(bytes, at: position, before: end) else { throw .malformedPercentEncoding }
                position += 2
            }
            position += 1
        }
    }

    /// Returns `true` if two hexadecimal digits follow the `%` at `position`.
    static func isEscape(_ bytes: borrowing Span<UInt8>, at position: Int, before end: Int) -> Bool {
        position + 2 < end && ASCII.hexDigit(bytes[position + 1]) != nil
            && ASCII.hexDigit(bytes[position + 2]) != nil
    }

    /// Checks that decoding a path does not produce a separator, a control character or invalid UTF-8.
    private static func validatePath(_ bytes: borrowing Span<UInt8>, from start: Int, to end: Int)
        throws(RequestError)
    {
        try validateEscapes(bytes, from: start, to: end)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(end - start)
        var position = start
        while position < end {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "%"), let high = ASCII.hexDigit(bytes[position]),
                let low = ASCII.hexDigit(bytes[position + 1])
            {
                byte = high << 4 | low
                position += 2
                guard byte >= 0x20, byte != 0x7F, byte != UInt8(ascii: "/"), byte != UInt8(ascii: "\\") else {
                    throw .hiddenCharacter
                }
                // U+0080 to U+009F are control characters too, encoded as C2 and a byte below A0.
                guard decoded.last != 0xC2 || !(0x80..<0xA0).contains(byte) else {
                    throw .hiddenCharacter
                }
            }
            decoded.append(byte)
        }
        var scalars = Unicode.UTF8.ForwardParser()
        var iterator = decoded.makeIterator()
        while true {
            switch scalars.parseScalar(from: &iterator) {
            case .valid: continue
            case .emptyInput: return
            case .error: throw .malformedPercentEncoding
            }
        }
    }
}
