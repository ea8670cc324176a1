import Testing

@testable import LeakStore

/// Limits on the data that one sender can cause a store to keep. ``StoreLocation`` chooses SQLite or PostgreSQL.
@Suite struct StoreLimitTests {
    let place = StoreLocation()

    /// Limits that are small enough for a test to reach.
    static var smallLimits: StoreLimits {
        var limits = StoreLimits()
        limits.appsPerKey = 2
        limits.releasesPerApp = 3
        limits.buildsPerRelease = 2
        limits.leaksPerApp = 4
        limits.buildsPerLeak = 3
        limits.leakBuildsPerApp = 9
        limits.checkClassesPerBuild = 2
        limits.droppedReasonsPerApp = 2
        limits.idempotencyKeysPerDay = 5
        limits.responsesPerDay = 2
        return limits
    }

    private func readOverLimit(_ reader: any StoreReader, app: AppScope = nil) throws -> [OverLimitCount.Name:
        Int]
    {
        Dictionary(
            uniqueKeysWithValues: try reader.overview(app: app, now: noon).overLimit.map {
                ($0.limit, $0.count)
            }
        )
    }

    @Test func `a build is counted by name below the limits of its leak and app, even if they are Int.max`() {
        var limits = StoreLimits()
        #expect(limits.admitsBuild(builds: 1_499, cells: 399_999, isOther: true))
        #expect(!limits.admitsBuild(builds: 1_500, cells: 0, isOther: true))
        #expect(!limits.admitsBuild(builds: 0, cells: 400_000, isOther: true))
        #expect(!limits.admitsBuild(builds: 500, cells: 0, isOther: false))
        (limits.buildsPerLeak, limits.leakBuildsPerApp) = (.max, .max)
        #expect(limits.admitsBuild(builds: 1, cells: 1, isOther: true))
    }

    @Test func `all leaks beyond the limit are counted together as one leak`() throws {
        let store = try place.store(limits: Self.smallLimits)
        for round in 0..<2 {
            for number in 0..<10 {
                let report = Report(leak: leak("L\(number)"), count: number + 1)
                #expect(try store.count([submission([report])], now: noon + Int64(round)) == [.counted])
            }
        }
        let reader = try store.makeReader()
        var query = LeakQuery()
        query.sort = .reports
        let page = try reader.leaks(query, now: noon)
        #expect(page.total == 5 && page.reports == 110)
        let other = try #require(page.leaks.last)
        #expect(other.identity.title.hasPrefix("Not grouped") && other.identity.quality == .low)
        #expect(other.reports == 2 * (5 + 6 + 7 + 8 + 9 + 10))
        #expect(try readOverLimit(reader) == [.leaks: other.reports])
        #expect(try store.verify() == [])
    }

    @Test func `leaks beyond an app's limit for the bytes of leak texts are counted together`() throws {
        var limits = StoreLimits()
        limits.leakTextBytesPerApp = 5_000
        let store = try place.store(limits: limits)
        let path = [String](repeating: String(repeating: "x", count: 500), count: 3)
        let reports = (0..<10).map { Report(leak: leak("L\($0)", stack: path)) }
        _ = try store.count([submission(reports)], now: noon)
        let page = try store.makeReader().leaks(LeakQuery(), now: noon)
        #expect((2...4).contains(page.total) && page.reports == 10)
        #expect(try store.verify() == [])
    }

    @Test func `versions beyond the limit are counted as other, which is listed as the oldest version`()
        throws
    {
        let store = try place.store(limits: Self.smallLimits)
        for number in 1...9 {
            _ = try store.count(
                [submission([Report(leak: leak("Page"), version: "\(number).0")])], now: noon)
        }
        let reader = try store.makeReader()
        let releases = try reader.releases(app: "shop")
        #expect(releases.map(\.version) == ["3.0", "2.0", "1.0", "other"])
        #expect(releases.map(\.reports) == [1, 1, 1, 6])
        #expect(try readOverLimit(reader)[.releases] == 6)
        #expect(try store.verify() == [])
    }

