/// A deleted leak whose later reports are dropped: ``Store/discard(_:by:audit:now:)``.
public struct DiscardedLeak: Hashable, Sendable {
    /// The id of the deleted leak.
    public var id: LeakID
    public var app: AppKey
    /// The title of the deleted leak.
    public var title: String
    /// The person or program that discarded the leak: ``AuditEntry/actor``.
    public var by: String
    /// Milliseconds since 1970.
    public var at: Int64
    /// Number of reports that were dropped since.
    public var dropped: Int

    public init(id: LeakID, app: AppKey, title: String, by: String, at: Int64, dropped: Int) {
        self.id = id
        self.app = app
        self.title = title
        self.by = by
        self.at = at
        self.dropped = dropped
    }

    /// The reason under which an app counts dropped reports of discarded leaks.
    public static let reason = "discarded"
    /// Maximum number of ids that are discarded for one app. A leak into which others were merged has several ids.
    public static let maxPerApp = 1_000

    /// SQL for the number of ids that discarding a leak `l` adds: its id and those of leaks that were merged into it, without those
    /// that are discarded already.
    package static let addedIDCountSQL = """
        (select count(*) from (select l.key as key union select key from merged_leak where leak = l.id) as ids
          where not exists (select 1 from discarded_leak d where d.key = ids.key))
        """
}

extension StoreError {
    /// The error for a leak that counts the reports of many leaks.
    package static let collectiveLeakDiscarded = StoreError(
        .invalidArgument, "this leak counts reports of other leaks together, so that it cannot be discarded")

    package static func tooManyDiscardedLeaks(of app: String) -> StoreError {
        StoreError(
            .invalidArgument,
            "\(DiscardedLeak.maxPerApp) leaks of \(app) are discarded, which is the limit; accept some of them again first"
        )
    }
}
