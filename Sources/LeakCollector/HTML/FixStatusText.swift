internal import LeakPlatform
import LeakStatistics
import LeakStore

/// Text about the fix of a resolved leak: its stage, and the numbers of checks and reports that prove or contradict the fix.
struct FixStatusText {
    private let fix: FixStatus
    /// The noun for the checks of the leak's class, such as `dismissals`.
    private let noun: String
    /// For a half fixed leak, the version in which it was seen again. For other leaks, the oldest version with checks or
    /// reports that should have the fix; if there is none yet, the version that the decision names. A build follows in
    /// parentheses if the decision names one.
    let version: String

    /// - Returns: `nil` if the leak is not resolved.
    init?(row: LeakRow) {
        guard let fix = row.fix, let status = row.decisionStatus else { return nil }
        self.init(
            fix, of: status.decision, kind: row.identity.kind,
            seenAgain: fix.progress.stage == .halfFixed ? status.backIn : nil)
    }

    /// - Parameters:
    ///   - kind: the kind of the leak.
    ///   - seenAgain: the version in which a half fixed leak was seen again.
    /// - Returns: `nil` if the decision does not resolve the leak.
    init?(_ fix: FixStatus, of decision: PastDecision, kind: String, seenAgain: String? = nil) {
        guard case .resolved(let version, let build, _) = decision.action else { return nil }
        self.fix = fix
        noun = ObjectKindName.checksNoun(of: kind)
        self.version =
            seenAgain
            ?? fix.version.map { ReleaseBuild(version: $0, build: fix.build).text }
            ?? ReleaseBuild(version: version, build: build).text
    }

    var stage: FixProgress.Stage { fix.progress.stage }

    /// The stage and its numbers, such as `not proven yet: 120 of 207 dismissals needed, all without this leak`; `nil` for a leak
    /// that was seen again if its rate before or since the fix is unknown.
    var evidence: String? { evidence(of: fix.progress) }

    /// The ``evidence`` without the name of the stage, for a text that already names the stage.
    var numbers: String? { numbers(of: fix.progress) }

    /// The versions in which the fix reached another stage, newest first. `date` says when the version was first used, or when
    /// the leak was seen again in it.
    var steps: [(version: String, date: String, evidence: String)] {
        fix.steps.reversed().map { step in
            let date =
                step.seenAgainDay.map { "seen again on \(CivilDate(days: Int64($0)).dayMonthYear)" }
                ?? "\(step.build == nil ? "" : "version ")in use since \(CivilDate(milliseconds: step.firstUse).dayMonthYear)"
            return (
                ReleaseBuild(version: step.version, build: step.build).text, date,
                evidence(of: step.progress) ?? step.progress.stage.displayName
            )
        }
    }

    private func evidence(of progress: FixProgress) -> String? {
        numbers(of: progress).map {
            progress.stage == .notSeen ? $0 : "\(progress.stage.displayName): \($0)"
        }
    }

    private func numbers(of progress: FixProgress) -> String? {
        let (before, since) = (progress.before, progress.since)
        let checks = "\(Count(since.trials))\u{A0}\(noun)"
        switch progress.stage {
        case .notSeen:
            return "not seen since; the rate before the fix is unknown, so the fix cannot be proven"
        case .proving:
            let needed = progress.neededChecks ?? 0
            let devices = since.trials >= needed ? ", but from too few devices" : ""
            return
                "\(Count(since.trials)) of \(Count(needed))\u{A0}\(noun) needed, all without this leak\(devices)"
        case .fixed:
            let confidence = "\(Int(FixProgress.confidence * 100))\u{A0}%"
            return
                "\(rate(before)) → 0 of \(checks) (rate below \(boundText(progress.upperBound)), \(confidence) confidence)"
        case .halfFixed, .regressed:
            guard before.trials > 0, since.trials > 0 else { return nil }
            return "\(rate(before)) → \(rate(since)) (\(Count(since.events)) of \(checks))"
        }
    }

    private func rate(_ counts: Proportion) -> Percentage { Percentage(counts.events, of: counts.trials) }

    /// Returns the upper bound of a rate as text. Below 1 % it has two decimals, because a tenth of a percent is too coarse.
    private func boundText(_ rate: Double) -> String {
        guard rate < 0.01 else { return "\(Percentage(Int(rate * 1e9), of: 1_000_000_000))" }
        let hundredths = max(1, Int((rate * 10_000).rounded()))
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)\u{A0}%"
    }
}

extension FixProgress.Stage {
    var displayName: String {
        switch self {
        case .notSeen: "not seen since"
        case .proving: "not proven yet"
        case .fixed: "fixed"
        case .halfFixed: "half fixed"
        case .regressed: "regressed"
        }
    }
}

extension DecisionStatus {
    /// The version and build in which a resolved leak was seen again, such as `5.4.0 (895)`; `nil` if it was not seen again.
    var backIn: String? { regressedIn.map { ReleaseBuild(version: $0, build: regressedInBuild).text } }
}
