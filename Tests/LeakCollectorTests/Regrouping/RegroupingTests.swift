import LeakPlatform
import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// Leaks of an older grouping rule, and the leaks to which the current rules assign the same reports.
@Suite struct RegroupingTests {
    private static let now = WallClock.milliseconds()

    private static func frames(_ function: String, launch: Int) -> [String] {
        [
            "0   libswiftCore.dylib   0x00000001a4a1b9f\(launch) swift_allocObject + 56",
            "1   Shop                 0x0000000104f85e\(launch)0 \(function) + 104",
        ]
    }

    /// Returns the leak that version 1 of the grouping rules made from a call stack.
    private static func oldLeak(
        _ stack: [String], className: String? = "CartModel", module: String? = "Shop",
        quality: LeakIdentity.Quality = .full, text: String = ""
    ) -> LeakIdentity {
        let key = [className ?? text] + stack
        return LeakIdentity(
            id: GroupingRules.id(app: "shop", key: key), app: "shop", kind: "object", className: className,
            module: module, title: className ?? text, stack: stack, children: [], cycle: [], quality: quality,
            groupingKey: GroupingKey(version: 1, className: key[0], stack: stack))
    }

    private static func report(_ stack: [String], className: String? = "Shop.CartModel") -> LeakReport {
        var report = LeakReport()
        (report.className, report.stack, report.event) = (className, stack, .leak)
        return report
    }

    private static func submission(
        _ leak: LeakIdentity, _ reports: [LeakReport], install: UInt64 = 1
    ) -> Submission {
        var submission = Submission(keyID: 1, receivedAt: now)
        for report in reports {
            submission.origins.append(
                Submission.Origin(app: leak.app, version: "1.0", installHash: install))
            let start = submission.body.count
            submission.body += report.json()
            submission.sightings.append(
                Submission.Sighting(
                    leak: leak, originIndex: submission.origins.count - 1, isFreed: false, at: now, count: 1,
                    alive: nil, livedMilliseconds: nil, jsonRange: start..<submission.body.count))
        }
        return submission
    }

    // MARK: One leak

    private static let loadStack = frames("$s4Shop9CartModelC4loadyyF", launch: 1)
    private static let saveStack = frames("$s4Shop9CartModelC4saveyyF", launch: 1)

    private static func text(_ message: String) -> LeakReport {
        var report = LeakReport()
        report.message = message
        return report
    }

    static let cases: [(leak: LeakIdentity, reports: [LeakReport], group: String)] = [
        (oldLeak(loadStack), [report(loadStack)], "CartModel/at CartModel.load() in Shop"),
        (oldLeak(loadStack), [report(loadStack), report(saveStack)], "several"),
        (oldLeak(loadStack), [report(loadStack), report(["0x1"])], "several"),
        // The sample of a report that was too long lacks its stack.
        (oldLeak(loadStack), [report([])], "unknown"),
        (oldLeak(loadStack), [LeakReport()], "unknown"),
        (oldLeak(loadStack), [], "unknown"),
        (oldLeak(["Root", "CartModel"]), [report(["Root", "Shop.CartModel"])], "same"),
        (oldLeak([], className: "Outer.Inner", module: nil), [report([], className: "Outer.Inner")], "same"),
        (
            oldLeak([], className: nil, module: nil, quality: .low, text: "Shop.CartModel was not released"),
            [text("Shop.CartModel was not released")], "CartModel/"
        ),
        (
            oldLeak([], className: nil, module: nil, quality: .low, text: "nobody knows what this is about"),
            [text("nobody knows what this is about")], "same"
        ),
    ]

    @Test(arguments: cases.indices)
    func `a stored leak is grouped again by its sample reports`(index: Int) {
        let (leak, reports, expected) = Self.cases[index]
        let group =
            switch CurrentGroup(of: leak, reports: reports) {
            case .same: "same"
            case .other(let other):
                "\(other.className ?? "")/\(other.groupingKey.stack.joined(separator: "/"))"
            case .several: "several"
            case .unknown: "unknown"
            }
        #expect(group == expected)
    }

