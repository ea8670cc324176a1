public import LeakStatistics

/// A decision about a leak, in the form in which a user makes it.
public struct Decision: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        /// The leak is fixed. If it is seen again in a version that is not older than the fix, it is ``LeakState/regressed``.
        case resolve(Fix)
        /// The leak is ignored, for good (`nil`) or up to a limit.
        case ignore(IgnoreLimit?)
        /// The leak is open again: earlier decisions are no longer in force.
        case reopen
        /// The decision has only a note, and does not change the state of the leak.
        case note
    }

    /// The lowest version that should have the fix. A sighting in this version, or in a newer version, contradicts the fix. If a
    /// build is named, sightings in earlier builds of the version, and in builds without a number, do not contradict it.
    public enum Fix: Hashable, Sendable {
        /// The version to which a fix made now belongs: ``LeakDetail/referenceVersion``, from ``LeakDetail/referenceBuild`` on.
        case newestVersion
        /// The first version that is newer than ``newestVersion``.
        case nextVersion
        /// This version, or this build of it.
        case version(String, build: String? = nil)
        /// The first version that is newer than this version.
        case newerThan(String)
    }

    /// The limit up to which a leak is ignored: a time, or a number of further reports.
    public enum IgnoreLimit: Hashable, Sendable {
        /// Milliseconds since 1970.
        case until(milliseconds: Int64)
        /// Number of further reports after which the leak is open again, 1 at least.
        case nextReports(Int)
    }

    /// The authors of notes that the collector itself writes when it merges leaks, or undoes a merge. No token may have such a name.
    public enum AutomaticAuthor: String, Sendable, CaseIterable {
        case regroup = "collector regroup"
        case symbols = "collector symbols"
        case keyUndo = "collector key undo"
    }

    /// Maximum length of ``note`` in bytes.
    public static let maxNoteBytes = 2000
    /// Maximum length of ``by`` in bytes.
    public static let maxNameBytes = 128
    /// Number of decisions that are kept per leak. If there are more, the oldest decisions are deleted, except the decision in
    /// force.
    public static let maxPerLeak = 200

    public var action: Action
    /// Text for readers of the history.
    public var note: String?
    /// The author of the decision: ``AuditEntry/actor``. For a note about a merge, the command or upload that merged.
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
        /// Resolved from `version` on, or from this build of it on; if `isAfter` is `true`, only in versions newer than `version`.
        case resolved(version: String, build: String? = nil, isAfter: Bool)
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

/// The evidence for the fix of a resolved leak. Like the state of the leak, it is computed from the counts of versions each
/// time it is read, because late reports of a version change the result.
public struct FixStatus: Hashable, Sendable {
    /// A version in which the fix reached another stage.
    public struct Step: Hashable, Sendable {
        public var version: String
        /// The build of the version; `nil` for all builds, unless a decision about the leak names a build of the version.
        public var build: String?
        /// The time of the first report, session or check of the version, in milliseconds since 1970. The stage was reached
        /// later than this time, on a day that is not known, because checks are counted by version and not by day.
        public var firstUse: Int64
        /// The day of the first report of the leak in the version since the decision, in days since 1970; `nil` if there is no
        /// such report.
        public var seenAgainDay: Int?
        /// The progress that follows from the counts of all versions up to this version.
        public var progress: FixProgress

        public init(
            version: String, build: String? = nil, firstUse: Int64, seenAgainDay: Int? = nil,
            progress: FixProgress
        ) {
            self.version = version
            self.build = build
            self.firstUse = firstUse
            self.seenAgainDay = seenAgainDay
            self.progress = progress
        }
    }

    /// The progress that follows from the counts of all versions.
    public var progress: FixProgress
    /// The oldest version with checks or reports that is not older than the fix; `nil` if there is none yet.
    public var version: String?
    /// The build of ``version``, as in ``Step/build``.
    public var build: String?
    /// The versions in which the fix reached another stage, oldest version first.
    public var steps: [Step]

    public init(
        progress: FixProgress, version: String? = nil, build: String? = nil, steps: [Step] = []
    ) {
        self.progress = progress
        self.version = version
        self.build = build
        self.steps = steps
    }
}

/// The decision in force about a leak, and its effect so far.
public struct DecisionStatus: Hashable, Sendable {
    public var decision: PastDecision
    /// For a resolved leak: reports since the decision in versions that are not older than the fix. For an ignored leak: all
    /// reports since the decision.
    public var reportsSince: Int
    /// For a resolved leak: the oldest version that is not older than the fix and in which the leak was seen since the
    /// decision; `nil` if there is no such version.
    public var regressedIn: String?
    /// The oldest build of ``regressedIn`` in which the leak was seen since the decision; `nil` if it has no name, or is not
    /// known because several builds had reports already when the decision was made.
    public var regressedInBuild: String?

    public init(
        decision: PastDecision, reportsSince: Int, regressedIn: String? = nil, regressedInBuild: String? = nil
    ) {
        self.decision = decision
        self.reportsSince = reportsSince
        self.regressedIn = regressedIn
        self.regressedInBuild = regressedInBuild
    }

    /// Returns the state of the leak that follows from this decision.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: `nil` if the decision is no longer in force, and for a reopening or a note: then only the counts determine
    ///   the state.
    public func state(now: Int64) -> LeakState? {
        switch decision.action {
        case .resolved: regressedIn == nil ? .resolved : .regressed
        case .ignored(.none): .ignored
        case .ignored(.until(let end)): now < end ? .ignored : nil
        case .ignored(.nextReports(let count)): reportsSince < count ? .ignored : nil
        case .reopened, .noted: nil
        }
    }
}
