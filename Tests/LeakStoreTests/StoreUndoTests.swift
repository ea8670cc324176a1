import LeakSeededRandom
import LeakStore
import Testing

/// Deleting what an ingest key made, in every store. Key 1 is that of the real app, and key 2 was stolen.
@Suite struct StoreUndoTests {
    let place = StoreLocation()
    let store: any Store
    let page = leak("Page")
    let cart = leak("Cart")

    init() throws { store = try place.store() }

    private func count(_ reports: Report..., key: Int64, at now: Int64 = noon) throws {
        #expect(try store.count([submission(reports, keyID: key, at: now)], now: now) == [.counted])
    }

    @discardableResult
    private func undo(_ key: Int64 = 2, since: Int64? = nil) throws -> ForgetCounts {
        let target = ForgetTarget.key(key, since: since)
        var expected = try store.makeReader().forgetCounts(of: target) ?? ForgetCounts()
        let kept = expected.kept
        expected.kept = ForgetCounts.Kept()
        let counts = try store.forget(target)
        #expect(counts == expected, "the numbers before deleting differ from what was deleted")
        #expect(try store.verify() == [])
        #expect(try store.forget(target).isEmpty)
        #expect(try store.makeReader().forgetCounts(of: target)?.kept ?? ForgetCounts.Kept() == kept)
        return counts
    }

    private func reports(_ leak: LeakIdentity) throws -> Int? {
        try store.makeReader().leak(leak.id, now: noon)?.row.reports
    }

    private func versions(_ app: AppKey = "shop") throws -> [String] {
        try store.makeReader().versions(app: app.scope)
    }

    @Test func `undoing a key deletes the apps, versions and leaks that only this key has reported`() throws {
        let fake = leak("Fake")
        let fakeApp = leak("Fake", app: "fake.app")
        try count(Report(leak: page, version: "1.0", install: 1), key: 1)
        try count(
            Report(leak: fake, version: "1.0", install: 7), Report(leak: fake, version: "66.0", install: 8),
            Report(leak: page, version: "66.0", install: 9), Report(leak: fakeApp, install: 9), key: 2)
        let counts = try undo()
        #expect(counts.environments == 1 && counts.versions == 2 && counts.leaks == 2)
        #expect(counts.reports == 4)
        #expect(try reports(page) == 1 && reports(fake) == nil && reports(fakeApp) == nil)
        #expect(try versions() == ["1.0"])
        #expect(try store.makeReader().appSummaries().map(\.id) == ["shop"])
        let release = try #require(try store.makeReader().releases(app: "shop").first)
        #expect(release.installs == 1 && release.leaks == 1 && release.reports == 1 && release.newLeaks == 1)
    }

    @Test func `names that another key has reported too stay, and the preview counts them`() throws {
        let fake = leak("Fake")
        try count(
            Report(leak: page, version: "2.0"), Report(leak: fake, version: "66.0"),
            Report(leak: leak("Till", app: "till")), key: 2)
        try count(Report(leak: page, version: "2.0"), Report(leak: leak("Till", app: "till")), key: 1)
        let before = try #require(try store.makeReader().forgetCounts(of: .key(2, since: nil)))
        #expect(before.leaks == 1 && before.versions == 1 && before.environments == 0)
        #expect(before.kept.leaks == 2 && before.kept.versions == 2 && before.kept.environments == 2)
        try undo()
        #expect(try reports(page) == 2 && reports(fake) == nil)
        #expect(try versions() == ["2.0"] && versions("till") == ["1.0"])
    }

    @Test func `builds that a key made of a real version are deleted if nothing is left in them`() throws {
        let fake = leak("Fake")
        var used = submission(keyID: 2)
        used.usageCounts = [
            Submission.UsageCounts(
                app: "shop", version: "1.0", build: "used", sessions: 3, leakySessions: 0, checks: [:])
        ]
        try count(Report(leak: page, version: "1.0", build: "1"), key: 1)
        try count(
            Report(leak: fake, version: "1.0", build: "1"), Report(leak: fake, version: "1.0", build: "fake"),
            Report(leak: page, version: "1.0", build: "real"), key: 2)
        _ = try store.count([used], now: noon)
        let counts = try undo()
        #expect(counts.builds == 1 && counts.leaks == 1 && counts.versions == 0)
        #expect(try store.makeReader().releases(app: "shop").first?.builds.count == 3)
        #expect(try reports(page) == 2)
    }

    @Test func `a name that two keys report in one commit stays`() throws {
        let batches = [2, 1, 2].map { submission([Report(leak: page)], keyID: $0) }
        _ = try store.count(batches, now: noon)
        #expect(try undo().isEmpty)
        #expect(try reports(page) == 3)
        _ = try store.count([submission([Report(leak: cart)], keyID: 2)], now: noon)
        #expect(try undo().leaks == 1)
    }

    @Test func `only names that were made since a time by the clock of the collector are deleted`() throws {
        let late = leak("Late")
        try count(Report(leak: page, version: "1.0"), key: 2)
        // The sender claims that its later report is a month old.
        try count(Report(leak: late, version: "2.0", at: noon - 29 * day), key: 2, at: noon + hour)
        let counts = try undo(since: noon + 1)
        #expect(counts.leaks == 1 && counts.versions == 1 && counts.environments == 0)
        #expect(try reports(page) == 1 && reports(late) == nil && versions() == ["1.0"])
        #expect(try undo().environments == 1)
        #expect(try store.makeReader().appSummaries().isEmpty)
    }

