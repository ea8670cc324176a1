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
    static func isTag(_ tag: String, inList list: String) -> Bool {
        let wantedTag = opaqueTag(tag[...].utf8)
        var remaining = list[...].utf8.drop(while: isSpace)
        if remaining.first == UInt8(ascii: "*") { return remaining.dropFirst().allSatisfy(isSpace) }
        while true {
            remaining = remaining.drop { isSpace($0) || $0 == UInt8(ascii: ",") }
            let candidate = opaqueTag(remaining)
            guard candidate.first == quote, let end = candidate.dropFirst().firstIndex(of: quote) else {
                return false
            }
            let listedTag = candidate[...end]
            guard listedTag.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
            if listedTag.elementsEqual(wantedTag) { return true }
            remaining = candidate[end...].dropFirst().drop(while: isSpace)
            guard remaining.first == UInt8(ascii: ",") else { return false }
        }
    }

    private static let quote = UInt8(ascii: "\"")

    private static func isSpace(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == ASCII.tab }

    private static func opaqueTag(_ tag: Substring.UTF8View) -> Substring.UTF8View {
        tag.starts(with: "W/".utf8) ? tag.dropFirst(2) : tag
    }
}