    @Test(arguments: FrameVector.stacks)
    func `leaks of the current grouping rules are not moved to another leak`(vector: FrameVector) {
        let report = Self.report(vector.stack ?? [])
        let leak = GroupingRules.group(report, app: "shop", module: "Shop").identity
        if case .same = CurrentGroup(of: leak, reports: [report.redacted()]) { return }
        Issue.record("\(leak.groupingKey)")
    }

    // MARK: An app

    private static let launches = (1...3).map { frames("$s4Shop9CartModelC4loadyyF", launch: $0) }

    /// Stores leaks of version 1 of the grouping rules: three that are now one leak, one that is now another leak, and
    /// one whose reports now belong to several leaks.
    private func fill(_ store: any Store) throws {
        for (number, stack) in Self.launches.enumerated() {
            let reports = [LeakReport](repeating: Self.report(stack), count: 3 - number)
            _ = try store.count(
                [Self.submission(Self.oldLeak(stack), reports, install: UInt64(number))], now: Self.now)
        }
        _ = try store.count(
            [
                Self.submission(
                    Self.oldLeak(["mixed"]), [Self.report(Self.loadStack), Self.report(Self.saveStack)]),
                Self.submission(Self.oldLeak(Self.saveStack), [Self.report(Self.saveStack)]),
            ], now: Self.now)
    }

    @Test(arguments: ["caf\u{E9}", "cafe\u{301}"])
    func `the plan of one app leaves out an app whose name has other bytes for the same characters`(
        name: String
    ) throws {
        let running = try RunningCollector(now: { Self.now })
        for app in ["caf\u{E9}", "cafe\u{301}"] {
            let body = #"{"app":{"id":"\#(app)"},"reports":[{"class":"CartModel"}]}"#
            #expect(try running.post(body).status == 200)
        }
        let planner = try RegroupPlanner(store: running.store, now: Self.now)
        #expect(try planner.plans(app: name).map { Array($0.app.name.utf8) } == [Array(name.utf8)])
        #expect(try planner.plans(app: nil).count == 2)
    }