    @Test func `the leak and the version that count reports beyond a limit are deleted with their key`()
        throws
    {
        var limits = StoreLimits()
        (limits.leaksPerApp, limits.releasesPerApp) = (3, 3)
        let limited = try place.store(limits: limits)
        _ = try limited.count([submission([Report(leak: page)])], now: noon)
        let fakes = (0..<9).map { Report(leak: leak("Fake \($0)"), version: "66.\($0)") }
        _ = try limited.count([submission(fakes, keyID: 2)], now: noon)
        #expect(try versions().contains(StoreLimits.other))
        try undo()
        #expect(try versions() == ["1.0"])
        #expect(try store.makeReader().leaks(LeakQuery(), now: noon).leaks.map(\.identity.title) == ["Page"])
        // There is room for real names again.
        _ = try limited.count([submission([Report(leak: cart, version: "5.0")])], now: noon)
        #expect(try versions() == ["5.0", "1.0"] && reports(cart) == 1)
    }

    @Test func `a leak into which a leak of another key was merged stays`() throws {
        try count(Report(leak: page), key: 2)
        try count(Report(leak: cart), key: 1)
        _ = try store.merge([cart.id], into: page, by: "ada", now: noon, note: { _ in "merged" })
        try undo()
        #expect(try reports(page) == 2)
        let (first, second) = (leak("First"), leak("Second"))
        try count(Report(leak: first), Report(leak: second), key: 2)
        _ = try store.merge([first.id], into: second, by: "ada", now: noon, note: { _ in "merged" })
        #expect(try undo().leaks == 1)
        #expect(try reports(second) == nil)
    }

    @Test
    func `reports between the steps are counted, and a key that still reports does not delay the end`()
        throws
    {
        try count(Report(leak: page), key: 1)
        let fakes = (0..<260).map { Report(leak: leak("Fake \($0)"), version: "66.\($0 % 40)", install: 2) }
        _ = try store.count([submission(fakes, keyID: 2)], now: noon)
        var steps = 0
        let counts = try store.forget(.key(2, since: nil), audit: nil) {
            steps += 1
            #expect(throws: Never.self) {
                try count(Report(leak: page), key: 1)
                try count(Report(leak: leak("New \(steps)"), version: "67.\(steps)"), key: 2)
                #expect(try store.verify() == [])
            }
            return steps < 200
        }
        #expect((260..<280).contains(counts?.leaks ?? 0) && steps < 200)
        #expect(try reports(page) == 1 + steps)
    }

    @Test func `an interrupted deletion is finished by another call, and the audit log has one entry`() throws
    {
        try count(Report(leak: page), key: 1)
        let fakes = (0..<250).map { Report(leak: leak("Fake \($0)"), version: "66.\($0 % 30)", install: 2) }
        _ = try store.count([submission(fakes, keyID: 2)], now: noon)
        let entry = AuditEntry(.undoKey, of: "key 2", by: .commandLine, at: noon)
        var steps = 0
        let stopped = try store.forget(.key(2, since: nil), audit: entry) {
            steps += 1
            return steps < 4
        }
        #expect(stopped == nil)
        #expect(try store.verify() == [])
        #expect((1..<250).contains(try undo().leaks))
        #expect(try store.makeReader().auditEntries(before: .max, limit: 9).map(\.action) == [.undoKey])
    }

    @Test func `apps and versions stay if another key sent sessions or drops for them`() throws {
        for number in 0..<2 {
            let app = "app\(number)"
            try count(Report(leak: leak("Page", app: app)), key: 2)
            var other = submission(keyID: 1)
            if number == 0 {
                other.dropped = [Submission.Dropped(app: app, reason: "budget", count: 1)]
            } else {
                other.usageCounts = [
                    Submission.UsageCounts(
                        app: app, version: "1.0", build: nil, sessions: 1, leakySessions: 0, checks: [:])
                ]
            }
            _ = try store.count([other], now: noon)
        }
        let counts = try undo()
        #expect(counts.environments == 0 && counts.versions == 1 && counts.leaks == 2)
        #expect(try versions("app0").isEmpty && versions("app1") == ["1.0"])
    }

    @Test(arguments: RandomSeeds.upTo(3))
    func `after an undone attack a store has the counts of a store that never got the made-up reports`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        var model = ForgetModel()
        var fakes = 0
        for _ in 0..<40 {
            var batches = [model.addSubmission(&random)]
            for _ in 0..<Int.random(in: 0..<3, using: &random) {
                let reports = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    fakes += 1
                    let app = ForgetModel.apps.randomElement(using: &random) ?? ""
                    return Report(
                        leak: leak("Fake \(fakes % 40)", app: app, environment: "fake"),
                        version: "66.\(Int.random(in: 0..<9, using: &random))",
                        install: UInt64.random(in: 0..<90, using: &random), at: model.now)
                }
                batches.append(submission(reports, keyID: 2, at: model.now))
                // A made-up leak of an app that exists.
                if let app = batches[0].origins.first?.appKey {
                    let fake = leak("Fake \(fakes % 40)", app: app.name, environment: app.environment)
                    batches.append(
                        submission(
                            [Report(leak: fake, version: "66.1", install: 5, at: model.now)], keyID: 2,
                            at: model.now))
                }
            }
            #expect(try store.count(batches, now: model.now).allSatisfy { $0 == .counted })
        }
        try undo()
        let other = StoreLocation()
        let expectedStore = try other.store()
        for submission in model.submissions {
            _ = try expectedStore.count([submission], now: submission.receivedAt)
        }
        let expected = try SplitCounts(of: expectedStore, now: model.now) { _ in true }
        let found = try SplitCounts(of: store, now: model.now) { _ in true }
        for (line, expected) in zip(found.lines, expected.lines) { #expect(line == expected) }
        #expect(found.lines.count == expected.lines.count)
    }
}
