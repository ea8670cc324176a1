/// Entity tags in header fields, RFC 9110 §8.8.3.
enum EntityTag {
    /// Returns `tag` in quotes. A tag that has quotes already is returned unchanged.
    static func quoted(_ tag: String) -> String {
        tag.hasPrefix("\"") || tag.hasPrefix("W/\"") ? tag : "\"\(tag)\""
    }

    /// Returns the tag of the same content in gzip. It differs from `tag`, because the bytes differ.
    static func forGzip(_ tag: String) -> String {
        tag.hasSuffix("\"") ? tag.dropLast() + "-gzip\"" : tag
    }

    /// Returns `true` if the value of `If-None-Match` contains `tag`. The comparison is weak and by bytes, RFC 9110 §13.1.2. After
    /// the first byte that violates the grammar, the rest of the list is ignored.
    static func list(_ list: String, contains tag: String) -> Bool {
        let wanted = opaque(tag[...].utf8)
        var rest = list[...].utf8.drop(while: isSpace)
        if rest.first == UInt8(ascii: "*") { return rest.dropFirst().allSatisfy(isSpace) }
        while true {
            rest = rest.drop { isSpace($0) || $0 == UInt8(ascii: ",") }
            let candidate = opaque(rest)
            guard candidate.first == quote, let end = candidate.dropFirst().firstIndex(of: quote) else {
                return false
            }
            let found = candidate[...end]
            guard found.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
            if found.elementsEqual(wanted) { return true }
            rest = candidate[end...].dropFirst().drop(while: isSpace)
            guard rest.first == UInt8(ascii: ",") else { return false }
        }
    }

    private static let quote = UInt8(ascii: "\"")

    private static func isSpace(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == ASCII.tab }

    private static func opaque(_ tag: Substring.UTF8View) -> Substring.UTF8View {
        tag.starts(with: "W/".utf8) ? tag.dropFirst(2) : tag
    }
}
