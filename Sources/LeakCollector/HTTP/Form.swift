internal import LeakHTTPServer

/// The fields of a form as a browser sends them: `application/x-www-form-urlencoded`.
/// https://url.spec.whatwg.org/#urlencoded-parsing
struct Form {
    private var valuesByName: [String: String] = [:]

    /// Parses all fields. If a name occurs twice, its first value counts.
    init(_ body: [UInt8]) {
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decoded(parts[0])
            if valuesByName[name] == nil {
                valuesByName[name] = parts.count == 2 ? Self.decoded(parts[1]) : ""
            }
        }
    }

    subscript(name: String) -> String? { valuesByName[name] }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        PercentEncoding.decoded(bytes, plusIsSpace: true)
    }
}
