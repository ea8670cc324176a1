import LeakMessage
import LeakStore

@testable import LeakCollector

/// The data of the golden pages, at noon of 20 November 2026.
enum Shop {
    static let now: Int64 = 1_795_176_003_000
    static let today = 20_777
    static let minute: Int64 = 60_000
    static let hour: Int64 = 3_600_000

    static func context(
        _ links: Links = Links(mode: .server(base: "")), _ change: (inout LeakQuery) -> Void = { _ in }
    ) -> PageContext {
        var query = LeakQuery()
        query.app = "com.acme.shop"
        change(&query)
        return PageContext(
            links: links, now: now, apps: ["com.acme.shop", "com.acme.driver"],
            versions: ["5.2.0", "5.1.0", "5.0.1"],
            query: query)
    }

    static func leak(
        _ number: UInt64, _ title: String, kind: String = "view_controller", stack: [String],
        children: [String] = [],
        cycle: [String] = [], quality: LeakIdentity.Quality = .full
    ) -> LeakIdentity {
        LeakIdentity(
            id: LeakID(high: 0x7f3c_0000_0000_0000 | number, low: number), app: "com.acme.shop", kind: kind,
            className: quality == .low ? nil : title, module: "Shop", title: title, stack: stack,
            children: children,
            cycle: cycle, quality: quality,
            groupingKey: GroupingKey(version: 1, className: title, stack: stack))
    }

    static func row(
        _ leak: LeakIdentity, isNew: Bool = false, state: LeakState = .open, known: KnownMatch? = nil,
        decisionStatus: DecisionStatus? = nil,
        reports: Int,
        freed: Int = 0,
        installs: Int,
        alive: Int? = nil, lived: Percentiles? = nil, firstVersion: String, newInBuild: String? = nil,
        lastVersion: String = "5.2.0",
        lastSeenAgo age: Int64,
        trend: [Int], rate: ReportsAndChecks?, previousVersionRate: ReportsAndChecks? = nil,
        fix: FixStatus? = nil
    ) -> LeakRow {
        LeakRow(
            identity: leak, state: state, known: known, decisionStatus: decisionStatus, fix: fix,
            isNew: isNew,
            reports: reports,
            freed: freed, installs: installs, impact: installs / 2,
            maxAlive: alive, lived: lived, firstVersion: firstVersion, newInBuild: newInBuild,
            lastVersion: lastVersion,
            firstSeen: now - 51 * hour,
            lastSeen: now - age, trendFrom: today - 13, trend: trend, rate: rate,
            previousVersionRate: previousVersionRate)
    }

    static let checkout = row(
        leak(
            1, "CheckoutViewController", stack: ["UINavigationController", "CheckoutViewController"],
            children: ["PaymentSheet<ApplePay>"],
            cycle: ["closure", "CheckoutViewController.onPaid", "closure"]),
        isNew: true, reports: 1284, freed: 12, installs: 812, alive: 3,
        lived: Percentiles(p50: 14_000, p90: 60_000),
        firstVersion: "5.2.0", newInBuild: "812", lastSeenAgo: 2 * hour,
        trend: [0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 60, 210, 480, 530],
        rate: ReportsAndChecks(reports: 1207, checks: 14_901),
        previousVersionRate: ReportsAndChecks(reports: 31, checks: 9_310))

    /// The status of a leak that was resolved in 5.0.0 and seen again.
    static let regressedStatus = DecisionStatus(
        decision: PastDecision(
            .resolved(version: "5.0.0", isAfter: false), note: "weak self", by: "anna", at: now - 700 * hour),
        reportsSince: 571, regressedIn: "5.2.0")

    /// Returns the evidence for a fix of a leak that had a rate of 14.4 % before the fix.
    ///
    /// - Parameters:
    ///   - versions: reports and checks of the versions since the fix.
    ///   - regressionVersion: the version in which the leak was seen again.
    static func fixStatus(
        _ versions: [(version: String, reports: Int, checks: Int)],
        regressedIn regressionVersion: String? = nil
    ) -> FixStatus {
        func spread(_ count: Int) -> BucketCounts {
            BucketCounts(
                (0..<50).map { BucketCounts.Part(bucket: $0, count: count / 50 + ($0 < count % 50 ? 1 : 0)) })
        }
        var counts = FixCounts()
        for (version, reports, checks) in [("", 1_440, 10_000)] + versions {
            counts.add(
                FixCounts.Version(
                    version: version, hasFix: !version.isEmpty, firstUse: now - 400 * hour,
                    seenAgainDay: reports > 0 ? today - 2 : nil,
                    counts: FixCounts.Counts(checks: spread(checks), reports: spread(reports))))
        }
        return counts.status(regressedIn: regressionVersion)
    }