    @Test func `a regrouping plan lists the merges, and after the merges nothing is left to merge`() throws {
        let running = try RunningCollector(now: { Self.now })
        try fill(running.store)
        let target = GroupingRules.group(Self.report(Self.saveStack), app: "shop", module: "Shop").identity
        _ = try running.store.count([Self.submission(target, [Self.report(Self.saveStack)])], now: Self.now)
        let ids = Self.launches.map { Self.oldLeak($0).id }
        for (action, id, time) in [
            (Decision.Action.ignore(nil), ids[0], Self.now),
            (.resolve(.version("0.9")), ids[1], Self.now + 1),
        ] {
            _ = try running.store.decide(Decision(action, by: "ada"), about: id, now: time)
        }
        let plan = try #require(
            try RegroupPlanner(store: running.store, now: Self.now).plans(app: "shop").first)
        let day = CivilDate(milliseconds: Self.now).text
        let new = GroupingRules.group(Self.report(Self.loadStack), app: "shop", module: "Shop").identity.id
        let groups = [
            (
                new,
                [
                    "  into CartModel, CartModel.load() in Shop (\(new), new)",
                    "    from \(ids[0]): CartModel, rule 1, 3 reports",
                    "    from \(ids[1]): CartModel, rule 1, 2 reports",
                    "    from \(ids[2]): CartModel, rule 1, 1 report",
                    "    decision in force: resolved in 0.9 by ada on \(day), the most recent of the decisions about 2 leaks",
                ]
            ),
            (
                target.id,
                [
                    "  into CartModel, CartModel.save() in Shop (\(target.id), 1 report)",
                    "    from \(Self.oldLeak(Self.saveStack).id): CartModel, rule 1, 1 report",
                ]
            ),
        ].sorted { $0.0 < $1.0 }
        #expect(
            RegroupSummary.lines(plan)
                == ["app shop: 4 of 6 leaks to merge"] + groups.flatMap(\.1) + [
                    "  not merged, because their reports now belong to several leaks:",
                    "    \(Self.oldLeak(["mixed"]).id): CartModel, rule 1, 2 reports",
                ])

        for group in plan.groups {
            #expect(
                try RegroupPlanner.merge(group, in: running.store, now: Self.now) == group.parts.count)
        }
        #expect(try running.store.verify() == [])
        #expect(
            try RegroupPlanner(store: running.store, now: Self.now).plans(app: nil).allSatisfy(
                \.groups.isEmpty))
        let merged = try running.json("/api/v1/leaks/\(new)")
        #expect(merged["reports"] as? Int == 6 && merged["installs"] as? Int == 3)
        // The leak had its reports of 1.0 when it was resolved, so they do not contradict the decision.
        #expect(merged["state"] as? String == "resolved")
        let history = try #require(merged["history"] as? [[String: Any]])
        #expect(history.count == 3 && history[0]["by"] as? String == "collector regroup")
        let note = try #require(history[0]["note"] as? String)
        #expect(
            note
                == "Rule 2 groups the reports of 3 other leaks into this leak: \(ids[0]) (3 reports), \(ids[1]) (2 reports), "
                + "\(ids[2]) (1 report). Decision in force: resolved in 0.9 by ada on \(day), about \(ids[1]), "
                + "the most recent of the decisions about 2 leaks.")

        // The addresses of merged leaks redirect, for browsers and for the API.
        for (path, there) in [
            ("/leaks/\(ids[0])", "/leaks/\(new)"), ("/leaks/\(ids[2])/reports", "/leaks/\(new)/reports"),
            ("/api/v1/leaks/\(ids[1])", "/api/v1/leaks/\(new)"),
            ("/api/v1/leaks/\(ids[0])/reports", "/api/v1/leaks/\(new)/reports"),
            ("/api/v1/leaks/\(ids[0])/trend?by=hour", "/api/v1/leaks/\(new)/trend?by=hour"),
        ] {
            let answer = try running.get(path)
            #expect(answer.status == 303 && answer["Location"] == there, "\(path)")
        }
        #expect(try running.get("/leaks/\(String(repeating: "0", count: 31))1").status == 404)

        // A decision on a page that was opened before the merge applies to the merged leak.
        let token = HTTPField("Authorization", "Bearer \(RunningCollector.token)")
        let decided = try running.post(
            #"{"action":"ignore"}"#, to: "/api/v1/leaks/\(ids[0])/decisions", fields: [token])
        #expect(decided.status == 201 && decided["Location"] == "/api/v1/leaks/\(new)", "\(decided.text)")
        #expect(try running.json("/api/v1/leaks/\(new)")["state"] as? String == "ignored")

        // New reports are counted for the merged leak.
        let frames = Self.launches[0].map { "\"\($0)\"" }.joined(separator: ",")
        let report =
            #"{"class":"Shop.CartModel","stack":[\#(frames)],"app":{"id":"shop","module":"Shop","version":"1.0"}}"#
        #expect(try running.post(report).status == 200)
        #expect(try running.json("/api/v1/leaks/\(new)")["reports"] as? Int == 7)
    }

    @Test func `the error of a regrouping about an unknown app lists the existing apps`() throws {
        let running = try RunningCollector(now: { Self.now })
        try fill(running.store)
        let regrouping = try RegroupPlanner(store: running.store, now: Self.now)
        let error = #expect(throws: StoreError.self) { try regrouping.plans(app: "nope") }
        #expect(error?.description == "there is no app nope; the apps are shop")
    }

    // MARK: The page

    @Test func `the page of a leak of an older grouping rule links to the leak that gets its new reports`()
        throws
    {
        let running = try RunningCollector(now: { Self.now })
        try fill(running.store)
        let old = Self.oldLeak(Self.launches[0])
        func words() throws -> String {
            try Markup(running.get("/leaks/\(old.id)").body).texts.joined(separator: " ")
        }
        #expect(try words().contains("which has no reports yet"))
        let target = GroupingRules.group(Self.report(Self.launches[0]), app: "shop", module: "Shop").identity
        _ = try running.store.count(
            [Self.submission(target, [Self.report(Self.launches[0])])], now: Self.now)
        #expect(try running.get("/leaks/\(old.id)").text.contains("href=\"/leaks/\(target.id)\""))
        #expect(try words().contains("collector regroup"))
        let page = try running.get("/leaks/\(target.id)").text
        #expect(!page.contains("older grouping rule"))
    }
}
