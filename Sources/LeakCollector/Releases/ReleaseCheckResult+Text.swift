internal import LeakMessage
internal import LeakStatistics
internal import LeakStore

/// The result of a release check as text for a terminal or a build's log, at most 100 columns wide except for addresses.
extension ReleaseCheckResult {
    private static let maxColumns = 100
    /// Maximum number of classes that one sentence names.
    private static let maxListedClasses = 3

    /// `true` if the version passed the release check. `collector check` then exits with 0.
    public var passes: Bool { verdict == .passed }

    /// One sentence: the verdict and its reason.
    public var sentence: String {
        let place = environment == AppKey.production ? "" : " in \(environment)"
        let subject = "\(app) \(Self.versionName(version, build))\(place)"
        let text =
            switch verdict {
            case .passed: "\(subject) passes: no leak is worse than in \(baselineName)"
            case .failed:
                "\(subject) fails\(baseline == nil ? "" : ", compared with \(baselineName)"): \(failures)"
            case .cannotTell: "\(subject) cannot be judged yet: \(shortage)"
            }
        return TerminalText.text(text)
    }

    /// Returns the sentence with the verdict, the notes, and the leaks.
    ///
    /// - Parameter address: address of the collector, for links to the pages of leaks; `nil` for no links.
    public func text(address: String?) -> String {
        var lines = Self.wrapped(sentence)
        for note in notes { lines += Self.wrapped(note) }
        let width = ReleaseGate.LeakResult.Kind.allCases.map(\.rawValue.count).max() ?? 0
        let margin = String(repeating: " ", count: width + 2)
        for finding in findings {
            let word = finding.result.rawValue
            lines.append("")
            lines.append(
                Self.shortened(word + String(repeating: " ", count: width - word.count + 2) + finding.title))
            lines += Self.wrapped(finding.evidence, margin: margin)
            if !finding.path.isEmpty { lines.append(Self.shortened(margin + finding.path)) }
            if let address { lines.append(margin + finding.pageAddress(address)) }
        }
        if let unlistedLeaksText {
            lines += [
                "",
                "and \(unlistedLeaksText)\(address.map { "; all leaks of the version: \(versionPageAddress($0))" } ?? "")",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Sentences

    /// The baseline's version and build, in words.
    private var baselineName: String {
        baseline.map { Self.versionName($0, baselineBuild) } ?? "earlier versions"
    }

    private static func versionName(_ version: String, _ build: String?) -> String {
        version + (build.map { " (build \($0))" } ?? "")
    }

    /// The reasons why the version fails: `2 leaks are worse, 1 is new and 1 is back`.
    private var failures: String {
        var parts: [String] = []
        for (count, word) in [(worseCount, "worse"), (newCount, "new"), (backCount, "back")] where count > 0 {
            let noun = parts.isEmpty ? (count == 1 ? " leak" : " leaks") : ""
            parts.append("\(Count(count))\(noun) \(count == 1 ? "is" : "are") \(word)")
        }
        if !worseClasses.isEmpty {
            let count = worseClasses.count
            parts.append(
                "in \(Count(count)) \(count == 1 ? "class" : "classes") the rate of all leaks together is worse"
            )
        }
        if let pool, pool.result == .worse {
            parts.append("in \(Count(pool.classCount)) rare classes the rate of all leaks together is worse")
        }
        let last = parts.popLast() ?? ""
        return parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last
    }

    /// The reason why the verdict is `cannotTell`.
    private var shortage: String {
        guard baseline != nil else { return "there is no earlier version to compare with" }
        guard let checked = classes.first(where: { $0.baselineChecks > 0 && !$0.isDecided }) else {
            return classes.isEmpty
                ? "the app reports no checks, the counts of objects that were expected to be freed"
                : "\(baselineName) has no checks to compare with"
        }
        return sentence(about: checked)
            + (growthText.map {
                "; about \($0) as many \(sessions.totalCount > 0 ? "sessions" : "checks") are needed"
            } ?? "")
    }

    /// ``neededGrowth`` in words, rounded up: `1.4 times` or `3 times`.
    private var growthText: String? {
        neededGrowth.map { growth in
            guard growth < 10_000 else { return "10,000 times or more" }
            guard growth < 2 else { return "\(Count(Int(growth.rounded(.up)))) times" }
            let tenths = Int((max(1, growth) * 10).rounded(.up))
            return "\(tenths / 10).\(tenths % 10) times"
        }
    }

    /// `true` in an environment in which each run of the app counts as a device.
    private var isInCI: Bool { environment == "ci" }

    /// Returns the reason why a class could not be compared.
    func sentence(about checked: CheckedClass) -> String {
        switch (checked.result, checked.neededChecks) {
        case (.notChecked, _):
            "\(checked.name) is no longer checked in \(Self.versionName(version, build)). Does this version still start the detector?"
        case (.fewDevices, _):
            "\(checked.name) is checked \(isInCI ? "in too few runs" : "on too few devices") to know how much the rate differs "
                + "between \(isInCI ? "runs" : "devices"); about 20 are needed \(isInCI ? "of" : "in") each version"
                + (isInCI ? ", each with an install of its own" : "")
        case (_, let needed?):
            "\(checked.name) has \(Count(checked.versionChecks)) of the \(Count(needed)) checks that it needs"
        case (_, nil):
            "\(baselineName) has only \(Self.countText(checked.baselineChecks, of: "check")) of \(checked.name), too few to compare with"
        }
    }

    /// The sentences that follow ``sentence``.
    var notes: [String] { notesOnLeaks + [noteOnSessions].compactMap(\.self) }

    /// The ``notes`` without the shares of leak-free sessions.
    var notesOnLeaks: [String] {
        var notes: [String] = []
        let uncheckedClasses = classes.filter { $0.result == .notChecked }
        if !uncheckedClasses.isEmpty, verdict != .cannotTell || uncheckedClasses.count > 1 {
            notes.append(
                "No longer checked in \(Self.versionName(version, build)): \(Self.listText(of: uncheckedClasses)). "
                    + "Does this version still start the detector?")
        }
        if let poolText { notes.append(poolText) }
        // A class that fails the version is listed with its leaks: its few checks were enough to show that.
        let failingClasses = Set(failingFindings.compactMap(\.className))
        let classesWithTooFewChecks = classes.filter {
            $0.result == .tooFew && !failingClasses.contains($0.name)
        }
        if !classesWithTooFewChecks.isEmpty {
            let named = classesWithTooFewChecks.prefix(Self.maxListedClasses).map { checked in
                checked.neededChecks.map {
                    "\(checked.name) (\(Count(checked.versionChecks)) of \(Count($0)))"
                }
                    ?? "\(checked.name) (only \(Count(checked.baselineChecks)) in \(baselineName))"
            }
            let more = classesWithTooFewChecks.count - named.count
            notes.append(
                "Too few checks: \(named.joined(separator: ", "))\(more > 0 ? " and \(Count(more)) more" : "")."
            )
        }
        let classesOnFewDevices = classes.filter { $0.result == .fewDevices }
        if !classesOnFewDevices.isEmpty, verdict != .cannotTell || classesOnFewDevices.count > 1 {
            notes.append(
                "Checked \(isInCI ? "in too few runs" : "on too few devices"): \(Self.listText(of: classesOnFewDevices))."
            )
        }
        // Without a baseline nothing was compared, as the result says.
        if uncomparedCount > 0, baseline != nil {
            notes.append(
                "Not compared: \(Self.countText(uncomparedCount, of: "leak")) of classes without checks in one of the versions."
            )
        }
        if betterCount > 0 {
            notes.append("The rate of \(Self.countText(betterCount, of: "leak")) has fallen.")
        }
        if setAsideCount > 0 || rareCount > 0 {
            let parts = [
                setAsideCount > 0
                    ? "\(Self.countText(setAsideCount, of: "leak")) that \(setAsideCount == 1 ? "is" : "are") known, ignored or resolved"
                    : nil,
                rareCount > 0
                    ? "\(Self.countText(rareCount, of: "new leak")) too rare to judge" : nil,
            ].compactMap { $0 }
            notes.append("Not counted: \(parts.joined(separator: "; ")).")
        }
        return notes.map { TerminalText.text($0) }
    }

    /// The shares of leak-free sessions; `nil` if the version sent no sessions.
    private var noteOnSessions: String? {
        guard sessions.totalCount > 0 else { return nil }
        let before = baselineSessions.flatMap {
            $0.totalCount > 0 ? ", \(baselineName): \(Self.leakFreeText(of: $0))" : nil
        }
        return TerminalText.text(
            "Leak-free sessions: \(Self.leakFreeText(of: sessions))\(before ?? "").")
    }

    /// The counts of the rare classes together; `nil` if each of these classes can be judged alone, or if a finding lists them.
    private var poolText: String? {
        guard let pool, pool.result != .worse, pool.undecidedClassCount > 0 else { return nil }
        let reason =
            switch pool.result {
            case .enough:
                "\(Count(pool.undecidedClassCount)) of them \(pool.undecidedClassCount == 1 ? "has" : "have") too few checks "
                    + "to be judged alone"
            case .tooFew: "too few checks"
            case .fewDevices: isInCI ? "too few runs" : "too few devices"
            case .worse: ""
            }
        return "\(poolTitle): \(Self.evidence(pool.version, before: pool.baseline, reason))."
    }

    /// `88 rare classes, judged together`
    var poolTitle: String { "\(Count(pool?.classCount ?? 0)) rare classes, judged together" }

    private static func leakFreeText(of sessions: Sessions) -> String {
        let free = sessions.totalCount - min(sessions.leakyCount, sessions.totalCount)
        return withPlainSpaces(
            "\(Percentage(free, of: sessions.totalCount)) of \(Count(sessions.totalCount))")
    }

    private static func listText(of classes: [CheckedClass]) -> String {
        let more = classes.count - maxListedClasses
        return classes.prefix(maxListedClasses).map(\.name).joined(separator: ", ")
            + (more > 0 ? " and \(Count(more)) more" : "")
    }

    // MARK: Leaks

    /// One finding of a release check: a leak that is worse, new, back or better; a class whose leaks together are worse; or the
    /// rare classes, if their leaks together are worse. All formats print the findings. Each text of a finding is one line.
    struct Finding {
        var result: ReleaseGate.LeakResult.Kind
        /// Text that differs for each finding of a release check.
        var id: String
        var title: String
        var className: String?
        /// The path of the leak as one line; empty if there is none.
        var path: String
        /// The rates in the version and in the baseline, and other counts, such as `600 of 1,000 checks (60.0 %), before 10 of
        /// 1,000 (1.0 %); 600 reports, 200 installs`.
        var evidence: String
        /// Reports and checks in the baseline.
        var baseline: Counts
        /// Reports and checks in the version that was checked.
        var version: Counts
        var reports: Int
        /// `nil` for classes.
        var installs: Int?
        /// The path and query of the page about the leak or classes: `/leaks/1f3a…`.
        var pagePath: String

        /// Returns the address of the page.
        func pageAddress(_ collectorAddress: String) -> String { collectorAddress + pagePath }
    }

    /// All findings, those that fail the version first.
    var findings: [Finding] {
        worseClasses.map(finding) + [poolFinding].compactMap(\.self) + leaks.map(Self.finding)
    }

    /// Findings that fail the version.
    var failingFindings: [Finding] { findings.filter { $0.result != .better } }

    private static func finding(_ leak: Leak) -> Finding {
        Finding(
            result: leak.result, id: leak.id, title: TerminalText.text(leak.title), className: leak.className,
            path: TerminalText.text(leak.path.joined(separator: " › ")),
            evidence: evidence(
                leak.version, before: leak.baseline,
                "\(countText(leak.reports, of: "report")), \(installsText(leak.installs))"),
            baseline: leak.baseline, version: leak.version, reports: leak.reports, installs: leak.installs,
            pagePath: "/leaks/\(PercentEncoder.encode(leak.id))")
    }

    private func finding(_ worse: WorseClass) -> Finding {
        Finding(
            result: .worse, id: "class \(worse.name) of \(AppKey(app, environment: environment))",
            title: TerminalText.text("\(worse.name), all leaks together"), className: worse.name, path: "",
            evidence: Self.evidence(
                worse.version, before: worse.baseline, "none of its leaks is worse by itself"),
            baseline: worse.baseline, version: worse.version, reports: worse.version.reports, installs: nil,
            pagePath: "/classes?" + Self.query([("class", worse.name)] + scope.parameters))
    }

    /// The app and its environment, which each address of a page needs.
    private var scope: AppScope { AppScope(app, environment: environment) }

    private static func query(_ parameters: [(name: String, value: String?)]) -> String {
        parameters.compactMap { name, value in value.map { "\(name)=\(PercentEncoder.encode($0))" } }
            .joined(separator: "&")
    }

    private var poolFinding: Finding? {
        guard let pool, pool.result == .worse else { return nil }
        return Finding(
            result: .worse, id: "rare classes of \(AppKey(app, environment: environment))",
            title: poolTitle, className: nil, path: "",
            evidence: Self.evidence(
                pool.version, before: pool.baseline, "none of these classes is worse by itself"),
            baseline: pool.baseline, version: pool.version, reports: pool.version.reports, installs: nil,
            pagePath: "/compare?" + Self.query(scope.parameters + [("to", version)]))
    }

    private static func evidence(_ version: Counts, before baseline: Counts, _ more: String) -> String {
        let noun = version.checks == 1 ? "check" : "checks"
        let now = rate(version).map { "\($0.counts) \(noun) (\($0.share))" }
        let before = rate(baseline).map { "before \($0.counts) (\($0.share))" }
        let rates = [now, before].compactMap { $0 }.joined(separator: ", ")
        return rates.isEmpty ? more : rates + "; " + more
    }

    /// Returns texts of the counts and of their share, such as `10 of 1,000` and `1.0 %`; `nil` without checks.
    static func rate(_ counts: Counts) -> (counts: String, share: String)? {
        guard counts.checks > 0 else { return nil }
        let reports = min(counts.reports, counts.checks)
        return (
            "\(Count(reports)) of \(Count(counts.checks))",
            withPlainSpaces("\(Percentage(reports, of: counts.checks))")
        )
    }

    /// Replaces the no-break spaces, which numbers on pages contain.
    private static func withPlainSpaces(_ text: String) -> String { text.replacing("\u{A0}", with: " ") }

    /// Text about the leaks that count but are not listed: `12 more new leaks`; `nil` if all are listed.
    var unlistedLeaksText: String? {
        let parts = [
            (worseCount, ReleaseGate.LeakResult.Kind.worse), (newCount, .new), (backCount, .back),
            (betterCount, .better),
        ].compactMap { count, kind -> String? in
            let more = count - leaks.count { $0.result == kind }
            guard more > 0 else { return nil }
            let leaks = more == 1 ? "leak" : "leaks"
            return kind == .new
                ? "\(Count(more)) more new \(leaks)"
                : "\(Count(more)) more \(leaks) that \(more == 1 ? "is" : "are") \(kind.rawValue)"
        }
        return parts.isEmpty ? nil : parts.joined(separator: " and ")
    }

    /// Returns the address of the page with all leaks of the version.
    ///
    /// - Parameter address: address of the collector.
    func versionPageAddress(_ address: String) -> String {
        "\(address)/?" + Self.query(scope.parameters + [("version", version)])
    }

    private static func installsText(_ installs: Int) -> String {
        "\(Count(installs: installs)) install\(installs == 1 ? "" : "s")"
    }

    static func countText(_ count: Int, of noun: String) -> String {
        "\(Count(count)) \(noun)\(count == 1 ? "" : "s")"
    }

    // MARK: Width

    private static func shortened(_ line: String) -> String {
        line.count <= maxColumns ? line : line.prefix(maxColumns - 1) + "…"
    }

    /// Returns the lines of a text that is broken at its spaces. Words that are longer than a line are cut.
    private static func wrapped(_ text: String, margin: String = "") -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= maxColumns - margin.count {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.map { shortened(margin + $0) }
    }
}
