/// What a request says about its answer, kept until the answer is there.
struct Preferences {
    var isHead = false
    /// HTTP/1.0.
    var isOld = false
    var keepsAlive = true
    var acceptsGzip = false
    /// The value of `If-None-Match`, of a GET or HEAD.
    var knownTags: String?

    init() {}

    init(_ head: Head, _ bytes: UnsafeBufferPointer<UInt8>) {
        isHead = head.method == .head
        isOld = head.minor == 0
        keepsAlive = head.keepsAlive
        for field in head.fields {
            switch field.name.count {
            case 13 where unsafe bytes.spells("if-none-match", at: field.name):
                // Of other methods it is a precondition that nothing here has a use for.
                if isHead || head.method == .get { knownTags = unsafe bytes.text(at: field.value) }
            case 15 where unsafe bytes.spells("accept-encoding", at: field.name):
                acceptsGzip = Self.acceptsGzip(unsafe bytes.text(at: field.value))
            default: break
            }
        }
    }

    /// RFC 9110 §12.5.3: named, or covered by `*`, and not with a weight of 0.
    static func acceptsGzip(_ value: String) -> Bool {
        var verdict: Bool?
        for item in value.split(separator: ",") {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let coding = parts.first else { continue }
            let weight =
                parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if coding == "gzip" || coding == "x-gzip" { return weight > 0 }
            if coding == "*" { verdict = weight > 0 }
        }
        return verdict ?? false
    }

    /// Whether the peer has this content already. RFC 9110 §13.1.2: weak comparison.
    func knows(_ tag: String) -> Bool {
        guard let knownTags else { return false }
        if knownTags == "*" { return true }
        return knownTags.split(separator: ",").contains { item in
            var known = item.drop { $0 == " " || $0 == "\t" }
            if known.hasPrefix("W/") { known = known.dropFirst(2) }
            return known.hasPrefix("\"") && known.dropFirst().prefix { $0 != "\"" } == tag
        }
    }
}
