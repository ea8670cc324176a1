import LeakStore

/// What every page knows about its surroundings.
struct PageContext: Sendable {
    var links: Links
    /// When the page is made, in milliseconds since 1970.
    var now: Int64
    /// Of an export of nothing: no clock may make two of them differ.
    static let noMoment: Int64 = 0
    /// App ids, most recently seen first.
    var apps: [String]
    /// Versions of the chosen app, or of all, newest first.
    var versions: [String]
    /// What the visitor asked for; a page about one leak carries its app alone.
    var query: LeakQuery

    init(
        links: Links, now: Int64, apps: [String] = [], versions: [String] = [], query: LeakQuery = LeakQuery()
    ) {
        self.links = links
        self.now = now
        self.apps = apps
        self.versions = versions
        self.query = query
    }

    func moment(_ at: Int64) -> Moment { Moment(at: at, now: now, isKept: !links.isServed) }

    /// The summary with the current query changed; the page reached so far is forgotten.
    func summary(_ change: (inout LeakQuery) -> Void) -> String {
        var query = query
        query.cursor = nil
        change(&query)
        return links.to(.summary(query))
    }
}
