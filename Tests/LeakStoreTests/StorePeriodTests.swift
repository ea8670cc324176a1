import LeakSeededRandom
import LeakStore
import Testing

/// Counts by period, in SQLite or in PostgreSQL: ``StoreLocation`` chooses.
@Suite struct StorePeriodTests {
    let place = StoreLocation()
    let store: any Store
    /// 2026-11-20 00:00 UTC.
    private static let midnight = noon - 12 * hour

    init() throws { store = try place.store() }

    private func count(
        _ name: String = "Page", at time: Int64, now: Int64 = noon, install: UInt64? = nil, count: Int = 1,
        version: String = "1.0", app: String = "shop"
    ) throws {
        let report = Report(
            leak: leak(name, app: app), version: version, install: install, at: time, count: count)
        #expect(try store.count([submission([report], at: now)], now: now) == [.counted])
    }

    private func readRecentCounts(_ period: Period, now: Int64 = noon, app: AppScope = "shop") throws -> [Int]
    {
        let overview = try store.makeReader().overview(app: app, period: period, now: now)
        #expect(overview.period == period)
        return [overview.recentReports, overview.recentInstalls, overview.recentLeaks]
    }

    private func page(
        _ period: Period?, now: Int64 = noon, _ change: (inout LeakQuery) -> Void = { _ in }
    ) throws -> LeakPage {
        var query = LeakQuery()
        (query.period, query.sort) = (period, .reports)
        change(&query)
        return try store.makeReader().leaks(query, now: now)
    }

    @Test(
        arguments: [
            (Period.week, 6), (.fortnight, 13), (.month, 29), (.quarter, 89),
        ] as [(Period, Int64)])
    func `a period of days begins at midnight, and today is its last day`(period: Period, before: Int64)
        throws
    {
        let first = Self.midnight - before * day
        try count("In", at: first, install: 1)
        try count("In", at: noon, install: 2, count: 2)
        try count("Out", at: first - 1, install: 3, count: 9)
        #expect(try readRecentCounts(period) == [3, 2, 1])
        #expect(try page(period).leaks.map(\.reports) == [3])
        // The counts are the same until an hour before the next midnight. At midnight the first day leaves the period.
        #expect(try readRecentCounts(period, now: noon + 11 * hour) == [3, 2, 1])
        #expect(try readRecentCounts(period, now: noon + 12 * hour) == [2, 1, 1])
        #expect(try page(period, now: noon + 12 * hour).leaks.map(\.reports) == [2])
    }

    @Test
    func `the last day begins with the first full hour of the last 24 hours, in the overview and in lists`()
        throws
    {
        try count("Edge", at: noon - day, install: 1)
        try count("Now", at: noon, install: 2, count: 2)
        #expect(try readRecentCounts(.day) == [3, 2, 2])
        #expect(try page(.day).leaks.map(\.reports) == [2, 1])
        #expect(try readRecentCounts(.day, now: noon + 1) == [2, 1, 1])
        #expect(try page(.day, now: noon + 1).leaks.map(\.reports) == [2])
    }

    @Test(arguments: [0, 8, 30, 52, 59] as [Int64])
    func `the overview's counts of the last day equal those of the list`(minutes: Int64) throws {
        let now = noon + minutes * hour / 60
        for age in [1, 15, 22 * 60, 22 * 60 + 55, 23 * 60 + 5, 23 * 60 + 52, 24 * 60, 24 * 60 + 1] as [Int64]
        {
            try count("L\(age)", at: now - age * hour / 60, now: now, count: Int(age % 7) + 1)
        }
        let list = try page(.day, now: now)
        #expect(try readRecentCounts(.day, now: now) == [list.reports, 0, list.total])
        #expect(list.total >= 4)
    }

    @Test func `merging ten-minute slots into days does not change the counts of a period`() throws {
        var now = noon
        for number in 0..<12 {
            try count(at: now, now: now, install: UInt64(number % 4), count: 2)
            try count(at: now - 3 * hour, now: now, install: 7)
            now += 10 * hour
        }
        let before = try Period.allCases.map { try readRecentCounts($0, now: now) }
        #expect(before.map(\.first) == [6, 36, 36, 36, 36] && before[4][1] == 5)
        for _ in 0..<2 {
            try store.expire(now: now)
            #expect(try Period.allCases.map { try readRecentCounts($0, now: now) } == before)
        }
        #expect(try store.verify() == [])
        // Later ten-minute slots are added to days that exist already.
        try count(at: now - 2 * day, now: now, install: 90, count: 5)
        try store.expire(now: now + 2 * day)
        #expect(try readRecentCounts(.week, now: now)[0] == 41 && readRecentCounts(.week, now: now)[1] == 6)
        // Another process reads the same number.
        let other = try place.store().makeReader()
        #expect(try other.overview(app: "shop", period: .quarter, now: now).recentReports == 41)
        #expect(try store.verify() == [])
    }

