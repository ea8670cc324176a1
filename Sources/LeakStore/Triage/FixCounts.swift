internal import LeakStatistics

/// Reports and checks of a resolved leak, by version.
package struct FixCounts: Sendable {
    /// Checks of the class and reports of the leak, by bucket of installs.
    package struct Counts: Sendable {
        package var checks: BucketCounts
        package var reports: BucketCounts

        package init(checks: BucketCounts = BucketCounts(), reports: BucketCounts = BucketCounts()) {
            self.checks = checks
            self.reports = reports
        }

        mutating func add(_ other: Counts) {
            checks.add(other.checks)
            reports.add(other.reports)
        }

        /// `true` if the counts give a rate. A version without checks, or with more reports than checks, gives none: it would
        /// raise the rate of the other versions.
        fileprivate var givesRate: Bool {
            let (reportCount, checkCount) = (reports.counts.reduce(0, +), checks.counts.reduce(0, +))
            return checkCount > 0 && reportCount <= checkCount
        }

        fileprivate var hasReports: Bool { reports.counts.contains { $0 > 0 } }

        fileprivate var bucketed: BucketedCounts {
            BucketedCounts(events: reports.counts, trials: checks.counts)
        }
    }

    /// All builds of a version, or one of its builds if a decision about the leak names a build of the version.
    package struct Version: Sendable {
        package var version: String
        /// `nil` for all builds, and for the reports and checks without a build.
        package var build: String?
        /// `false` for a version that is older than the fix.
        package var hasFix: Bool
        /// `true` if the version had reports of the leak when it was resolved, or later got only reports that do not contradict
        /// the decision. Its checks before and after the decision cannot be told apart, so they neither prove nor refute the
        /// fix. New reports of the version still make the leak regressed.
        package var hadReports: Bool
        /// Number of earlier decisions that resolved the leak in this version or an older version. A decision does not count if
        /// another decision replaced it before any version with its fix was used, or if this version had the leak when the
        /// decision was made. 0 for a version that is not older than the fix.
        package var earlierFixes: Int
        /// The time of the first report, session or check of the version, in milliseconds since 1970.
        package var firstUse: Int64
        /// `true` if a report of the leak in the version was made since the decision.
        package var isSeenAgain: Bool
        /// The day of the first report of the leak in the version since the decision, in days since 1970; `nil` if there is no
        /// such report, or if the version is a build and other builds have reports too.
        package var seenAgainDay: Int?
        /// Reports, and checks of the class of the leak.
        package var counts: Counts

        package init(
            version: String, build: String? = nil, hasFix: Bool, hadReports: Bool = false,
            earlierFixes: Int = 0, firstUse: Int64 = 0, isSeenAgain: Bool = false, seenAgainDay: Int? = nil,
            counts: Counts
        ) {
            self.version = version
            self.build = build
            self.hasFix = hasFix
            self.hadReports = hadReports
            self.earlierFixes = earlierFixes
            self.firstUse = firstUse
            self.isSeenAgain = isSeenAgain
            self.seenAgainDay = seenAgainDay
            self.counts = counts
        }

        /// Returns `true` if this version is not older than the version in which the leak was seen again. A build is not older
        /// than a build of the same version whose name is not known.
        fileprivate func isAtLeast(_ seenAgain: ReleaseBuild) -> Bool {
            guard build != nil, seenAgain.build != nil else {
                return VersionOrder(version) >= VersionOrder(seenAgain.version)
            }
            return ReleaseBuild(version: version, build: build) >= seenAgain
        }

        fileprivate func isEqual(to seenAgain: ReleaseBuild?) -> Bool {
            version == seenAgain?.version
                && (build == nil || seenAgain?.build == nil || build == seenAgain?.build)
        }
    }

    /// Versions that are older than the fix, oldest first.
    private var olderVersions: [Version] = []
    /// Versions that had reports of the leak when it was resolved, and are not older than the fix, oldest first.
    private var versionsWithEarlierReports: [Version] = []
    /// Versions that are not older than the fix, and had no reports of the leak when it was resolved, oldest first.
    private var versionsWithFix: [Version] = []

    package init() {}

    /// - Parameter version: newer than the versions that were added before.
    package mutating func add(_ version: Version) {
        if !version.hasFix {
            olderVersions.append(version)
        } else if version.hadReports {
            versionsWithEarlierReports.append(version)
        } else {
            versionsWithFix.append(version)
        }
    }

    /// Counts that give the rate before the fix: those of the versions from the first to the last older version with the leak.
    /// Versions without a report between these two count as well: without them, a rare leak would seem to be frequent. If an
    /// earlier decision resolved the leak, only versions since the earlier fix count, because older versions may have had
    /// another rate.
    private var countsBefore: Counts {
        let versions = olderVersions.filter(\.counts.givesRate)
        let lastFix = versions.last(where: \.counts.hasReports)?.earlierFixes
        let sinceLastFix = versions.filter { $0.earlierFixes == lastFix }
        var counts = Counts()
        if let first = sinceLastFix.firstIndex(where: \.counts.hasReports),
            let last = sinceLastFix.lastIndex(where: \.counts.hasReports)
        {
            for version in sinceLastFix[first...last] { counts.add(version.counts) }
        }
        // Without reports in older versions, the leak was first seen in a version that should have the fix.
        return counts.hasReports
            ? counts : versionsWithEarlierReports.reduce(into: Counts()) { $0.add($1.counts) }
    }

    /// Returns the evidence for the fix of the decision in force.
    ///
    /// - Parameters:
    ///   - regressedIn: ``DecisionStatus/regressedIn``
    ///   - build: ``DecisionStatus/regressedInBuild``
    package func status(regressedIn: String?, build: String? = nil) -> FixStatus {
        let before = countsBefore.bucketed
        let regressedIn = regressedIn.map { ReleaseBuild(version: $0, build: build) }
        var withoutLeak = Counts()
        var seenAgain: Counts?
        func progress() -> FixProgress {
            FixProgress(before: before, withoutLeak: withoutLeak.bucketed, seenAgain: seenAgain?.bucketed)
        }
        var steps: [FixStatus.Step] = []
        func addStep(_ version: Version) {
            let step = FixStatus.Step(
                version: version.version, build: version.build, firstUse: version.firstUse,
                seenAgainDay: version.seenAgainDay, progress: progress())
            if step.progress.stage != steps.last?.progress.stage { steps.append(step) }
        }
        // The version in which the leak was seen again may have earlier reports, so that its counts are no evidence. The step
        // then names this version, and not the next one.
        let versionsWithoutEvidence = versionsWithEarlierReports.filter { $0.isEqual(to: regressedIn) }
        var versionWithoutEvidence = versionsWithoutEvidence.first
        if versionsWithoutEvidence.count > 1 { versionWithoutEvidence?.build = nil }
        for version in versionsWithFix {
            if let regressedIn, version.isAtLeast(regressedIn) {
                if seenAgain == nil {
                    seenAgain = Counts()
                    if let versionWithoutEvidence { addStep(versionWithoutEvidence) }
                }
                // Checks of versions without a report would lower the rate of the versions with reports.
                if version.counts.hasReports { seenAgain?.add(version.counts) }
            } else {
                withoutLeak.add(version.counts)
            }
            addStep(version)
        }
        if regressedIn != nil, seenAgain == nil {
            seenAgain = Counts()
            if let versionWithoutEvidence { addStep(versionWithoutEvidence) }
        }
        return FixStatus(
            progress: progress(), version: versionsWithFix.first?.version,
            build: versionsWithFix.first?.build, steps: steps)
    }

    /// Returns the evidence for the fix of a decision that is not in force any more.
    package func pastStatus() -> FixStatus {
        // If ``Version/isSeenAgain`` is `false`, the reports were made before the decision and arrived late.
        let seenAgain = versionsWithFix.first { $0.counts.hasReports && $0.isSeenAgain }
        return status(regressedIn: seenAgain?.version, build: seenAgain?.build)
    }
}

