/// What somebody says is to be done about a leak, as they say it.
public struct Decision: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        /// It is mended: seen again in a version that is not older than the fix, it is ``LeakState/regressed``.
        case resolve(Fix)
        /// It is left alone, for good (`nil`) or up to a limit.
        case ignore(IgnoreLimit?)
        /// Whatever was decided before holds no more.
        case reopen
        /// Words alone; the state stays.
        case note
    }

    /// The first version in which a sighting speaks against the fix.
    public enum Fix: Hashable, Sendable {
        /// The newest version of the leak's app, or the leak's own last one where that is newer still.
        case newestVersion
        /// Any version newer than that.
        case nextVersion
        case version(String)
        /// Any version newer than this one.
        case after(String)
    }

    public enum IgnoreLimit: Hashable, Sendable {
        /// Milliseconds since 1970.
        case date(Int64)
        /// Reports that may still arrive, 1 at least.
        case reports(Int)
    }

    /// Bytes of ``note``.
    public static let noteBytes = 2000
    /// Bytes of ``by``.
    public static let nameBytes = 128
    /// Decisions of one leak that are kept: of those beyond, the oldest but for the one that holds are forgotten.
    public static let perLeak = 200

    public var action: Action
    /// Words for those who read the history.
    public var note: String?
    /// Who decides: a token's name.
    public var by: String

    public init(_ action: Action, note: String? = nil, by: String) {
        self.action = action
        self.note = note
        self.by = by
    }
}

/// A decision as it was stored.
public struct PastDecision: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        /// From `version` on, or from the one after it.
        case resolved(version: String, isAfter: Bool)
        case ignored(Decision.IgnoreLimit?)
        case reopened
        case noted
    }

    public var action: Action
    public var note: String?
    public var by: String
    /// Milliseconds since 1970.
    public var at: Int64

    public init(_ action: Action, note: String?, by: String, at: Int64) {
        self.action = action
        self.note = note
        self.by = by
        self.at = at
    }
}

/// What a decision that holds has come to.
public struct Standing: Hashable, Sendable {
    public var decision: PastDecision
    /// Of a resolved leak: reports in versions not older than the fix since it was resolved. Of an ignored one: reports
    /// since then.
    public var reportsSince: Int
    /// Of a resolved leak: the oldest version not older than the fix that it was seen in since; `nil` when in none.
    public var backIn: String?

    public init(decision: PastDecision, reportsSince: Int, backIn: String? = nil) {
        self.decision = decision
        self.reportsSince = reportsSince
        self.backIn = backIn
    }

    /// What the leak is by this decision.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: `nil` where the decision does not hold any more: the counts alone decide.
    public func state(now: Int64) -> LeakState? {
        switch decision.action {
        case .resolved: backIn == nil ? .resolved : .regressed
        case .ignored(.none): .ignored
        case .ignored(.date(let end)): now < end ? .ignored : nil
        case .ignored(.reports(let count)): reportsSince < count ? .ignored : nil
        case .reopened, .noted: nil
        }
    }
}
