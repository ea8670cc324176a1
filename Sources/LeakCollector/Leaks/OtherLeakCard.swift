import LeakStore

/// Card that explains the leak `other`, which counts the reports of leaks beyond the app's limit of leaks.
struct OtherLeakCard: Component {
    var context: PageContext
    var row: LeakRow
    /// How much the app exceeded each of its limits, and how many leaks and versions were merged into `other`.
    var overLimit: [OverLimitCount]

    static let title: HTML = "Many leaks, counted together"

    var html: HTML {
        Card(
            Self.title,
            """
            <p>This is not one leak. An app has at most \(Count(StoreLimits().leaksPerApp)) leaks with names of their own. \
            Since \(context.relativeTime(row.firstSeen).dayElement), the reports of other leaks are counted here: of leaks \
            that were new when the app had reached this limit, and \(merged).</p>
            <p>These reports cannot be separated any more. A leak that is reported again is listed by its name, and as new, if \
            the app is below the limit then. If a sender makes up leaks, revoke its ingest key, and delete this leak.</p>
            """, id: "other"
        ).html
    }

    /// Text about the leaks that were merged into this one; if there are none yet, text about the leaks that will be merged.
    private var merged: HTML {
        let count = overLimit.filter { $0.limit == .evictedLeaks }.reduce(into: 0) { $0.addBounded($1.count) }
        let days = Count(EvictionRule.unseenDays)
        return count == 0
            ? """
            as soon as the app comes near its limit, of leaks that few installs have or that no report named for \(days) days
            """
            : """
            of \(Count(count).text(noun: "leak", plural: "leaks")) that \(count == 1 ? "was" : "were") merged into this one to \
            stay below the limit, because few installs had \(count == 1 ? "it" : "them") or no report named \
            \(count == 1 ? "it" : "them") for \(days) days
            """
    }
}