extension LeakRow {
    /// `true` if the decision in force is "resolved".
    package var hasFix: Bool {
        guard case .resolved = decisionStatus?.decision.action else { return false }
        return true
    }

    /// Sets the evidence for the fix of a resolved leak.
    ///
    /// - Parameter counts: `nil` if no version has reports or checks.
    package mutating func addFix(_ counts: FixCounts?) {
        guard hasFix else { return }
        fix = (counts ?? FixCounts()).status(
            regressedIn: decisionStatus?.regressedIn, build: decisionStatus?.regressedInBuild)
    }
}

extension LeakDetail {
    /// `true` if ``history`` has a decision "resolved" that is not in force any more.
    package var hasPastFix: Bool {
        history.contains { decision in
            if case .resolved = decision.action { decision != row.decisionStatus?.decision } else { false }
        }
    }

    /// Sets the evidence for the fixes of the decisions in ``history``.
    ///
    /// - Parameters:
    ///   - decisions: the row IDs of the decisions in ``history``, in the same order.
    ///   - counts: the counts of past decisions, by row ID of the decision.
    package mutating func addFixes(_ decisions: [Int64], _ counts: [Int64: FixCounts]) {
        for (index, decision) in decisions.enumerated() {
            fixes[index] =
                row.hasFix && history[index] == row.decisionStatus?.decision
                ? row.fix : counts[decision]?.pastStatus()
        }
    }
}
