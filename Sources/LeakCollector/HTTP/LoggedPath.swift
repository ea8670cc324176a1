internal import LeakHTTPServer

/// What a log may have of a path: an install that somebody asks to forget stands in none.
enum LoggedPath {
    /// Puts `***` in place of what follows `installs`, however both are spelt and whatever the request came to.
    ///
    /// - Parameter target: a path; its query, if it has one, stays.
    static func masked(_ target: [UInt8]) -> [UInt8] {
        let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        var start = target.startIndex
        while let slash = target[start..<end].firstIndex(of: UInt8(ascii: "/")) {
            let name = PercentEncoding.decoded(target[start..<slash], plusIsSpace: false)
            if slash + 1 < end, name.lowercased() == "installs" {
                return target[...slash] + Array("***".utf8) + target[end...]
            }
            start = slash + 1
        }
        return target
    }
}