    @Test func `late reports are counted on their own day`() throws {
        try count(at: noon - 3 * day, install: 1, count: 2)
        try count("Old", at: noon - 60 * day, install: 2, count: 3)
        try count("Ancient", at: noon - 400 * day, install: 3, count: 5)
        #expect(try readRecentCounts(.day) == [0, 0, 0])
        #expect(try readRecentCounts(.week) == [2, 1, 1])
        #expect(try readRecentCounts(.quarter) == [5, 2, 2])
        #expect(try page(.quarter).reports == 5)
        #expect(try page(nil).reports == 10)
        #expect(try store.verify() == [])
    }

    @Test func `an app's daily counts are deleted after ninety days`() throws {
        for number in 0..<100 {
            let now = noon + Int64(number) * day
            try count(at: now, now: now, install: UInt64(number))
        }
        let end = noon + 99 * day
        #expect(try readRecentCounts(.quarter, now: end) == [90, 90, 1])
        for _ in 0..<2 {
            try store.expire(now: end)
            #expect(try readRecentCounts(.quarter, now: end) == [90, 90, 1])
            #expect(try readRecentCounts(.month, now: end) == [30, 30, 1])
        }
        #expect(try store.verify() == [])
        try store.expire(now: end + 200 * day)
        #expect(try readRecentCounts(.quarter, now: end) == [0, 0, 1])
        // An install that is counted later is the only install in the period.
        try count(at: end + 200 * day, now: end + 200 * day, install: 5)
        try store.expire(now: end + 202 * day)
        #expect(try readRecentCounts(.week, now: end + 202 * day) == [1, 1, 1])
        #expect(try store.verify() == [])
    }

    @Test func `an erased install is removed from daily counts too`() throws {
        for number: UInt64 in 1...3 {
            try count(at: noon, install: number)
            try count(at: noon - 5 * day, install: number)
        }
        try store.expire(now: noon + 3 * day)
        #expect(try readRecentCounts(.fortnight, now: noon + 3 * day) == [6, 3, 1])
        #expect(try store.erase(install: 2).sets > 0)
        #expect(try readRecentCounts(.fortnight, now: noon + 3 * day) == [6, 2, 1])
        #expect(try store.erase(install: 2) == ErasureResult())
        try count(at: noon, now: noon + 3 * day, install: 2)
        #expect(try readRecentCounts(.fortnight, now: noon + 3 * day) == [7, 3, 1])
        #expect(try store.verify() == [])
    }

    @Test func `apps are counted separately, and all apps together count each install once`() throws {
        try count(at: noon - 2 * day, install: 1, count: 2)
        try count(at: noon - 2 * day, install: 1, count: 3, app: "mail")
        try count(at: noon, install: 2, app: "mail")
        #expect(try readRecentCounts(.week) == [2, 1, 1])
        #expect(try readRecentCounts(.week, app: "mail") == [4, 2, 1])
        #expect(try readRecentCounts(.week, app: nil) == [6, 2, 2])
        #expect(try readRecentCounts(.week, app: "none") == [0, 0, 0])
    }

    @Test
    func `a list of a period counts only reports of the period, and of the version that filters the list`()
        throws
    {
        try count("A", at: noon, install: 1, count: 2)
        try count("A", at: noon - 2 * day, install: 2, count: 3, version: "2.0")
        try count("A", at: noon - 20 * day, install: 3, count: 10)
        try count("B", at: noon - 2 * day, count: 4)
        try count("C", at: noon - 20 * day, count: 50, version: "2.0")
        let week = try page(.week)
        #expect(week.leaks.map(\.identity.title) == ["A", "B"] && week.leaks.map(\.reports) == [5, 4])
        #expect((week.total, week.reports) == (2, 9))
        #expect(week.leaks[0].installs == 3)
        #expect(try page(.day).leaks.map(\.reports) == [2])
        #expect(try page(.month).leaks.map(\.reports) == [50, 15, 4])
        let first = try page(.month) { $0.version = "1.0" }
        #expect(first.leaks.map(\.reports) == [12, 4] && first.reports == 16)
        #expect(first.leaks.map(\.installs) == [2, 0])
        #expect(try page(.week) { $0.version = "2.0" }.leaks.map(\.reports) == [3])
        #expect(try page(.week) { $0.search = "b" }.leaks.map(\.reports) == [4])
        #expect(try page(.week) { $0.app = "mail" }.total == 0)
    }

