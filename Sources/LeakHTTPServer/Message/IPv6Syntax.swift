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
