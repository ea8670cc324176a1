public import LeakStore

/// Two leaks of one app that may be merged by hand. A page and a command show them before the merge.
public struct MergePreview: Sendable {
    /// The leak that is merged into ``target``.
    public let source: LeakRow
    public let target: LeakRow

    /// Reads the leaks and checks that they may be merged. ``Store/mergeByHand(_:into:by:audit:now:)`` checks this again, and also
    /// rejects discarded leaks and too many merges.
    ///
    /// - Parameter target: the id of the target, or of a leak that was merged into it.
    /// - Returns: `nil` if there is no leak with the id of the source.
    /// - Throws: ``StoreError/Reason/invalidArgument`` if they may not be merged.
    public init?(
        _ source: LeakID, into target: LeakID, from reader: any StoreReader, now: Int64
    ) throws(StoreError) {
        guard let from = try reader.leak(source, now: now)?.row else { return nil }
        let id = try reader.target(ofMerged: target) ?? target
        guard let into = try reader.leak(id, now: now)?.row else { throw .missingMergeTarget(target) }
        guard from.identity.id != into.identity.id else { throw .mergeOfItself(source) }
        guard from.identity.appKey == into.identity.appKey else { throw .mergeAcrossApps }
        guard !from.identity.isOverLimit, !into.identity.isOverLimit else { throw .collectiveLeakMerged }
        (self.source, self.target) = (from, into)
    }

    /// Returns the entry for the audit log that says that leaks are merged.
    public static func auditEntry(
        _ source: LeakID, into target: LeakID, by origin: ChangeOrigin, at time: Int64
    ) -> AuditEntry {
        AuditEntry(
            .mergeLeaks, of: "leak \(source)", details: "into leak \(target) by hand", by: origin, at: time)
    }
}

extension ManualMerge {
    /// Returns the entry for the audit log that says that the merge is undone.
    public func undoEntry(by origin: ChangeOrigin, at time: Int64) -> AuditEntry {
        AuditEntry(
            .undoMerge, of: "merge \(number)", details: "leak \(source) from leak \(target)", by: origin,
            at: time)
    }

    /// Returns the error text for a number that no merge has.
    public static func missingText(_ number: Int64) -> String {
        "there is no merge \(number), or it was undone"
    }
}
