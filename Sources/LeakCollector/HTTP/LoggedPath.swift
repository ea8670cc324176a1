internal import LeakHTTPServer

/// Masking of paths before they are logged. The id of an install that is to be erased must not appear in a log.
enum LoggedPath {
    /// Replaces the path after `installs` by `***`. `installs` may be percent-encoded or in capitals, because rejected
    /// requests are logged, too.
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
