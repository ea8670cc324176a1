/// A merge of one leak into another leak that a person made, and that can be undone: ``Store/undoMerge(_:by:audit:now:)``.
public struct ManualMerge: Hashable, Sendable {
    /// The number by which the merge is undone; never used again.
    public var number: Int64
    public var app: AppKey
    /// The id of the merged leak. Its later reports count for ``target``.
    public var source: LeakID
    /// The title of the merged leak.
    public var sourceTitle: String
    /// The id of the leak that counts the reports now. It differs from the leak that was chosen if that leak was merged too.
    public var target: LeakID
    /// Number of reports that the merged leak had.
    public var reports: Int
    /// The person or program that merged the leaks: ``AuditEntry/actor``.
    public var by: String
    /// Milliseconds since 1970.
    public var at: Int64

    public init(
        number: Int64, app: AppKey, source: LeakID, sourceTitle: String, target: LeakID, reports: Int,
        by: String, at: Int64
    ) {
        self.number = number
        self.app = app
        self.source = source
        self.sourceTitle = sourceTitle
        self.target = target
        self.reports = reports
        self.by = by
        self.at = at
    }

    /// Maximum number of merges by hand that an app can have at the same time. Each keeps a copy of the counts of two leaks.
    public static let maxPerApp = 1_000
}

/// The result of undoing a merge by hand.
public struct UndoneMerge: Hashable, Sendable {
    public var merge: ManualMerge
    /// Number of reports that the merged leak has again; 0 if all of them were deleted since. Then the leak does not exist until
    /// its next report.
    public var reports: Int

    public init(merge: ManualMerge, reports: Int) {
        self.merge = merge
        self.reports = reports
    }
}

extension StoreError {
    package static func mergeOfItself(_ id: LeakID) -> StoreError {
        StoreError(.invalidArgument, "the leak \(id) cannot be merged into itself")
    }

    package static let mergeAcrossApps = StoreError(
        .invalidArgument, "leaks of different apps or environments cannot be merged")

    package static let collectiveLeakMerged = StoreError(
        .invalidArgument, "a leak that counts reports of other leaks together cannot be merged by hand")

    package static func discardedLeakMerged(_ id: LeakID) -> StoreError {
        StoreError(
            .invalidArgument,
            "the leak \(id) is discarded; accept its reports again before it takes part in a merge")
    }

    package static func missingMergeTarget(_ id: LeakID) -> StoreError {
        StoreError(.invalidArgument, "there is no leak \(id) to merge into")
    }

    package static func tooManyMerges(of app: String) -> StoreError {
        StoreError(
            .invalidArgument,
            "\(ManualMerge.maxPerApp) leaks of \(app) are merged by hand, which is the limit; undo some of the merges first"
        )
    }

    package static func newerMerge(_ newest: Int64, than number: Int64) -> StoreError {
        StoreError(
            .invalidArgument,
            "the merge \(newest) into the same leak is newer than the merge \(number); undo the merge \(newest) first"
        )
    }

    package static func emptyMergeTarget(_ target: LeakID) -> StoreError {
        StoreError(
            .invalidArgument,
            "all reports that the leak \(target) has are of the merged leak, so that nothing would be left of it; undo the "
                + "merge once \(target) is reported again")
    }
}