    @Test func `the version "other" is listed after the newest 200 versions and the current version`()
        throws
    {
        var limits = StoreLimits()
        limits.releasesPerApp = 205
        let store = try place.store(limits: limits)
        let reports = (1...210).map { Report(leak: leak("Page"), version: "1.\($0)") }
        #expect(try store.count([submission(reports)], now: noon) == [.counted])
        #expect(try store.pin("1.1", of: "shop"))
        let versions = try store.makeReader().releases(app: "shop").map(\.version)
        #expect(versions.count == 202 && versions.suffix(2) == ["1.1", "other"])
    }

    @Test func `builds beyond the limits, of a version and of a leak, are counted as other`() throws {
        let store = try place.store(limits: Self.smallLimits)
        for version in ["1.0", "2.0", "3.0"] {
            for build in 0..<5 {
                let report = Report(
                    leak: leak("Page"), version: version, build: "\(build)", install: UInt64(build))
                _ = try store.count([submission([report, report])], now: noon)
            }
        }
        let reader = try store.makeReader()
        let page = try #require(try reader.leak(leak("Page").id, now: noon))
        // A leak has at most three builds of its own. The third is the one that counts the other builds of version 1.0.
        #expect(
            page.versions.map { "\($0.version) \($0.build ?? "")" }.sorted()
                == ["1.0 0", "1.0 1", "1.0 other", "2.0 other", "3.0 other"])
        for version in ["1.0", "2.0", "3.0"] {
            #expect(page.versions.reduce(0) { $0 + ($1.version == version ? $1.reports : 0) } == 10)
        }
        #expect(try readOverLimit(reader) == [.builds: 22, .leakBuilds: 4])
        #expect(try store.verify() == [])
    }

    @Test
    func `builds of leaks beyond an app's limit count in the build other, and then in the version other`()
        throws
    {
        let directory = TemporaryDirectory()
        var limits = StoreLimits()
        limits.leakBuildsPerApp = 3
        let store = try directory.store(limits: limits)
        for number in 1...8 {
            let report = Report(leak: leak("Page"), version: "\(number).0")
            _ = try store.count([submission([report, report])], now: noon)
        }
        let reader = try store.makeReader()
        let page = try #require(try reader.leak(leak("Page").id, now: noon))
        #expect(
            page.versions.map { "\($0.version) \($0.build ?? "")" }.sorted()
                == ["1.0 ", "2.0 ", "3.0 ", "4.0 other", "5.0 other", "6.0 other", "other other"])
        #expect(try readOverLimit(reader) == [.leakBuilds: 10])
        #expect(try store.verify() == [])
    }

    @Test func `reports of a version that a sender names "other" are not counted as beyond a limit`() throws {
        let directory = TemporaryDirectory()
        let store = try directory.store()
        let report = Report(leak: leak("Page"), version: "other", build: "other")
        _ = try store.count([submission([report])], now: noon)
        let reader = try store.makeReader()
        #expect(try readOverLimit(reader) == [:])
        #expect(try reader.releases(app: "shop").map(\.version) == ["other"])
    }

    @Test func `names that an import's larger limits allowed are still counted under their own name`() throws
    {
        let server = try place.store(limits: Self.smallLimits)
        let old = (1...9).map { Report(leak: leak("L\($0)"), version: "\($0).0") }
        _ = try server.count([submission(old)], now: noon)
        let new = submission([Report(leak: leak("New"), version: "10.0", build: "7")])
        for store in [server, try place.store(), server] { _ = try store.count([new], now: noon) }
        let reader = try server.makeReader()
        #expect(try reader.releases(app: "shop").first { $0.version == "10.0" }?.reports == 2)
        #expect(
            try reader.leaks(LeakQuery(), now: noon).leaks.first { $0.identity.title == "New" }?.reports == 2)
        #expect(try server.verify() == [])
    }

    @Test
    func `an app beyond one ingest key's limit is created if another key reports it, with its own leaks`()
        throws
    {
        let directory = TemporaryDirectory()
        let store = try directory.store(limits: Self.smallLimits)
        for (key, app) in [(Int64(1), "a"), (1, "b"), (1, "c"), (2, "c")] {
            let report = Report(leak: leak("Page", app: app))
            _ = try store.count([submission([report], keyID: key)], now: noon)
        }
        let reader = try store.makeReader()
        #expect(try Set(reader.apps()) == ["a", "b", "c", "other"])
        #expect(try reader.leak(leak("Page", app: "c").id, now: noon)?.row.identity.app == "c")
        var query = LeakQuery()
        query.app = "other"
        #expect(try reader.leaks(query, now: noon).leaks.map(\.identity.title) == ["Page"])
        #expect(try store.verify() == [])
    }

    @Test func `one batch with many versions of a leak, newest first, counts the installs of each version`()
        throws
    {
        let directory = TemporaryDirectory()
        let store = try directory.store()
        let reports = (1...40).reversed().map { number in
            Report(leak: leak("Page"), version: "\(number).0", install: UInt64(number))
        }
        _ = try store.count([submission(reports)], now: noon)
        #expect(try store.verify() == [])
        #expect(try store.makeReader().leaks(LeakQuery(), now: noon).leaks.first?.installs == 40)
    }

    @Test func `a repeated batch is recognized even if its response was not stored because of the limit`()
        throws
    {
        let store = try place.store(limits: Self.smallLimits)
        let batches = (0..<4).map { submission([Report(leak: leak("Page"))], key: "\($0)", body: UInt8($0)) }
        #expect(try store.count(batches, now: noon) == [Receipt](repeating: .counted, count: 4))
        let repeats = try store.count(batches, now: noon)
        #expect(
            repeats == [
                .repeated(response: batches[0].response), .repeated(response: batches[1].response),
                .repeated(response: []), .repeated(response: []),
            ])
        #expect(try store.makeReader().leaks(LeakQuery(), now: noon).reports == 4)
        #expect(try store.verify() == [])
    }

    @Test func `apps beyond an ingest key's limit are counted as other`() throws {
        let store = try place.store(limits: Self.smallLimits)
        for key in [Int64(1), 2] {
            for number in 0..<6 {
                let report = Report(leak: leak("Page", app: "app-\(key)-\(number)"))
                _ = try store.count([submission([report], keyID: key)], now: noon)
            }
        }
        let reader = try store.makeReader()
        #expect(try Set(reader.apps()) == ["app-1-0", "app-1-1", "app-2-0", "app-2-1", "other"])
        #expect(try readOverLimit(reader, app: "other")[.apps] == 8)
        #expect(try reader.leaks(LeakQuery(), now: noon).reports == 12)
        #expect(try store.verify() == [])
    }

    @Test func `the totals of checks and of dropped reports include classes and reasons beyond the limits`()
        throws
    {
        let store = try place.store(limits: Self.smallLimits)
        for number in 0..<5 {
            var batch = submission()
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: "1.0", build: nil, sessions: 1, leakySessions: 0,
                    checks: ["C\(number)": 10])
            ]
            batch.dropped = [Submission.Dropped(app: "shop", reason: "r\(number)", count: 2)]
            _ = try store.count([batch], now: noon)
        }
        let reader = try store.makeReader()
        let overview = try reader.overview(app: "shop", now: noon)
        #expect(overview.currentRelease?.checks == 50 && overview.droppedTotal == 10)
        #expect(overview.dropped.map(\.reason) == ["other", "r0", "r1"])
        #expect(try readOverLimit(reader) == [.checkClasses: 30, .droppedReasons: 6])
        #expect(try store.verify() == [])
    }

    @Test func `a class or reason named "other" does not use up the limit on names`() throws {
        let store = try place.store(limits: Self.smallLimits)
        for name in ["other", "a", "b"] {
            var batch = submission()
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: "1.0", build: nil, sessions: 1, leakySessions: 0, checks: [name: 10]
                )
            ]
            batch.dropped = [Submission.Dropped(app: "shop", reason: name, count: 2)]
            _ = try store.count([batch], now: noon)
        }
        let reader = try store.makeReader()
        #expect(
            Set(try reader.overview(app: "shop", now: noon).dropped.map(\.reason)) == ["other", "a", "b"])
        #expect(try readOverLimit(reader) == [:])
        #expect(try store.verify() == [])
    }

    @Test
    func `batches with idempotency keys over the limit of a day are counted, and their keys are not stored`()
        throws
    {
        let store = try place.store(limits: Self.smallLimits)
        for number in 0..<9 {
            _ = try store.count([submission([Report(leak: leak("Page"))], key: "k\(number)")], now: noon)
        }
        #expect(
            try store.count([submission([Report(leak: leak("Page"))], key: "k4")], now: noon)
                == [.repeated(response: Array("answer 1".utf8))])
        let late = submission([Report(leak: leak("Page"))], key: "k8")
        #expect(try store.count([late], now: noon) == [.counted])
        #expect(try readOverLimit(store.makeReader()) == [.idempotencyKeys: 5])
        // Another ingest key, and another day, each have a limit of their own.
        for (key, time) in [(Int64(2), noon), (1, noon + day)] {
            let batch = submission([Report(leak: leak("Page"))], key: "n", keyID: key)
            #expect(try store.count([batch], now: time) == [.counted])
            guard case .repeated = try store.count([batch], now: time)[0] else {
                Issue.record("not remembered")
                return
            }
        }
        #expect(try store.verify() == [])
    }

    @Test func `a transaction ends when it has much to write, but never within a submission`() throws {
        var limits = StoreLimits()
        limits.weightPerCommit = 100
        let store = try place.store(limits: limits)
        let large = submission((0..<50).map { Report(leak: leak("L\($0)")) })
        let small = submission([Report(leak: leak("L0"))])
        #expect(try store.count([large, small, small], now: noon) == [.counted])
        #expect(try store.count([small, small], now: noon) == [.counted, .counted])
        #expect(try store.makeReader().leaks(LeakQuery(), now: noon).reports == 52)
    }

    @Test func `an app that another ingest key reports later has its own leaks`() throws {
        let store = try place.store(limits: Self.smallLimits)
        for app in ["a", "b", "c"] {
            _ = try store.count([submission([Report(leak: leak("Page", app: app))], keyID: 1)], now: noon)
        }
        let late = submission([Report(leak: leak("Page", app: "c"), version: "2.0", count: 5)], keyID: 2)
        _ = try store.count([late], now: noon)
        let reader = try store.makeReader()
        #expect(try reader.overview(app: "c", now: noon).reports == 5)
        #expect(try reader.overview(app: "other", now: noon).reports == 1)
        #expect(try reader.leak(leak("Page", app: "c").id, now: noon)?.row.reports == 5)
        #expect(try store.verify() == [])
    }

    @Test func `names that are already stored are still counted under their own name`() throws {
        let store = try place.store(limits: Self.smallLimits)
        let known = (0..<4).map { Report(leak: leak("L\($0)"), version: "1.0", build: "1", install: 3) }
        _ = try store.count([submission(known)], now: noon)
        for round in 0..<3 {
            let new = (0..<6).map {
                Report(leak: leak("N\(round)-\($0)"), version: "\(round)", build: "\($0)")
            }
            _ = try store.count([submission(new + known)], now: noon)
        }
        // Another collector has none of these names in its caches.
        _ = try place.store(limits: Self.smallLimits).count([submission(known)], now: noon)
        let reader = try store.makeReader()
        for report in known {
            let page = try #require(try reader.leak(report.leak.id, now: noon))
            #expect(page.row.reports == 5 && page.row.installs == 1)
            #expect(page.versions.map(\.version) == ["1.0"] && page.versions.map(\.build) == ["1"])
        }
        #expect(try reader.overview(app: "shop", now: noon).reports == 20 + 18)
        #expect(try store.verify() == [])
    }
}
