internal import LeakMessage
internal import LeakStatistics
internal import LeakStore

// The events that follow from stored data, with the sentence for people and the numbers as JSON.

extension Event {
    /// Creates the event of a leak that a release check found new or worse; `nil` for other leaks. A leak that is back has an event
    /// of its resolved leak: ``init(_:of:at:)``.
    init?(_ leak: ReleaseCheck.Leak, in check: ReleaseCheck, at time: Int64) {
        let version = check.version.version
        let identity = leak.row.identity
        let kind: Kind
        var text: String
        switch leak.result {
        case .new:
            kind = .newLeak
            text = "\(identity.title) leaks in \(version): new, \(leak.version.text)"
            if leak.row.installs > 0 {
                text += ", \(Count(installs: leak.row.installs).text(noun: "install", plural: "installs"))"
            }
        case .worse:
            kind = .worse
            text = "\(identity.title) leaks more often in \(version): \(leak.version.text)"
            if let baseline = check.baseline {
                text += ", after \(leak.baseline.text) in \(baseline.version)"
            }
        case .back, .better, .unchanged: return nil
        }
        self.init(
            at: time, kind: kind, app: check.key, version: version, leak: identity.id,
            key: identity.id.description, title: identity.title, text: text,
            details: Self.json { writer in
                writer.field("installs", leak.row.installs)
                writer.field("probability", leak.result.probability)
                writer.fields(baseline: check.baseline, leak.baseline, leak.version)
            })
    }

    /// Creates the event of a class whose leaks together are worse.
    init(_ worse: ReleaseCheck.WorseClass, in check: ReleaseCheck, at time: Int64) {
        var text =
            "The leaks of \(worse.className) are more frequent in \(check.version.version): \(worse.version.text)"
        if let baseline = check.baseline {
            text += ", after \(worse.baseline.text) in \(baseline.version)"
        }
        self.init(
            at: time, kind: .worse, app: check.key, version: check.version.version,
            key: "class \(worse.className)", title: worse.className, text: text,
            details: Self.json { writer in
                writer.field("probability", worse.probability)
                writer.fields(baseline: check.baseline, worse.baseline, worse.version)
            })
    }

    /// Creates the event of a class that the version does not check any more.
    init(noLongerChecked checked: ReleaseCheck.CheckedClass, in check: ReleaseCheck, at time: Int64) {
        let (version, baseline) = (check.version.version, check.baseline?.version ?? "")
        self.init(
            at: time, kind: .noLongerChecked, app: check.key, version: version, key: checked.className,
            title: checked.className,
            text: """
                \(checked.className) is not checked any more in \(version), after \
                \(Count(checked.baselineChecks).text(noun: "check", plural: "checks")) in \(baseline)
                """,
            details: Self.json { writer in
                writer.field("baseline", baseline)
                writer.field("baseline_checks", checked.baselineChecks)
            })
    }

    /// Creates the event of a version with too few leak-free sessions.
    init(leakFreeSessionsBelow limit: Double, in check: ReleaseCheck, at time: Int64) {
        let sessions = check.version.sessions
        let leakFree = sessions.trials - sessions.events
        self.init(
            at: time, kind: .leakFreeSessionsLow, app: check.key, version: check.version.version, key: "",
            title: "Leak-free sessions",
            text: """
                \(Percentage(leakFree, of: sessions.trials)) of \
                \(Count(sessions.trials).text(noun: "session", plural: "sessions")) of \(check.version.version) are \
                leak-free, below the limit of \(limit.percentText)
                """,
            details: Self.json { writer in
                writer.field("sessions", sessions.trials)
                writer.field("leak_free", leakFree)
                writer.field("limit_percent", limit)
            })
    }

    /// Creates the event of a reached limit.
    ///
    /// - Parameter version: the current release. The event is recorded again for a later one.
    init(_ count: OverLimitCount, in version: String, at time: Int64) {
        self.init(
            at: time, kind: .limitReached, app: count.app, version: version, key: count.limit.rawValue,
            title: count.limit.rawValue,
            text: """
                The limit \(count.limit.rawValue) is reached: \(Count(count.count)) \
                \(count.limit.noun(count: count.count)) \(count.limit.outcome)
                """,
            details: Self.json { writer in
                writer.field("limit", count.limit.rawValue)
                writer.field("count", count.count)
            })
    }

    /// Creates the event of a resolved leak that is proven to be fixed, or that was seen again; `nil` for a fix that is not proven
    /// yet.
    init?(_ leak: ResolvedLeak, of app: AppKey, at time: Int64) {
        guard
            case .resolved(let resolved, let resolvedBuild, let isAfter) = leak.decisionStatus.decision.action
        else { return nil }
        let progress = leak.fix.progress
        let fix = "\(isAfter ? "after " : "in ")\(Self.name(resolved, resolvedBuild))"
        let kind: Kind
        let version: String
        let build: String?
        let text: String
        if let regressedIn = leak.decisionStatus.regressedIn {
            kind = .regressed
            (version, build) = (regressedIn, leak.decisionStatus.regressedInBuild)
            text = "\(leak.title) is back in \(Self.name(version, build)), resolved \(fix)"
        } else if progress.stage == .fixed {
            kind = .fixed
            (version, build) = (leak.fix.version ?? resolved, leak.fix.build)
            text = """
                \(leak.title) is fixed in \(Self.name(version, build)): no report in \
                \(Count(progress.checksSince).text(noun: "check", plural: "checks"))
                """
        } else {
            return nil
        }
        self.init(
            at: time, kind: kind, app: app, version: version, build: build, leak: leak.id,
            key: leak.id.description, title: leak.title, text: text,
            details: Self.json { writer in
                writer.field("resolved", resolved)
                writer.field("resolved_build", resolvedBuild)
                writer.field("resolved_after", isAfter)
                writer.field("reports", progress.reportsSince)
                writer.field("checks", progress.checksSince)
            })
    }

    private static func name(_ version: String, _ build: String?) -> String {
        build.map { "\(version) (build \($0))" } ?? version
    }

    private static func json(_ fields: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object(fields)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    fileprivate mutating func fields(
        baseline: ReleaseCheck.Side?, _ baselineCounts: ReleaseCheck.RateCounts,
        _ counts: ReleaseCheck.RateCounts
    ) {
        field("reports", counts.reports)
        field("checks", counts.checks)
        field("baseline", baseline?.version)
        field("baseline_reports", baselineCounts.reports)
        field("baseline_checks", baselineCounts.checks)
    }
}

extension ReleaseCheck {
    fileprivate var key: AppKey { AppKey(app, environment: environment) }
}

extension ReleaseCheck.RateCounts {
    /// `14 reports in 1,000 checks`
    fileprivate var text: String {
        let reports = Count(reports).text(noun: "report", plural: "reports")
        return checks == 0 ? reports : "\(reports) in \(Count(checks).text(noun: "check", plural: "checks"))"
    }
}

extension Double {
    /// The number without needless decimals: `95 %`, `99.5 %`.
    fileprivate var percentText: String { (self == rounded() ? "\(Int(self))" : "\(self)") + "\u{A0}%" }
}
