/// Entity tags as they stand in fields, RFC 9110 §8.8.3.
enum EntityTag {
    /// `tag` with its quotes.
    static func quoted(_ tag: String) -> String {
        tag.hasPrefix("\"") || tag.hasPrefix("W/\"") ? tag : "\"\(tag)\""
    }

    /// The tag of the same content in gzip: other bytes, so another tag.
    static func ofGzip(_ tag: String) -> String {
        tag.hasSuffix("\"") ? tag.dropLast() + "-gzip\"" : tag
    }

    /// Whether the value of `If-None-Match` names `tag`: weak comparison, RFC 9110 §13.1.2.
    static func list(_ list: String, contains tag: String) -> Bool {
        let wanted = opaque(tag[...])
        var rest = Substring(list)
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            guard !rest.isEmpty else { return false }
            if rest.first == "*" { return true }
            let candidate = opaque(rest)
            guard candidate.first == "\"" else { return false }
            guard let end = candidate.dropFirst().firstIndex(of: "\"") else { return false }
            if candidate[...end] == wanted { return true }
            rest = candidate[candidate.index(after: end)...]
        }
    }

    private static func opaque(_ tag: Substring) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
    }
}
