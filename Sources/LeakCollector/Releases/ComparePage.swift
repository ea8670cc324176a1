internal import LeakMessage
internal import LeakStatistics
import LeakStore

/// Two versions of an app side by side: what got worse, what got better, what is new or back, and which classes
/// have too little data.
struct ComparePage: Component {
    var context: PageContext
    /// `nil` if there is no version yet.
    var check: ReleaseCheck?
    /// The same check as sentences.
    var result: ReleaseCheckResult?

    var html: HTML {
        PageLayout(
            title: title, section: .releases, context: context,
            main: #"""
                <p class="crumb"><a href="\#(context.links.to(.releases(app: context.query.scope)))">Releases</a></p>
                <h1>\#(IsolatedText(title))</h1>
                \#(EnvironmentForm(context: context, target: .compare(app: nil, from: nil, to: nil)))\#(form)\#(content)
                """#,
            footer: check.map { [#"<a href="\#(context.links.json(of: linkTarget($0)))">JSON</a>"#] } ?? []
        ).html
    }

    private var title: String {
        guard let check else { return "Compare versions" }
        return check.baseline.map { "\($0.version) and \(check.version.version)" } ?? check.version.version
    }

    private func linkTarget(_ check: ReleaseCheck) -> LinkTarget {
        .compare(app: check.scope, from: check.baseline?.version, to: check.version.version)
    }

    private var form: HTML? {
        guard context.links.isServed, let check else { return nil }
        let versions = context.versions.map { ($0, $0) }
        return #"""
            <form class="filters" action="\#(context.links.to(.compare(app: nil, from: nil, to: nil)))">\#
            <input type="hidden" name="app" value="\#(check.app)">\#
            \#(DropDownList.hiddenEnvironment(of: context))\#
            \#(DropDownList(name: "from", label: "Older version", emptyLabel: "version before", options: versions, selectedValue: check.baseline?.version))\#
            \#(DropDownList(name: "to", label: "Newer version", emptyLabel: nil, options: versions, selectedValue: check.version.version))\#
            <button>Compare</button></form>
            """#
    }

    private var content: HTML {
        guard let check, let result else {
            return """
                <div class="card empty"><h2>No versions yet</h2>
                <p>A version appears here with its first report or session.</p></div>
                """
        }
        // The tiles show the shares of leak-free sessions.
        let notes = result.notesOnLeaks.map { "<p>\(IsolatedText($0))</p>" as HTML }
        return #"""
            \#(Card(verdictBadge(check), "<p>\(IsolatedText(result.sentence))</p>\(notes)"))
            <dl class="tiles compared">\#(tiles(check))</dl>
            \#(worseClassesCard(check))\#(poolCard(check))\#(Section.allCases.compactMap { leaksCard($0, check) })
            \#(tooLittleDataCard(check))
            """#
    }

    private func verdictBadge(_ check: ReleaseCheck) -> HTML {
        switch check.verdict {
        case .passed: #"<span class="badge resolved">passed</span>"#
        case .failed: #"<span class="badge regressed">failed</span>"#
        case .cannotTell: #"<span class="badge open">cannot tell yet</span>"#
        }
    }

    // MARK: Numbers of a version

    private func tiles(_ check: ReleaseCheck) -> [HTML] {
        let sides = [check.baseline, check.version].compactMap(\.self)
        return sides.map { side in
            tile(
                "Leak-free sessions in \(IsolatedText(side.version))", leakFreeShare(side),
                of: Count(side.sessions.trials).text(noun: "session", plural: "sessions"),
                unknown: "Unknown: this version sent no sessions")
        }
            + sides.map { side in
                tile(
                    "Leaks per 1,000 checks in \(IsolatedText(side.version))", leaksPerThousandChecks(side),
                    of: Count(side.checks).text(noun: "check", plural: "checks"),
                    unknown: side.checks == 0
                        ? "Unknown: this version sent no checks"
                        : "Unknown: more reports than checks, so some are of classes without checks")
            }
    }

    private func tile(
        _ title: HTML, _ share: (value: HTML, interval: HTML?)?, of trials: String, unknown: HTML
    ) -> HTML {
        Tile(
            title: title, value: share?.value ?? "no data",
            note: share.map { share in
                share.interval.map { "\($0) with 95 % confidence, of \(trials)" }
                    ?? "of \(trials), from too few devices for an interval"
            } ?? unknown
        ).html
    }

    /// Returns the share of leak-free sessions and its confidence interval; `nil` without sessions. The interval is `nil` if
    /// too few devices sent sessions.
    private func leakFreeShare(_ side: ReleaseCheck.Side) -> (value: HTML, interval: HTML?)? {
        let sessions = side.sessions
        guard sessions.trials > 0 else { return nil }
        let leakFreeCount = sessions.trials - sessions.events
        return (
            "\(Percentage(leakFreeCount, of: sessions.trials))",
            side.leakFreeInterval.map(IntervalText.percent)
        )
    }

    /// Returns the leaks per 1,000 checks and their confidence interval. The interval is `nil` if too few devices sent checks.
    ///
    /// - Returns: `nil` if there are no checks, or more reports than checks: some reports are then of classes without checks.
    private func leaksPerThousandChecks(_ side: ReleaseCheck.Side) -> (value: HTML, interval: HTML?)? {
        guard side.checks > 0, side.reports <= side.checks else { return nil }
        let proportion = Proportion(events: side.reports, trials: side.checks)
        return (
            "\(Decimal(tenths: Int(saturating: proportion.rate * 10_000)))",
            side.leaksPerCheckInterval.map(IntervalText.perThousand)
        )
    }

    // MARK: Leaks

    /// The sections with leaks. The raw value of each is its anchor, the fragment of its address.
    enum Section: String, CaseIterable {
        case worse, new, back, fixed, better

        func contains(_ leak: ReleaseCheck.Leak) -> Bool {
            switch leak.result.kind {
            case .worse: self == .worse
            case .new: self == .new
            case .back: self == .back
            case .better: self == (leak.version.reports == 0 ? .fixed : .better)
            case .unchanged: false
            }
        }

        /// Returns the number of leaks in the section, including those that a release check does not list.
        func count(_ check: ReleaseCheck) -> Int {
            switch self {
            case .worse: check.worseCount
            case .new: check.newCount
            case .back: check.backCount
            case .fixed: check.fixedCount
            case .better: check.betterCount - check.fixedCount
            }
        }
    }

    private func leaksCard(_ section: Section, _ check: ReleaseCheck) -> HTML? {
        let (leaks, count) = (check.leaks.filter(section.contains), section.count(check))
        let (name, explanation) =
            switch section {
            case .worse: ("Worse", "The rate has risen, with 99 % confidence.")
            case .new: ("New", "Not seen in the older version, nor in any earlier version.")
            case .back: ("Back", "Marked as resolved, and seen again.")
            case .fixed: ("Fixed", "The rate has fallen to 0, with 99 % confidence.")
            case .better: ("Better", "The rate has fallen, with 99 % confidence.")
            }
        guard !leaks.isEmpty else { return nil }
        let more: HTML? =
            count > leaks.count ? #"<p class="dim">and \#(Count(count - leaks.count)) more</p>"# : nil
        return Card(
            "\(name) (\(Count(count)))",
            #"""
            <p class="dim">\#(explanation)</p><div class="scroll" tabindex="0" role="group" aria-label="\#(name)">\#
            <table class="small compared"><thead><tr><th scope="col">Leak</th><th scope="col" class="num">Rate before</th>\#
            <th scope="col" class="num">Rate now</th><th scope="col" class="num">Reports</th>\#
            <th scope="col" class="num">Installs</th></tr></thead><tbody>\#(leaks.map(row))</tbody></table></div>\#(more)
            """#, id: section.rawValue
        ).html
    }

    private func poolCard(_ check: ReleaseCheck) -> HTML? {
        guard let pool = check.pool else { return nil }
        let verdict: HTML =
            switch pool.result {
            case .worse:
                "The rate of their leaks together has risen, with 99 % confidence. The rate of no single leak or class has."
            case .enough: "A doubled rate would have been found."
            case .needs(let growth?):
                "Too few checks: \(Decimal(tenths: Int(saturating: (growth * 10).rounded(.up)))) times as many are needed."
            case .needs(nil): "The older version has too few checks to compare with."
            case .fewDevices: "Checked on too few devices."
            }
        return Card(
            "Rare classes, judged together",
            #"""
            <p class="dim">\#(Count(pool.classCount)) classes have at most a tenth of the older version’s checks each. They are compared class by \#
            class, and the differences are added up. \#(verdict)</p>\#
            <div class="scroll" tabindex="0" role="group" aria-label="Rare classes">\#
            <table class="small compared"><thead><tr><th scope="col">Classes</th><th scope="col" class="num">Rate before</th>\#
            <th scope="col" class="num">Rate now</th></tr></thead><tbody><tr><th scope="row">\#(Count(pool.classCount)) classes, \#
            \#(Count(pool.undecidedClassCount)) with too few checks to be judged alone</th>\#
            <td class="num">\#(rate(pool.baseline))</td><td class="num">\#(rate(pool.version))</td></tr></tbody></table></div>
            """#, id: Self.poolAnchor
        ).html
    }

    static let poolAnchor = "rare-classes"
    static let worseClassesAnchor = "worse-classes"
    static let tooLittleDataAnchor = "cannot-tell"

    private func worseClassesCard(_ check: ReleaseCheck) -> HTML? {
        guard !check.worseClasses.isEmpty else { return nil }
        let rows = check.worseClasses.map { worse -> HTML in
            let link = context.links.to(.leakClass(worse.className, app: check.scope))
            return #"""
                <tr><th scope="row"><a href="\#(link)">\#(IsolatedText(worse.className))</a></th>\#
                <td class="num">\#(rate(worse.baseline))</td><td class="num">\#(rate(worse.version))</td></tr>
                """#
        }
        return Card(
            "Classes whose leaks together became more frequent (\(Count(check.worseClasses.count)))",
            #"""
            <p class="dim">The rate of all leaks of the class together has risen, with 99 % confidence, but the rate of no single leak has.</p>\#
            <div class="scroll" tabindex="0" role="group" aria-label="Worse classes">\#
            <table class="small compared"><thead><tr><th scope="col">Class</th><th scope="col" class="num">Rate before</th>\#
            <th scope="col" class="num">Rate now</th></tr></thead><tbody>\#(rows)</tbody></table></div>
            """#, id: Self.worseClassesAnchor
        ).html
    }

    private func row(_ leak: ReleaseCheck.Leak) -> HTML {
        #"""
        <tr><th scope="row"><a href="\#(context.links.to(.leak(leak.row.identity.id)))">\#
        \#(IsolatedText(leak.row.identity.title))</a><small>\#(LeakPath(brief: leak.row.identity))</small></th>\#
        <td class="num">\#(rate(leak.baseline))</td><td class="num">\#(rate(leak.version))</td>\#
        <td class="num">\#(Count(leak.row.reports))</td><td class="num">\#(Count(installs: leak.row.installs))</td></tr>
        """#
    }

    private func rate(_ counts: ReleaseCheck.RateCounts) -> HTML {
        guard counts.checks > 0 else { return #"<span class="dim">not checked</span>"# }
        return
            "\(Percentage(min(counts.reports, counts.checks), of: counts.checks))<small>of \(Count(counts.checks))</small>"
    }

    private func tooLittleDataCard(_ check: ReleaseCheck) -> HTML? {
        let incompleteClasses = check.classes.filter { checked in
            switch checked.result {
            case .enough, .new, .pooled, .setAside: false
            case .needs, .fewDevices, .notChecked: true
            }
        }
        guard !incompleteClasses.isEmpty else {
            guard check.baseline != nil, !check.hasEnoughData else { return nil }
            return Card(
                "Too little data",
                #"<p class="dim">The two versions have too few checks of the same classes.</p>"#,
                id: Self.tooLittleDataAnchor
            ).html
        }
        let rows = incompleteClasses.map { checked -> HTML in
            let needed: HTML =
                switch checked.result {
                case .needs(let checks?): "\(Count(checks))"
                case .needs(nil): #"<span class="dim">too few checks before</span>"#
                case .fewDevices: #"<span class="dim">more devices</span>"#
                default: #"<span class="dim">no longer checked</span>"#
                }
            return #"""
                <tr><th scope="row">\#(IsolatedText(checked.className))</th><td class="num">\#(Count(checked.baselineChecks))</td>\#
                <td class="num">\#(Count(checked.versionChecks))</td><td class="num">\#(needed)</td></tr>
                """#
        }
        return Card(
            "Too little data (\(Count(incompleteClasses.count).text(noun: "class", plural: "classes")))",
            #"""
            <p class="dim">With fewer checks than needed, this comparison may miss a doubled rate of the class.</p>\#
            <div class="scroll" tabindex="0" role="group" aria-label="Classes with too few checks">\#
            <table class="small compared"><thead><tr><th scope="col">Class</th><th scope="col" class="num">Checks before</th>\#
            <th scope="col" class="num">Checks now</th><th scope="col" class="num">Needed</th></tr></thead>\#
            <tbody>\#(rows)</tbody></table></div>
            """#, id: Self.tooLittleDataAnchor
        ).html
    }
}