    /// A resolved leak that is still reported from old versions.
    static let resolved = row(
        leak(8, "ProfileViewController", stack: ["UITabBarController", "ProfileViewController"]),
        state: .resolved,
        decisionStatus: DecisionStatus(
            decision: PastDecision(
                .resolved(version: "5.2.0", isAfter: false), note: nil, by: "anna", at: now - 90 * hour),
            reportsSince: 0), reports: 57, installs: 31, firstVersion: "5.0.1", lastVersion: "5.1.0",
        lastSeenAgo: 3 * hour,
        trend: [0, 0, 0, 0, 4, 7, 9, 11, 9, 6, 5, 3, 2, 1],
        rate: ReportsAndChecks(reports: 57, checks: 4_100),
        fix: fixStatus([("5.2.0", 0, 120)]))

    static let rows: [LeakRow] = [
        checkout,
        row(
            leak(
                2, "CartViewModel", kind: "object", stack: [],
                cycle: ["CartViewModel.onChange", "closure", "CartViewModel"]),
            state: .regressed, decisionStatus: regressedStatus, reports: 641, installs: 402,
            firstVersion: "4.9.0",
            lastSeenAgo: 31 * minute,
            trend: [40, 22, 8, 0, 0, 0, 0, 0, 0, 0, 12, 90, 201, 268],
            rate: ReportsAndChecks(reports: 641, checks: 16_025),
            fix: fixStatus([("5.1.0", 0, 120), ("5.2.0", 641, 16_025)], regressedIn: "5.2.0")),
        row(
            leak(
                3, "ProductCell", kind: "view",
                stack: ["ProductListController", "UITableView", "ProductCell"]),
            reports: 388, installs: 297, firstVersion: "5.0.1", lastSeenAgo: 4 * minute,
            trend: [30, 25, 28, 31, 22, 19, 26, 33, 29, 28, 27, 30, 31, 29],
            rate: ReportsAndChecks(reports: 388, checks: 13_380)),
        row(
            leak(4, "SearchResultsController", stack: ["UINavigationController", "SearchResultsController"]),
            state: .slow, reports: 240, freed: 236, installs: 198, lived: Percentiles(p50: 2300, p90: 4100),
            firstVersion: "5.1.0", lastSeenAgo: hour,
            trend: [10, 12, 18, 20, 22, 15, 12, 18, 19, 21, 20, 18, 17, 18],
            rate: ReportsAndChecks(reports: 240, checks: 12_000)),
        row(
            leak(
                5, "UIHostingController<ProfileView>",
                stack: ["UITabBarController", "UIHostingController<ProfileView>"]),
            reports: 97, installs: 71, firstVersion: "5.1.0", lastVersion: "5.1.0", lastSeenAgo: 75 * hour,
            trend: [0, 0, 0, 0, 4, 7, 9, 11, 9, 12, 10, 12, 11, 12],
            rate: ReportsAndChecks(reports: 40, checks: 49)),
        row(
            leak(6, "Objekt nach # Sekunden noch im Speicher", kind: "object", stack: [], quality: .low),
            reports: 1, installs: 1, firstVersion: "5.1.0", lastSeenAgo: 300 * hour,
            trend: [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], rate: nil),
    ]

    static let textField = KnownLeakRule(
        id: "uitextfield", className: pattern("UITextField"),
        systems: [SystemRange(name: "iOS", from: SystemVersion("11.2"), before: SystemVersion("11.3"))],
        reason: "iOS 11.2 never frees a text field.", source: "https://example.com/text?a=1&b=2")

    private static func pattern(_ text: String) -> NamePattern {
        guard let pattern = NamePattern(text) else { preconditionFailure("\(text) is not a pattern") }
        return pattern
    }

