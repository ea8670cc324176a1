internal import LeakStore

/// The store as one answer sees it: a reader, and the moment that the answer is of.
struct StoreView {
    let reader: any StoreReader
    /// Milliseconds since 1970.
    let now: Int64
    /// Names closures that had no names when their reports came; `nil` leaves them so.
    var symbols: SymbolTables?
    /// The pages that are linked to: the server's, or the files of an export.
    var links = Links.served
    /// Address of this collector, for text to be pasted.
    var address = ""

    /// The frame of a page about some apps.
    func context(_ query: LeakQuery) throws(StoreError) -> PageContext {
        PageContext(
            links: links, now: now, apps: try reader.apps(), versions: try reader.versions(app: query.app),
            query: query)
    }

    /// The frame of a page about one app, or without a choice of apps.
    func context(app: String?) -> PageContext {
        var query = LeakQuery()
        query.app = app
        return PageContext(links: links, now: now, query: query)
    }
}
