/// What a browser sends for a form: `application/x-www-form-urlencoded`.
/// https://url.spec.whatwg.org/#urlencoded-parsing
struct Form {
    private var values: [String: String] = [:]

    /// Reads what can be read; a name's first value counts.
    init(_ body: [UInt8]) {
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decoded(parts[0])
            if values[name] == nil { values[name] = parts.count == 2 ? Self.decoded(parts[1]) : "" }
        }
    }

    subscript(name: String) -> String? { values[name] }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var plain: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): plain.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                if rest.count >= 2,
                    let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                {
                    plain.append(value)
                    rest = rest.dropFirst(2)
                } else {
                    plain.append(byte)
                }
            default: plain.append(byte)
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