    static let knownLeaks: [LeakRow] = [
        row(
            leak(7, "UITextField", kind: "view", stack: ["LoginViewController", "UITextField"]),
            state: .known,
            known: KnownMatch(rule: textField, reports: 1902, reportsElsewhere: 0), reports: 1902,
            installs: 1544,
            firstVersion: "4.2.0",
            lastSeenAgo: 5 * hour,
            trend: [140, 138, 150, 133, 128, 141, 139, 137, 135, 129, 133, 131, 138, 130],
            rate: nil)
    ]

    static let releases: [ReleaseSummary] = [
        release(
            "5.2.0", ["809", "812"], reports: 3102, leaks: 6, new: 1, back: 1, sessions: 41_220,
            leaky: 536, checks: 120_400, days: 4, adoption: 9_204),
        release(
            "5.1.0", ["790"], reports: 2011, leaks: 5, new: 2, sessions: 98_100, leaky: 402,
            checks: 301_000, days: 30),
        release("5.0.1", [], reports: 12, leaks: 1, new: 1, sessions: 0, leaky: 0, checks: 0, days: 400),
    ]

    static func release(
        _ version: String, _ builds: [String], reports: Int, leaks: Int, new: Int, back: Int = 0,
        sessions: Int,
        leaky: Int, checks: Int, days: Int64, adoption: Int? = nil
    ) -> ReleaseSummary {
        ReleaseSummary(
            version: version, isCurrent: adoption != nil,
            adoption: adoption.map {
                ReleaseSummary.Adoption(count: $0, total: 14_800, until: now / hour * hour + hour)
            }, builds: builds, reports: reports, leaks: leaks, newLeaks: new,
            regressedLeaks: back,
            installs: reports / 2,
            sessions: sessions, leakySessions: leaky, checks: checks, firstSeen: now - days * 24 * hour,
            lastSeen: now - days * hour / 8)
    }

    static let overview = Overview(
        currentRelease: releases[0], previousRelease: releases[1], newLeaks: 1,
        newLeakTitles: ["CheckoutViewController"],
        regressedLeaks: 1, regressedLeakTitles: ["CartViewModel"],
        recentReports: 1002, recentInstalls: 731, recentLeaks: 5, leaks: 12, reports: 4765,
        known: LeakTotals(leaks: 1, reports: 1902), resolved: LeakTotals(leaks: 3, reports: 200),
        ignored: LeakTotals(leaks: 2, reports: 12),
        dropped: [
            Submission.Dropped(app: "com.acme.shop", reason: "budget", count: 12),
            Submission.Dropped(app: "com.acme.shop", reason: "too_old", count: 2),
        ])

    static let page = LeakPage(
        leaks: rows, next: nil, total: 6, reports: 2651, known: LeakTotals(leaks: 1, reports: 1902),
        resolved: LeakTotals(leaks: 3, reports: 200), ignored: LeakTotals(leaks: 2, reports: 12),
        resolvedSeen: LeakTotals(leaks: 1, reports: 57))

