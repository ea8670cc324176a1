import LeakSeededRandom
import LeakMessage
import LeakStatistics
import Testing

@testable import LeakCollector
@testable import LeakStore

/// A page, with its path in ``Resources/addresses``; `nil` for a page that is not listed there.
private typealias TestedPage = (path: String?, html: HTML)

/// Returns pages with the same text in place of every value that can come from outside.
private func pages(_ text: String) -> [TestedPage] {
    var context = Shop.context {
        $0.app = text
        $0.version = text
        $0.kind = text
        $0.className = text
        $0.search = text
        $0.cursor = text
    }
    context.apps = [text, "other"]
    context.versions = [text]
    let leak = LeakIdentity(
        id: LeakID(high: 1, low: 2), app: text, kind: text, className: text, module: text, title: text,
        stack: [text, text], children: [text], cycle: [text, "b", "c"], quality: .full,
        groupingKey: GroupingKey(version: 1, className: text, stack: [text]))
    var row = Shop.row(
        leak, isNew: true, reports: 3, freed: 2, installs: 1, alive: 1, lived: Percentiles(p50: 1, p90: 2),
        firstVersion: text,
        lastVersion: text, lastSeenAgo: 0, trend: [1, 2], rate: ReportsAndChecks(reports: 1, checks: 60))
    var regressed = row
    regressed.state = .regressed
    regressed.decisionStatus = DecisionStatus(
        decision: PastDecision(.resolved(version: text, isAfter: true), note: text, by: text, at: 0),
        reportsSince: 1, regressedIn: text)
    regressed.fix = Shop.fixStatus([(text, 1, 5_000)], regressedIn: text)
    let release = ReleaseSummary(
        version: text, builds: [text, "2"], reports: 1, leaks: 1, newLeaks: 1, installs: 1, sessions: 9,
        leakySessions: 1,
        checks: 9, firstSeen: 0, lastSeen: 0)
    var previous = release
    previous.leakySessions = 0
    let overview = Overview(
        currentRelease: release, previousRelease: previous, newLeaks: 5, newLeakTitles: [text, text],
        regressedLeaks: 3,
        regressedLeakTitles: [text], recentReports: 1,
        recentInstalls: 1,
        recentLeaks: 1, leaks: 1, reports: 1, dropped: [Submission.Dropped(app: text, reason: text, count: 1)]
    )
    let history: [PastDecision] = [
        PastDecision(.resolved(version: text, isAfter: true), note: text, by: text, at: 0),
        PastDecision(.ignored(.nextReports(3)), note: text, by: text, at: 0),
        PastDecision(.noted, note: text, by: text, at: 0),
    ]
    row.decisionStatus = DecisionStatus(decision: history[0], reportsSince: 1, regressedIn: text)
    row.state = .regressed
    row.fix = Shop.fixStatus([(text, 9, 5_000)], regressedIn: text)
    var detail = LeakDetail(
        row: row,
        versions: ["", text].map {
            LeakDetail.VersionCount(
                version: text, build: $0 + text, reports: 1, installs: 1, versionInstalls: 1)
        },
        systems: [LeakDetail.ValueCount(value: text, reports: 1)],
        models: [LeakDetail.ValueCount(value: text, reports: 1)],
        trend: Trend(step: .day, from: 0, versions: [Trend.Series(version: text, counts: [1])]),
        siblings: [LeakDetail.Sibling(id: leak.id, stack: [text], reports: 1)], samples: 1)
    detail.history = history
    let reference = RetainReference(owner: "A", field: "f", kind: .property, isClosure: true)
    var explanation = RetainExplanation()
    explanation.path = RetainPath(references: [reference], target: "A", isCycle: true)
    detail.reasons = [LeakDetail.ValueCount(value: StoredReason(explanation).text, reports: 1)]
    // The names in symbols contain no control characters.
    let name = String(
        String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    let closures = "\(explanation.path?.fingerprint ?? "")\n\(name)\tf\t1"
    detail.closures = [LeakDetail.ValueCount(value: closures, reports: 1)]
    var resolved = detail
    resolved.row.state = .resolved
    resolved.row.decisionStatus?.regressedIn = nil
    resolved.row.fix = Shop.fixStatus([(text, 0, 5_000)])
    var relatedLeaks = RelatedLeaks()
    let outline = LeakOutline(
        id: leak.id, title: text, className: text, stack: [text],
        groupingKey: GroupingKey(version: 2, className: text, stack: [text]), reports: 1)
    var other = outline
    (other.id, other.groupingKey.stack) = (LeakID(high: 5, low: 5), [text + "2"])
    relatedLeaks.closest = SimilarLeak.closest(to: outline, among: [other])
    relatedLeaks.successor = Successor(identity: leak, outline: other)
    let kept = makeStoredSample(text)
    var unreadable = kept
    unreadable.report = nil
    let pages: [TestedPage] = [
        (
            SummaryResource.pagePath,
            SummaryPage(
                context: context, overview: overview,
                page: LeakPage(
                    leaks: [row, regressed], next: text, total: 2, reports: 1,
                    known: LeakTotals(leaks: 1, reports: 1), resolved: LeakTotals(leaks: 1, reports: 1)),
                knownLeaks: [row]
            ).html
        ),
        (
            SummaryResource.pagePath,
            SummaryPage(
                context: PageContext(links: context.links, now: context.now), overview: overview,
                page: LeakPage(
                    leaks: [], next: nil, total: 0, reports: 0, resolvedSeen: LeakTotals(leaks: 1, reports: 1)
                ),
                resolvedSeenLeaks: [resolved.row]
            ).html
        ),
        (
            SummaryResource.pagePath,
            SummaryPage(
                context: PageContext(
                    links: context.links, now: context.now, apps: [text, "b"], versions: context.versions),
                overview: overview, page: LeakPage(leaks: [row], next: nil, total: 1, reports: 1),
                apps: [
                    AppOverview(app: text, overview: overview),
                    AppOverview(app: text, overview: withoutSessions(overview)),
                ]
            ).html
        ),
        (
            SummaryResource.pagePath,
            SummaryPage(
                context: context, overview: overview,
                page: LeakPage(leaks: [], next: nil, total: 0, reports: 0)
            ).html
        ),
        (
            LeakResource.pagePath,
            LeakDetailPage(
                context: context, detail: detail, hourlyTrend: detail.trend, newestSample: kept,
                firstSample: kept
            ).html
        ),
        (
            LeakResource.pagePath,
            LeakDetailPage(context: context, detail: resolved, relatedLeaks: relatedLeaks).html
        ),
        (
            ReportsResource.pagePath,
            ReportsPage(context: context, leak: leak, reports: [kept, unreadable]).html
        ),
        (
            ReleasesResource.pagePath,
            ReleasesPage(context: context, app: AppScope(text, environment: text), releases: [release]).html
        ),
        (nil, FirstReportPage(context: context, address: text).html),
        (nil, SignInPage(context: context, notice: nil, destination: text).html),
        (nil, SignInPage(context: context, notice: nil, code: text, destination: text).html),
        (nil, ErrorPage(context: context, status: 500, detail: text).html),
        (
            AccessResource.pagePath,
            AccessPage(
                context: context,
                apps: [
                    AccessPage.App(key: AppKey(text, environment: text), currentRelease: text, lastSeen: 0)
                ],
                appCount: 1,
                keys: [credential(text, .ingest), credential(text, .ingest, revokedAt: 0)],
                tokens: [credential(text, .access)], channels: [.failed(text)]
            ).html
        ),
        (
            AccessResource.pagePath,
            AccessPage(
                context: context, apps: [], appCount: 0, keys: [credential(text, .ingest)], tokens: [],
                rejected: rejected(.create, nil, text)
            ).html
        ),
        (
            AccessResource.pagePath,
            AccessPage(
                context: context, apps: [], appCount: 0, keys: [credential(text, .ingest)], tokens: [],
                rejected: rejected(.rename, 1, text)
            ).html
        ),
        (
            nil,
            NewSecretPage(
                context: context, kind: .keys, credential: credential(text, .ingest), secret: "s",
                address: "a"
            ).html
        ),
    ]
    return pages + morePages(text, context, row, reasons: detail.reasons)
}

private func rulesPage(_ text: String, _ context: PageContext, _ row: LeakRow) -> HTML {
    var page = RulesPage(
        context: context, app: text, versions: [AppRules(app: text, version: 1, text: text, by: text, at: 0)],
        text: text, problem: text)
    var preview = RulesPreview(app: AppKey(text, environment: text))
    preview.groups = [
        RulesPreview.Group(
            id: row.identity.id, title: text, line: 1, reports: 2,
            leaks: [RulesPreview.Leak(row: row, recentReports: (1, 2), samples: 3, movedSamples: 4)])
    ]
    page.preview = preview
    return page.html
}

private func eventsPage(_ text: String, _ context: PageContext, _ app: AppKey, leak: LeakID) -> HTML {
    var events = (Event.Kind.all + [Event.Kind(rawValue: text)]).map { kind in
        Event(
            id: 1, at: 0, kind: kind, app: app, version: text, build: text, leak: leak, key: text,
            title: text,
            text: text, details: text)
    }
    for index in events.indices { events[index].hasLeak = index.isMultiple(of: 2) }
    return EventsPage(
        context: context, filter: EventFilter(app: text, environment: text, kind: .newLeak), events: events,
        next: 1, isFirst: false
    ).html
}

/// Returns the pages about classes, causes, comparisons, merges and the administration.
///
/// - Parameter reasons: the stored reasons of the leak.
private func morePages(
    _ text: String, _ context: PageContext, _ row: LeakRow, reasons: [LeakDetail.ValueCount]
) -> [TestedPage] {
    var context = context
    context.environments = [text]
    context.query.environment = text
    let key = AppKey(text, environment: text)
    var otherRow = row
    otherRow.identity = LeakIdentity(
        id: LeakID(high: 3, low: 4), app: text, kind: text, className: text, module: text, title: text,
        stack: [text], children: [], cycle: [], quality: .full,
        groupingKey: GroupingKey(version: 1, className: text, stack: [text]))
    let results: [ReleaseGate.LeakResult] = [
        .worse(probability: 1e-9), .new(probability: nil), .back, .better(probability: 1e-4),
    ]
    var check = SampleCheck.check(
        .failed, results.map { SampleCheck.leak($0, row, before: (10, 1_000), (600, 1_000)) })
    (check.app, check.environment) = (text, text)
    check.version.version = text
    check.baseline?.version = text
    (check.worseCount, check.newCount, check.backCount, check.betterCount) = (1, 1, 1, 1)
    check.worseClasses = [
        ReleaseCheck.WorseClass(
            className: text, probability: 1e-6, baseline: .init(reports: 250, checks: 5_000),
            version: .init(reports: 1_240, checks: 5_000))
    ]
    check.classes = [
        SampleCheck.checked(text, .notChecked, 10, 0), SampleCheck.checked(text, .needs(checks: 3), 5, 1),
    ]
    var counts = ForgetCounts()
    (counts.leaks, counts.reports, counts.kept.leaks) = (1, 2, 1)
    let targets: [ForgetTarget] = [
        .leak(row.identity.id), .version(text, of: key), .environment(key), .app(text), .key(1, since: 0),
    ]
    let forgetPages = targets.map { target in
        ForgetPage(
            context: context, target: target, counts: counts, leakTitle: text,
            key: credential(text, .ingest)
        ).html
    }
    let pages: [TestedPage] = [
        (
            ClassResource.pagePath,
            ClassPage(
                context: context,
                leakClass: LeakClass(
                    name: text, modules: [text, text], leaks: [row], total: 2, reports: 3, freed: 1,
                    installs: 1, lived: Percentiles(p50: 1, p90: 2), firstSeen: 0, lastSeen: 1,
                    related: [LeakClass.Related(name: text, leaks: 1, reports: 1)])
            ).html
        ),
        (
            CausesResource.pagePath,
            CausesPage(
                context: context,
                sharedCauses: SharedCauses(
                    leaks: [row, otherRow], total: 3,
                    reasons: [row.identity.id: reasons, otherRow.identity.id: reasons], first: nil)
            ).html
        ),
        (
            CompareResource.pagePath,
            ComparePage(context: context, check: check, result: try? ReleaseCheckResult(check)).html
        ),
        (MergeResource.pagePath, MergePage(context: context, source: row, typed: text).html),
        (
            MergeResource.pagePath,
            MergePage(context: context, source: row, typed: text, target: otherRow).html
        ),
        (
            AuditResource.pagePath,
            AuditPage(
                context: context,
                entries: [
                    AuditEntry(
                        at: 0, actor: text, token: 1, action: AuditEntry.Action(rawValue: text), object: text,
                        details: text, address: text)
                ], next: 5, isFirst: false
            ).html
        ),
        (
            RetentionResource.pagePath,
            RetentionPage(
                context: context, rule: RetentionRule(), apps: [RetentionCounts(app: key, leaks: 1)]
            ).html
        ),
        (RulesResource.pagePath, rulesPage(text, context, row)),
        (RulesResource.pagePath, RulesAppsPage(context: context, apps: [text]).html),
        (EventsResource.pagePath, eventsPage(text, context, key, leak: row.identity.id)),
    ]
    return pages + forgetPages.map { (ForgetResource.pagePath, $0) }
}

/// Returns an overview in which only an older version has sessions.
private func withoutSessions(_ overview: Overview) -> Overview {
    var overview = overview
    overview.lastSessions = overview.currentRelease.map {
        VersionSessions(version: $0.version, sessions: 4, leakySessions: 1)
    }
    overview.currentRelease?.sessions = 0
    return overview
}

private func rejected(_ action: CredentialMutation.Action, _ id: Int64?, _ text: String) -> RejectedForm {
    var fields = CredentialFields()
    fields.name = text
    fields.app = text
    return RejectedForm(
        form: CredentialForm(kind: .keys, action: action, id: id), fields: fields, reason: text)
}

private func credential(
    _ text: String, _ purpose: Credential.Purpose, revokedAt: Int64? = nil
) -> Credential {
    Credential(
        id: 1, purpose: purpose, name: text, hash: [], app: text, createdAt: 0,
        revokedAt: revokedAt)
}

private func makeStoredSample(_ text: String) -> ParsedSample {
    var report = LeakReport()
    report.reason = text
    report.stack = [text, text]
    report.cycle = [text, text]
    report.message = text
    report.error = ReportedError(domain: text, code: 1, userInfo: [CustomKey(text, .string(text))])
    report.keys = [CustomKey(text, .string(text))]
    report.log = [text, text]
    return ParsedSample(
        sample: SampleReport(
            reason: .newest, at: 0,
            origin: Submission.Origin(app: text, version: text, build: text, system: text, model: text),
            body: Array(text.utf8)),
        report: report)
}

@Suite struct HostileTests {
    static let texts: [String] = {
        let pieces = [
            "<script>", "</title>", "</textarea>", "\"", "'", "onload=", "style=", "javascript:", "&", "&lt;",
            "<!--", "-->",
            "]]>", "<", ">", "\u{0}", "\u{1B}", "\u{202E}", "\u{2067}", "\u{FEFF}", "א", "👩‍👩‍👧", "é", " ", "\n",
            "/", "\\", "`",
            "=", "{{", "%00", "A.b", "a",
        ]
        var random = SeededRandom(seed: 20)
        var texts =
            pieces + [
                String(repeating: "W", count: 512), String(repeating: "W", count: 2000),
                String(repeating: "👩‍👩‍👧", count: 20),
            ]
        for _ in 0..<60 {
            let count = Int.random(in: 1...6, using: &random)
            texts.append((0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined())
        }
        return texts
    }()

    /// Returns the elements and attributes of a page, without the elements whose number depends on the text: `bdi`,
    /// `small` and `code`.
    private func shape(_ html: HTML) throws -> [String] {
        try Markup(html.bytes).shape.filter { !["bdi", "small", "code"].contains($0) }
    }

    @Test func `every page in the list of resources is tested with texts from outside`() {
        let paths = Resources.addresses.filter { $0.representation == .page }.map(\.path)
        #expect(paths.count > 10 && Set(paths) == Set(pages("x").compactMap(\.path)))
    }

    @Test func `no text from outside changes the markup of a page`() throws {
        let short = try pages("x").map { try shape($0.html) }
        for text in Self.texts {
            // Every long text is in a scrolling box, so it is compared with another text of its length.
            let isShort = 2 * text.utf8.count <= LongText.maxShortBytes
            let like = String(repeating: "x", count: text.utf8.count)
            for (page, expected) in zip(
                pages(text), isShort ? short : try pages(like).map { try shape($0.html) })
            {
                #expect(try shape(page.html) == expected, "\(page.path ?? ""), \(text.debugDescription)")
            }
        }
    }

    @Test func `every text from outside is shown completely on a page`() throws {
        for text in Self.texts {
            let shown = String(
                String.UnicodeScalarView(
                    text.unicodeScalars.map { scalar in
                        switch scalar.value {
                        case 0x09, 0x0A: scalar
                        case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
                        default: scalar
                        }
                    }))
            for (index, page) in pages(text).enumerated() {
                let found = try Markup(page.html.bytes).texts.contains {
                    $0.unicodeScalars.elementsEqual(shown.unicodeScalars) || $0.contains(shown)
                }
                #expect(found, "page \(index) \(page.path ?? ""), \(text.debugDescription)")
            }
        }
    }
}
