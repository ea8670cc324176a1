/// Percent-encoded text in paths, queries and forms. RFC 3986 §2.1.
public enum PercentEncoding {
    /// Decodes `bytes` once: `%` and two hexadecimal digits become one byte, any other `%` stays. Invalid UTF-8 is repaired.
    ///
    /// - Parameters:
    ///   - bytes: a complete path, name or value; separators are not parsed.
    ///   - plusIsSpace: if `true`, decodes `+` as a space, as in queries and forms,
    ///     https://url.spec.whatwg.org/#urlencoded-parsing.
    public static func decoded(_ bytes: some RandomAccessCollection<UInt8>, plusIsSpace: Bool) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var remaining = bytes[...]
        while let byte = remaining.popFirst() {
            if byte == UInt8(ascii: "%"), let high = remaining.first.flatMap(ASCII.hexDigit),
                let low = remaining.dropFirst().first.flatMap(ASCII.hexDigit)
            {
                result.append(high << 4 | low)
                remaining = remaining.dropFirst(2)
            } else {
                result.append(plusIsSpace && byte == UInt8(ascii: "+") ? ASCII.space : byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
