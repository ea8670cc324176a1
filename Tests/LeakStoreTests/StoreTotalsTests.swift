import Testing

@testable import LeakStore

/// Sums that would exceed the largest number that a store may have.
@Suite struct StoreTotalsTests {
    let directory = TemporaryDirectory()
    /// 2^53 - 1.
    private let most = 9_007_199_254_740_991

    private func hugeCounts(_ app: String, count: Int) -> Submission {
        var batch = submission(
            ["A", "B"].flatMap { name in
                ["1.0", "2.0"].flatMap { version in
                    [
                        Report(
                            leak: leak(name, app: app), version: version, install: 1, count: count,
                            alive: count),
                        Report(
                            leak: leak(name, app: app), version: version, isFreed: true, count: count,
                            lived: 5),
                    ]
                }
            })
        batch.usageCounts = ["1.0", "2.0"].map {
            Submission.UsageCounts(
                app: app, version: $0, build: nil, sessions: count, leakySessions: count,
                checks: ["A": count, "B": count])
        }
        batch.dropped = ["budget", "too_old"].map {
            Submission.Dropped(app: app, reason: $0, count: count)
        }
        return batch
    }

    @Test(arguments: [Int.max, Int.max - 1, 1 << 62, 9_007_199_254_740_991, 9_007_199_254_740_990])
    func `totals do not exceed the largest number that every reader can represent`(count: Int) throws {
        for _ in 0..<2 {
            let store = try directory.store()
            for app in ["shop", "mail"] {
                _ = try store.count(
                    [hugeCounts(app, count: count), hugeCounts(app, count: count)], now: noon)
            }
        }
        let store = try directory.store()
        let reader = try store.makeReader()
        let detail = try #require(try reader.leak(leak("A").id, now: noon))
        #expect(
            (detail.row.reports, detail.row.freed, detail.row.maxAlive) == (most, most, min(count, most)))
        #expect(detail.row.lived?.p50 == 5)
        #expect(detail.row.trend.last == most)
        #expect(detail.versions.map(\.reports) == [most, most])
        #expect(detail.systems.map(\.reports) == [most])
        #expect(detail.row.rate == ReportsAndChecks(reports: most, checks: most))
        for step in [Trend.Step.day, .hour] {
            let trend = try reader.trend(of: leak("A").id, by: step, now: noon)
            #expect(trend?.versions.allSatisfy { $0.counts.max() == most } == true)
        }
        for version in [nil, "1.0"] {
            var query = LeakQuery()
            (query.version, query.state) = (version, .slow)
            let page = try reader.leaks(query, now: noon)
            #expect((page.leaks.count, page.reports) == (4, most))
            #expect(page.leaks.allSatisfy { $0.reports == most && $0.trend.last == most })
        }
        for release in try reader.releases(app: "shop") {
            let numbers = [
                release.reports, release.sessions, release.leakySessions, release.checks,
            ]
            #expect(numbers == [most, most, most, most])
            #expect(release.leakFreeSessions == 0)
        }
        let overview = try reader.overview(app: nil, now: noon)
        #expect((overview.reports, overview.recentReports, overview.droppedTotal) == (most, most, most))
        #expect(overview.dropped.map(\.count) == [most, most, most, most])
        #expect(try store.verify() == [])
    }

    @Test func `every stored number is an integer`() throws {
        let store = try directory.store()
        store.limitPendingLogs(toInstallSets: 0)
        for _ in 0..<3 { _ = try store.count([hugeCounts("shop", count: .max)], now: noon) }
        let connection = try SQLiteConnection(path: directory.database, access: .readOnly)
        let columns = [
            ("app", "reports"), ("app", "freed"), ("release", "reports"), ("release", "freed"),
            ("release", "sessions"), ("release", "leaky_sessions"), ("release", "checks"),
            ("build_check", "checks"), ("leak", "reports"), ("leak", "freed"), ("leak_release", "reports"),
            ("leak_build", "reports"), ("leak_hour", "reports"), ("leak_day", "reports"),
            ("leak_value", "reports"), ("app_slot", "reports"), ("dropped", "count"),
        ]
        for (table, column) in columns {
            let select = try connection.statement(
                composed: "select typeof(\(column)), \(column) from \(table)")
            defer { select.reset() }
            #expect(try select.step())
            #expect(select.text(0) == "integer", "\(table).\(column)")
            #expect(select.int(1) == Total.largest, "\(table).\(column)")
        }
        #expect(Total.largest == 0x1F_FFFF_FFFF_FFFF, "the number that SQL names")
    }

    @Test
    func `the total of dropped reports does not overflow, even with 2,000 reasons of the largest count`() {
        let dropped = (0..<2_000).map {
            Submission.Dropped(app: "shop", reason: "\($0)", count: .max)
        }
        let overview = Overview(
            currentRelease: nil, previousRelease: nil, newLeaks: 0, newLeakTitles: [], recentReports: 0,
            recentInstalls: 0,
            recentLeaks: 0, leaks: 0, reports: 0, dropped: dropped)
        #expect(overview.droppedTotal == most)
    }
}
