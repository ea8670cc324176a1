import LeakStore

/// Values that every page needs: links, time, apps, versions and the query.
struct PageContext: Sendable {
    var links: Links
    /// Time at which the page is made, in milliseconds since 1970.
    var now: Int64
    /// The time of an export without data. It is not read from the clock, so that two such exports are equal.
    static let noTime: Int64 = 0
    /// The rights of the person who asks: pages leave out forms and links that this person may not use.
    var permissions: Set<Permission>
    /// A problem of the collector that an admin should know; `nil` if there is none, and for other people.
    var operatorAlert: String?
    /// `false` for a person whom a proxy has authenticated, because only the proxy can sign the person out.
    var canSignOut = true
    /// App ids of the query's environment, most recently seen first.
    var apps: [String]
    /// The environments to choose from; empty on a page without the choice.
    var environments: [String]
    /// Versions of the chosen app, or of all apps, newest first.
    var versions: [String]
    /// The query in the address of the page. On a page about one leak it contains only the app and the environment.
    var query: LeakQuery

    init(
        links: Links, now: Int64, permissions: Set<Permission> = Permission.all, apps: [String] = [],
        environments: [String] = [], versions: [String] = [],
        query: LeakQuery = LeakQuery()
    ) {
        self.links = links
        self.now = now
        self.permissions = permissions
        self.apps = apps
        self.environments = environments
        self.versions = versions
        self.query = query
    }

    func relativeTime(_ at: Int64) -> RelativeTime {
        RelativeTime(at: at, now: now, showsDayOnly: !links.isServed)
    }

    /// Returns the link to the first page of the summary with the current query changed.
    func summaryLink(changing change: (inout LeakQuery) -> Void) -> String {
        var query = query
        query.cursor = nil
        change(&query)
        return links.to(.summary(query))
    }
}
