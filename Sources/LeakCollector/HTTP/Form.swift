internal import LeakHTTPServer

/// The fields of a form as a browser sends them: `application/x-www-form-urlencoded`.
/// https://url.spec.whatwg.org/#urlencoded-parsing
struct Form {
    private var values: [String: String] = [:]

    /// Parses all fields that can be read. The first value of a name counts.
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
        PercentEncoding.decoded(bytes, plusIsSpace: true)
    }
}
