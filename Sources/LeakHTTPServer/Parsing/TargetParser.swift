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

/// Syntax of hosts and ports in `Host` and in an absolute URL. RFC 3986 §3.2.
enum HostSyntax {
    /// Returns `true` if the bytes are a host, with or without a port.
    static func isAuthority(_ bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard start < end else { return false }
        var position = start
        if bytes[position] == UInt8(ascii: "[") {
            while position < end && bytes[position] != UInt8(ascii: "]") { position += 1 }
            guard position < end, IPv6Syntax.isValid(bytes, from: start + 1, to: position) else {
                return false
            }
            position += 1
        } else {
            while position < end && ASCII.isHost(bytes[position]) {
                if bytes[position] == UInt8(ascii: "%") {
                    guard TargetParser.isEscape(bytes, at: position, before: end) else { return false }
                }
                position += 1
            }
            guard position > start else { return false }
        }
        guard position < end else { return true }
        return bytes[position] == UInt8(ascii: ":") && isPort(bytes, from: position + 1, to: end)
    }

    /// Returns `true` if the bytes are empty or a TCP port.
    private static func isPort(_ bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard end - start <= 5 else { return false }
        var port = 0
        for index in start..<end {
            guard ASCII.isDigit(bytes[index]) else { return false }
            port = port * 10 + Int(bytes[index] - 0x30)
        }
        return port <= 65_535
    }
}

/// Syntax of an IPv6 address between the brackets of a host. RFC 3986 §3.2.2, without zones and future versions.
enum IPv6Syntax {
    static func isValid(_ bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
        var position = start
        var groups = 0
        // `::` replaces all missing groups and may appear once.
        var hasGap = end - start >= 2 && bytes[start] == colon && bytes[start + 1] == colon
        if hasGap { position += 2 }
        while position < end {
            if isIPv4(bytes, from: position, to: end) {
                groups += 2
                break
            }
            let group = position
            while position < end && ASCII.hexDigit(bytes[position]) != nil { position += 1 }
            guard (1...4).contains(position - group) else { return false }
            groups += 1
            guard position < end else { break }
            guard bytes[position] == colon, position + 1 < end else { return false }
            position += 1
            guard bytes[position] == colon else { continue }
            guard !hasGap else { return false }
            hasGap = true
            position += 1
        }
        return hasGap ? groups < 8 : groups == 8
    }

    /// Returns `true` if the bytes from `start` to `end` are four numbers up to 255 without leading zeros.
    private static func isIPv4(_ bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
        var position = start
        for part in 0..<4 {
            if part > 0 {
                guard position < end, bytes[position] == UInt8(ascii: ".") else { return false }
                position += 1
            }
            let first = position
            var number = 0
            while position < end && position - first < 3 && ASCII.isDigit(bytes[position]) {
                number = number * 10 + Int(bytes[position] - 0x30)
                position += 1
            }
            guard position > first, number <= 255, position - first == 1 || bytes[first] != 0x30 else {
                return false
            }
        }
        return position == end
    }

    private static let colon = UInt8(ascii: ":")
}