    static let detail = LeakDetail(
        row: checkout,
        versions: [
            LeakDetail.VersionCount(
                version: "5.2.0", build: "812", reports: 1150, installs: 730, versionInstalls: 765),
            LeakDetail.VersionCount(
                version: "5.2.0", build: "809", reports: 57, installs: 47, versionInstalls: 765),
            LeakDetail.VersionCount(
                version: "5.2.0-beta", build: nil, reports: 77, installs: 35, versionInstalls: 35),
        ],
        systems: [
            LeakDetail.ValueCount(value: "iOS 19.1", reports: 842),
            LeakDetail.ValueCount(value: "iOS 19.0", reports: 301),
            LeakDetail.ValueCount(value: "iOS 18.6", reports: 141),
        ],
        models: [
            LeakDetail.ValueCount(value: "iPhone17,1", reports: 700),
            LeakDetail.ValueCount(value: "iPad14,3", reports: 584),
        ],
        trend: Trend(
            step: .day, from: today - 13,
            versions: [
                Trend.Series(version: "5.2.0", counts: [0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 55, 190, 448, 511]),
                Trend.Series(version: "5.2.0-beta", counts: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 5, 20, 32, 19]),
            ]),
        siblings: [
            LeakDetail.Sibling(
                id: LeakID(high: 9, low: 9),
                stack: ["UITabBarController", "CartController", "CheckoutViewController"],
                reports: 31),
            LeakDetail.Sibling(id: LeakID(high: 9, low: 10), stack: [], reports: 2),
        ],
        samples: 24)

    /// A leak that was seen again after it was resolved. Some of its objects are freed late.
    static var regressedDetail: LeakDetail {
        var detail = detail
        detail.row.state = .regressed
        detail.row.isNew = false
        detail.row.decisionStatus = DecisionStatus(
            decision: history[1], reportsSince: 37, regressedIn: "5.2.0", regressedInBuild: "812")
        detail.row.fix = fixStatus([("5.1.0", 0, 1_204), ("5.2.0", 37, 900)], regressedIn: "5.2.0")
        detail.history = history
        detail.fixes = [1: detail.row.fix!]
        detail.lived = [
            LeakDetail.LivedRange(from: 0, to: 1000, count: 1),
            LeakDetail.LivedRange(from: 1000, to: 5000, count: 3),
            LeakDetail.LivedRange(from: 5000, to: 60_000, count: 7),
            LeakDetail.LivedRange(from: 60_000, to: nil, count: 1),
        ]
        addReasons(to: &detail)
        return detail
    }

    /// Adds explanations with two paths. Symbols name the closure of the first path in two of three builds.
    private static func addReasons(to detail: inout LeakDetail) {
        func path(_ field: String, _ site: ImageOffset) -> RetainExplanation {
            var explanation = RetainExplanation()
            explanation.confidence = .proven
            let owner = "Shop.CheckoutViewController"
            explanation.path = RetainPath(
                references: [RetainReference(owner: owner, field: field, kind: .property, isClosure: true)],
                target: owner, isCycle: true)
            explanation.closureSites = [site]
            return explanation
        }
        let id = "6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00"
        let paid = path("onPaid", ImageOffset(image: "Shop", imageIdentifier: id, offset: 0x41b9))
        let timer = path("timer", ImageOffset(image: "Shop", imageIdentifier: id, offset: 0x5102))
        detail.reasons = [(paid, 62), (timer, 37)].map {
            LeakDetail.ValueCount(value: StoredReason($0.0).text, reports: $0.1)
        }
        detail.reasons.append(LeakDetail.ValueCount(value: "s", reports: 1))
        let places = [paid, timer].compactMap { StoredClosures($0, of: StoredReason($0)) }
        let bind = "\nclosure #1 in CheckoutViewController.bind()\tCheckout.swift\t"
        detail.closures = [(bind + "41", 40), (bind + "43", 12)].map {
            LeakDetail.ValueCount(value: places[0].pathFingerprint + $0.0, reports: $0.1)
        }
        detail.closures += [(places[1], 37), (places[0], 10)].map {
            LeakDetail.ValueCount(value: $0.0.text, reports: $0.1)
        }
        detail.retainedBytes = [(bytes: 14_208, count: 99)]
    }

    private static func outline(_ row: LeakRow) -> LeakOutline {
        let leak = row.identity
        return LeakOutline(
            id: leak.id, title: leak.title, className: leak.className, stack: leak.stack,
            groupingKey: leak.groupingKey, reports: row.reports)
    }

    /// The leaks that are most similar to ``checkout``.
    static var relatedLeaks: RelatedLeaks {
        var (other, bare, owner) = (outline(checkout), outline(checkout), outline(checkout))
        (other.id, other.reports) = (LeakID(high: 9, low: 9), 31)
        other.groupingKey.stack = ["UITabBarController", "CartController", "CheckoutViewController"]
        (bare.id, bare.reports, bare.groupingKey.stack) = (LeakID(high: 9, low: 10), 2, [])
        (owner.id, owner.title, owner.className) = (LeakID(high: 9, low: 11), "Payment<…>", "Payment<…>")
        owner.groupingKey = GroupingKey(
            version: 1, className: "Payment<…>", stack: ["UINavigationController", "Payment<…>"])
        var relatedLeaks = RelatedLeaks()
        relatedLeaks.closest = SimilarLeak.closest(to: outline(checkout), among: [owner, bare, other])
        return relatedLeaks
    }

    static let history = [
        PastDecision(.noted, note: "Seen again\nby QA", by: "sign-in link", at: now - 3 * hour),
        PastDecision(
            .resolved(version: "5.0.1", isAfter: true), note: "weak self in onPaid", by: "Ann",
            at: now - 80 * hour),
        PastDecision(.reopened, note: nil, by: "Bob", at: now - 20 * 24 * hour),
        PastDecision(.ignored(.nextReports(100)), note: nil, by: "Bob", at: now - 30 * 24 * hour),
        PastDecision(
            .ignored(.until(milliseconds: now + 10 * 24 * hour)), note: nil, by: "Bob",
            at: now - 31 * 24 * hour),
        PastDecision(.ignored(nil), note: nil, by: "Bob", at: now - 400 * 24 * hour),
    ]

    static let hourlyTrend = Trend(
        step: .hour, from: today * 24 + 12 - 47,
        versions: [
            Trend.Series(version: "5.2.0", counts: (0..<48).map { $0 * 7919 % 31 }),
            Trend.Series(version: "5.2.0-beta", counts: (0..<48).map { $0 % 5 }),
        ])

    /// A leak of which most reports match a known leak rule.
    static var knownDetail: LeakDetail {
        var detail = detail
        detail.row = knownLeaks[0]
        detail.row.state = .open
        detail.row.known = KnownMatch(rule: textField, reports: 1900, reportsElsewhere: 2)
        return detail
    }

    static let leakClass = LeakClass(
        name: "CheckoutViewController", modules: ["Shop", "ShopKit"], leaks: [checkout, knownLeaks[0]],
        total: 3,
        reports: 1317, freed: 12, installs: 820, lived: Percentiles(p50: 14_000, p90: 60_000),
        firstSeen: now - 90 * hour, lastSeen: now - 2 * hour,
        related: [LeakClass.Related(name: "Flow.CheckoutViewController", leaks: 1, reports: 4)])

    static var report: LeakReport {
        var report = LeakReport()
        report.event = .leak
        report.kind = .viewController
        report.className = "CheckoutViewController"
        report.stack = ["UINavigationController", "CheckoutViewController"]
        report.cycle = ["Shop.CheckoutViewController.onPaid", "closure", "Shop.CheckoutViewController"]
        report.reason = "dismissed"
        report.waitedMilliseconds = 1000
        report.alive = 3
        report.count = 2
        report.message = "VIEWCONTROLLER STILL IN MEMORY <Shop.CheckoutViewController: 0x7f88acc69260>"
        report.error = ReportedError(
            domain: "com.acme.shop", code: 8,
            userInfo: [CustomKey("NSLocalizedDescription", .string("Still there"))])
        report.keys = [
            CustomKey("tab", .string("cart")), CustomKey("ab_test", .number(2)),
            CustomKey("ratio", .number(0.5)),
            CustomKey("premium", .boolean(true)),
        ]
        report.log = ["opened cart", "tapped pay", "dismissed CheckoutViewController"]
        return report
    }

    static func parsedSample(_ reason: SampleReport.Reason, hoursAgo: Int64) -> ParsedSample {
        ParsedSample(
            sample: SampleReport(
                reason: reason, at: now - hoursAgo * hour,
                origin: Submission.Origin(
                    app: "com.acme.shop", version: "5.2.0", build: "812", system: "iOS 19.1",
                    model: "iPhone17,1"),
                body: Array(#"{"type":"leak","class":"Shop.CheckoutViewController"}"#.utf8)),
            report: report)
    }

    static var reports: [ParsedSample] {
        var unreadable = parsedSample(.random, hoursAgo: 30)
        unreadable.report = nil
        return [parsedSample(.first, hoursAgo: 51), parsedSample(.newest, hoursAgo: 2), unreadable]
    }
}

/// Every page that has a golden file.
extension Shop {
    /// Events as a collector would store them, newest first.
    static var events: [Event] {
        let app = AppKey("com.acme.shop")
        var events = [
            Event(
                .diskLow, title: "Disk",
                text: "Only 50 MiB are free on the disk of the data folder: reports are rejected",
                at: now - 60_000)
        ]
        events += SampleCheck.fails.check.leaks.compactMap {
            Event($0, in: SampleCheck.fails.check, at: now - 3_600_000)
        }
        events.append(
            Event(
                at: now - 90 * 86_400_000, kind: .fixed, app: AppKey("com.acme.shop", environment: "debug"),
                version: "5.1.0", key: "", title: "Größe",
                text: "Größe <T> is fixed in 5.1.0: no report in 2,040 checks"))
        events.append(
            Event(
                OverLimitCount(app: app, limit: .leaks, count: 12), in: "5.1.0", at: now - 100 * 86_400_000))
        for index in events.indices {
            events[index].id = Int64(100 - index)
            events[index].hasLeak = events[index].leak != nil
        }
        return events
    }
}

enum SamplePage: String, CaseIterable {
    case leakClass = "class", knownLeak = "known-leak", regressed = "leak-regressed"
    case exportedLeak = "leak-exported"
    case summary, summaryEmpty = "summary-no-match", leak, reports, releases, first, signIn = "sign-in",
        signInLink = "sign-in-link", error
    case exported = "summary-exported"
    case compare, compareFew = "compare-few", compareRare = "compare-rare"
    case forget, undoKey = "undo-key", rules
    case events, eventsEmpty = "events-empty"
    case access, accessEmpty = "access-empty", newKey = "new-key", newToken = "new-token"

    private static var versionToForget: HTML {
        var counts = ForgetCounts()
        (counts.versions, counts.leaks, counts.reports, counts.samples) = (1, 2, 1_284, 33)
        return ForgetPage(
            context: Shop.context(), target: .version("5.2.0", of: "com.acme.shop"), counts: counts
        ).html
    }

    private static var keyToUndo: HTML {
        var counts = ForgetCounts()
        (counts.versions, counts.builds, counts.leaks, counts.reports) = (1_000, 3, 10_000, 10_284)
        (counts.kept.versions, counts.kept.leaks) = (1, 4)
        let key = Credential(
            id: 3, purpose: .ingest, name: "shop", hash: [], createdAt: Shop.now - 90 * 86_400_000)
        return ForgetPage(
            context: Shop.context(), target: .key(3, since: Shop.now - 86_400_000), counts: counts, key: key
        ).html
    }

    private static var previewedRules: HTML {
        var page = RulesPage(
            context: Shop.context(), app: "com.acme.shop",
            versions: [
                AppRules(
                    app: "com.acme.shop", version: 2, text: RulesPage.example, by: "ann",
                    at: Shop.now - 30 * Shop.hour),
                AppRules(
                    app: "com.acme.shop", version: 1, text: "", by: "bob <b>", at: Shop.now - 90 * Shop.hour),
            ], text: RulesPage.example + "\nclass:<T> -> \"a & b\"")
        let leaks = Shop.rows.prefix(2).map {
            RulesPreview.Leak(row: $0, recentReports: (12, 1_284), samples: 18, movedSamples: 5)
        }
        var preview = RulesPreview(app: "com.acme.shop")
        preview.groups = [
            RulesPreview.Group(
                id: Shop.rows[0].identity.id, title: "Carts of the checkout", line: 2, reports: 7,
                leaks: Array(leaks)),
            RulesPreview.Group(
                id: Shop.rows[1].identity.id, title: "a & b", line: 5, reports: nil,
                leaks: Array(leaks.prefix(1))),
        ]
        (preview.comparedLeaks, preview.allLeaks) = (6, 1_200)
        page.preview = preview
        return page.html
    }

    private static func events(_ events: [Event]) -> HTML {
        var context = Shop.context()
        context.environments = ["debug", "production"]
        return EventsPage(
            context: context, filter: EventFilter(), events: events, next: events.last?.id
        ).html
    }

    private static func compare(_ sample: SampleCheck) -> HTML {
        let check = sample.check
        var context = Shop.context()
        context.versions = ["5.2.0", "5.1.0", "5.0.3"]
        return ComparePage(context: context, check: check, result: try? ReleaseCheckResult(check)).html
    }

    private static var comparedReleases: HTML {
        var comparisons = ReleaseComparisons()
        (comparisons[Shop.releases[0]], comparisons[Shop.releases[1]]) = (
            SampleCheck.fails.check, SampleCheck.few.check
        )
        return ReleasesPage(
            context: Shop.context(), app: "com.acme.shop", releases: Shop.releases, comparisons: comparisons
        ).html
    }

    var html: HTML {
        switch self {
        case .summary:
            SummaryPage(
                context: Shop.context(), overview: Shop.overview, page: Shop.page,
                resolvedSeenLeaks: [Shop.resolved], knownLeaks: Shop.knownLeaks
            )
            .html
        case .summaryEmpty:
            SummaryPage(
                context: Shop.context {
                    $0.search = "Ünknown <class>"
                    $0.className = "CartViewModel"
                    $0.version = "4.0"
                    $0.sort = .lastSeen
                }, overview: Shop.overview, page: LeakPage(leaks: [], next: nil, total: 0, reports: 0)
            ).html
        case .leak:
            LeakDetailPage(
                context: Shop.context(), detail: Shop.detail,
                newestSample: Shop.parsedSample(.newest, hoursAgo: 2)
            )
            .html
        case .regressed:
            LeakDetailPage(
                context: Shop.context(), detail: Shop.regressedDetail, hourlyTrend: Shop.hourlyTrend,
                newestSample: Shop.parsedSample(.newest, hoursAgo: 2),
                firstSample: Shop.parsedSample(.first, hoursAgo: 51),
                relatedLeaks: Shop.relatedLeaks, currentRelease: "5.2.0", currentBuild: "812"
            ).html
        case .exportedLeak:
            LeakDetailPage(
                context: Shop.context(Links(mode: .files(page: .leak(Shop.checkout.identity.id)))),
                detail: Shop.regressedDetail
            ).html
        case .leakClass: ClassPage(context: Shop.context(), leakClass: Shop.leakClass).html
        case .knownLeak: LeakDetailPage(context: Shop.context(), detail: Shop.knownDetail).html
        case .reports:
            ReportsPage(context: Shop.context(), leak: Shop.checkout.identity, reports: Shop.reports).html
        case .releases:
            Self.comparedReleases
        case .compare: Self.compare(.fails)
        case .compareFew: Self.compare(.few)
        case .compareRare: Self.compare(.rare)
        case .first:
            FirstReportPage(
                context: PageContext(links: Links(mode: .server(base: "")), now: Shop.now),
                address: "http://localhost:8080"
            ).html
        case .signIn:
            SignInPage(
                context: PageContext(links: Links(mode: .server(base: "")), now: Shop.now),
                notice: .wrongToken,
                destination: "/?app=com.acme.shop"
            ).html
        case .signInLink:
            SignInPage(
                context: PageContext(links: Links(mode: .server(base: "")), now: Shop.now), notice: nil,
                code: "code", destination: "/?app=com.acme.shop"
            ).html
        case .error:
            ErrorPage(context: Shop.context(), status: 404, detail: nil).html
        case .forget: Self.versionToForget
        case .undoKey: Self.keyToUndo
        case .rules: Self.previewedRules
        case .events: Self.events(Shop.events)
        case .eventsEmpty: Self.events([])
        case .access:
            AccessPage(
                context: Shop.context(), apps: Shop.apps, appCount: 120, keys: Shop.keys, tokens: Shop.tokens,
                channels: [ChannelStatus.sent(at: Shop.now - 120_000), .failed("status 403: no_team")]
            ).html
        case .accessEmpty:
            AccessPage(
                context: Shop.context(), apps: [], appCount: 0, keys: [], tokens: [], channels: []
            ).html
        case .newKey:
            NewSecretPage(
                context: Shop.context(), kind: .keys, credential: Shop.keys[0],
                secret: "sEcReT-0123456789_abc",
                address: "https://leaks.example.com"
            ).html
        case .newToken:
            NewSecretPage(
                context: Shop.context(), kind: .tokens, credential: Shop.tokens[0],
                secret: "sEcReT-0123456789_abc",
                address: "https://leaks.example.com"
            ).html
        case .exported:
            SummaryPage(
                context: Shop.context(Links(mode: .files(page: .summary(app: "com.acme.shop")))),
                overview: Shop.overview, page: Shop.page, resolvedSeenLeaks: [Shop.resolved],
                knownLeaks: Shop.knownLeaks
            ).html
        }
    }
}

extension ChannelStatus {
    /// A Slack channel with messages.
    fileprivate static func sent(at time: Int64) -> Self {
        var status = ChannelStatus(name: "Slack (hooks.slack.com)", format: .slack)
        (status.sentCount, status.failureCount, status.lastSent) = (41, 2, time)
        return status
    }

    /// A webhook whose messages fail.
    static func failed(_ reason: String) -> Self {
        var status = ChannelStatus(name: "Webhook (ci.example.com)", format: .json)
        (status.failureCount, status.failure) = (3, reason)
        return status
    }
}