    @Test(arguments: Period.allCases)
    func `a list of a period counts only the reports in the period, even for leaks that are older`(
        period: Period
    ) throws {
        let start = period.startTime(now: noon)
        for version in ["1.0", "2.0"] {
            try count("Young", at: start, count: 2, version: version)
            try count("Old", at: start - 1, count: 7, version: version)
            try count("Old", at: noon, version: version)
        }
        #expect(try page(period).leaks.map(\.reports) == [4, 2])
        #expect(try page(period) { $0.version = "2.0" }.leaks.map(\.reports) == [2, 1])
        // Every page contains the totals of all pages.
        var cursor: String?
        for _ in 0..<2 {
            let page = try page(period) { ($0.limit, $0.cursor) = (1, cursor) }
            #expect([page.leaks.count, page.total, page.reports] == [1, 2, 6])
            cursor = page.next
        }
        #expect(cursor == nil)
    }

    @Test func `a leak that has only freed objects is in no list of a period`() throws {
        let freed = Report(leak: leak("Page"), isFreed: true, at: noon)
        _ = try store.count([submission([freed])], now: noon)
        #expect(try page(.quarter).total == 0 && page(.quarter) { $0.state = .slow }.total == 0)
        #expect(try page(nil).total == 0 && page(nil).slow == LeakTotals(leaks: 1, reports: 0))
        #expect(try page(nil) { $0.state = .slow }.total == 1)
    }

    @Test func `a list of a period leaves ignored and resolved leaks out, and counts them separately`()
        throws
    {
        for (name, reports) in [("A", 1), ("B", 2), ("C", 3), ("D", 4)] {
            try count(name, at: noon - day, count: reports)
            try count(name, at: noon - 10 * day, count: 100)
        }
        _ = try store.decide(Decision(.ignore(nil), by: "ada"), about: leak("B").id, now: noon)
        _ = try store.decide(Decision(.resolve(.newestVersion), by: "ada"), about: leak("C").id, now: noon)
        let week = try page(.week)
        #expect(week.leaks.map(\.reports) == [4, 1] && week.reports == 5)
        #expect(week.ignored == LeakTotals(leaks: 1, reports: 2))
        #expect(week.resolved == LeakTotals(leaks: 1, reports: 3))
        // A list of resolved leaks counts reports since they were resolved.
        #expect(try page(.week) { $0.state = .resolved }.leaks.isEmpty)
        #expect(try page(.week) { $0.state = .any }.reports == 10)
    }

    @Test(arguments: LeakQuery.Sort.allCases, [Period.day, .week])
    func `paging through a list of a period visits every leak once`(sort: LeakQuery.Sort, period: Period)
        throws
    {
        var random = SeededRandom(seed: 3)
        let reports = (0..<90).map { number in
            Report(
                leak: leak("L\(number % 30)"), version: "\(number % 2)",
                install: .random(in: 0..<9, using: &random),
                at: noon - .random(in: 0..<12, using: &random) * day, count: number % 5 + 1)
        }
        _ = try store.count([submission(reports)], now: noon)
        let first = period == .day ? noon - day : Self.midnight - 6 * day
        let expected = Set(reports.filter { $0.at >= first }.map(\.leak.title))
        var query = LeakQuery()
        (query.period, query.sort, query.limit) = (period, sort, 4)
        var rows: [LeakRow] = []
        let reader = try store.makeReader()
        repeat {
            let page = try reader.leaks(query, now: noon)
            #expect(page.total == expected.count)
            rows += page.leaks
            query.cursor = page.next
        } while query.cursor != nil
        #expect(rows.count == expected.count && Set(rows.map(\.identity.title)) == expected)
        for row in rows {
            let sum = reports.filter { $0.at >= first && $0.leak.title == row.identity.title }
                .reduce(0) { $0 + $1.count }
            #expect(row.reports == sum)
        }
    }

    @Test func `a cursor of another period is rejected`() throws {
        for name in ["A", "B"] { try count(name, at: noon) }
        let reader = try store.makeReader()
        var query = LeakQuery()
        (query.period, query.limit) = (.week, 1)
        query.cursor = try reader.leaks(query, now: noon).next
        #expect(query.cursor != nil)
        query.period = .month
        #expect(throws: StoreError.self) { try reader.leaks(query, now: noon) }
        query.period = nil
        #expect(throws: StoreError.self) { try reader.leaks(query, now: noon) }
    }
}
