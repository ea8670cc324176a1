import LeakHTTPClient

extension RunningCollector {
    /// Error if the list of leaks cannot be read.
    public struct UnreadableCounts: Error {
        public let status: Int
    }

    /// Returns the number of reports of each class of an app, added up over the leaks of the class. The keys are full class
    /// names.
    public func reportsByClass(ofApp app: String) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        var page = ""
        repeat {
            let answer = try get("/api/v1/leaks?app=\(app)&sort=first_seen&limit=200\(page)")
            let json = try answer.json
            guard answer.status == 200, let leaks = json["leaks"] as? [[String: Any]] else {
                throw UnreadableCounts(status: answer.status)
            }
            for leak in leaks {
                let name = [leak["module"], leak["class"]].compactMap { $0 as? String }.joined(separator: ".")
                counts[name, default: 0] += leak["reports"] as? Int ?? 0
            }
            page = (json["next"] as? String).map { "&cursor=\($0)" } ?? ""
        } while !page.isEmpty
        return counts
    }
}
