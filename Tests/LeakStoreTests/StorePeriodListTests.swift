import LeakSeededRandom
import LeakStore
import Testing

/// Compares lists of a period without a filter with the same lists with a filter that every leak passes, in every store. Stores
/// read the lists without a filter from indexes and sums of whole apps. ``StoreLocation`` chooses SQLite or PostgreSQL.
@Suite struct StorePeriodListTests {
    private let place = StoreLocation()
    private static let apps = ["shop", "mail", "maps"]

    /// Returns reports around the beginnings of periods. Some are of freed objects, and some are late. There are few different
    /// counts, so that many leaks have the same sort keys.
    private func reports(_ random: inout SeededRandom, now: Int64) -> [Report] {
        (0..<Int.random(in: 5...40, using: &random)).map { _ in
            let period = Period.allCases.randomElement(using: &random) ?? .day
            let days = Int64(period.days)
            let times = [
                now, now, now - hour, now - days * day, now - (days - 1) * day, now - days * day + hour,
                (now / day - days + 1) * day, (now / day - days + 1) * day - 1, now - 200 * day,
            ]
            let name = Self.name(&random)
            return Report(
                leak: leak(name, app: Self.apps.randomElement(using: &random) ?? "shop"),
                version: "\(Int.random(in: 1...2, using: &random))",
                install: .random(in: 0..<4, using: &random),
                isFreed: Int.random(in: 0..<5, using: &random) == 0,
                at: times.randomElement(using: &random) ?? now, count: .random(in: 1...2, using: &random))
        }
    }

    private static func name(_ random: inout SeededRandom) -> String {
        let number = Int.random(in: 0..<25, using: &random)
        return number < 3 ? "UIElement\(number)" : "L\(number)"
    }

    private func decide(_ random: inout SeededRandom, _ store: any Store, now: Int64) throws {
        let actions: [Decision.Action] = [.ignore(nil), .resolve(.nextVersion), .reopen]
        for _ in 0..<2 {
            _ = try store.decide(
                Decision(actions.randomElement(using: &random) ?? .reopen, by: "ada"),
                about: leak(Self.name(&random), app: Self.apps.randomElement(using: &random) ?? "shop").id,
                now: now)
        }
    }

    private struct Listed: Equatable {
        var rows: [String] = []
        var totals: [String] = []
    }

    /// Reads the first pages of a list, each with a larger limit than the page before.
    private func list(
        _ query: LeakQuery, _ reader: any StoreReader, now: Int64, pages: Int = .max
    ) throws -> Listed {
        var query = query
        var listed = Listed()
        repeat {
            let page = try reader.leaks(query, now: now)
            listed.rows += page.leaks.map { "\($0)" }
            listed.totals.append(
                "\(page.total) \(page.reports) \(page.known) \(page.resolved) \(page.ignored)")
            query.cursor = page.next
            query.limit += 3
        } while query.cursor != nil && listed.totals.count < pages
        return listed
    }

    private func compare(_ reader: any StoreReader, now: Int64, _ step: Comment) throws {
        for period in Period.allCases {
            for sort in LeakQuery.Sort.allCases {
                for (app, state) in [(nil, .any), ("shop", .toFix)] as [(String?, LeakQuery.StateFilter)] {
                    var query = LeakQuery()
                    (query.period, query.sort, query.app, query.state) = (period, sort, app, state)
                    (query.order, query.limit) = (state == .any ? .ascending : .descending, 2)
                    let listed = try list(query, reader, now: now)
                    query.kind = "object"
                    #expect(try listed == list(query, reader, now: now), step)
                }
            }
        }
    }

    @Test(arguments: RandomSeeds.upTo(1))
    func `a list of a period is the same with a filter that every leak passes`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try place.store()
        let reader = try store.makeReader(known: KnownLeaks([knownLeakRule("UI*")]))
        var now = noon
        for step in 0..<6 {
            now += [0, hour / 3, hour, 13 * hour, 20 * day].randomElement(using: &random) ?? 0
            _ = try store.count([submission(reports(&random, now: now), at: now)], now: now)
            try decide(&random, store, now: now)
            if step % 2 == 1 { try store.expire(now: now) }
            try compare(reader, now: now, "seed \(seed), step \(step)")
        }
        #expect(try store.verify() == [])
    }

    /// There are more leaks than PostgreSQL reads to find the bound of a page. The total reports of a leak say little about its
    /// reports in a period, and some reports are later than the time of the list.
    @Test(arguments: Period.allCases)
    func `a list of many leaks is the same with a filter that every leak passes`(period: Period) throws {
        let store = try place.store()
        let old = (0..<700).map { Report(leak: leak("L\($0)"), at: noon - 200 * day, count: 900 - $0) }
        let recent = (0..<700).map { number in
            let age = Int64(number * 7 % 40) * day + Int64(number % 25) * hour
            return Report(
                leak: leak("L\(number)"), install: UInt64(number % 3), at: noon - age, count: number % 11 + 1)
        }
        let today = (0..<300).map { Report(leak: leak("L\($0 * 2)"), at: noon, count: $0 % 7 + 1) }
        for reports in [old, recent, today] {
            _ = try store.count([submission(reports)], now: noon)
        }
        let reader = try store.makeReader()
        let times: [(Int64, LeakQuery.Order)] = [
            (noon, .descending), (noon, .ascending), (noon - 2 * hour, .descending),
            (noon - 9 * day, .ascending),
        ]
        for (number, sort) in LeakQuery.Sort.allCases.enumerated() {
            // Each time and order is used with every second sort order.
            for index in [number % 2, 2 + number % 2] {
                let (now, order) = times[index]
                var query = LeakQuery()
                (query.period, query.sort, query.order, query.limit) = (period, sort, order, 20)
                let listed = try list(query, reader, now: now, pages: 4)
                query.kind = "object"
                let filtered = try list(query, reader, now: now, pages: 4)
                #expect(listed.rows == filtered.rows)
                if now == noon { #expect(listed.totals == filtered.totals) }
            }
        }
        #expect(try store.verify() == [])
    }

    @Test(
        arguments: Period.allCases, [(reports: 3, freed: 0, total: 1), (0, 2, 0)] as [(Int, Int, Int)])
    func `a leak is in the list of a period only if it has reports in the period, not only freed objects`(
        period: Period, then: (reports: Int, freed: Int, total: Int)
    ) throws {
        let store = try place.store()
        var reports = [Report(leak: leak("Page"), at: noon - 300 * day)]
        if then.reports > 0 { reports.append(Report(leak: leak("Page"), at: noon, count: then.reports)) }
        if then.freed > 0 {
            reports.append(Report(leak: leak("Page"), isFreed: true, at: noon, count: then.freed))
        }
        _ = try store.count([submission(reports)], now: noon)
        var query = LeakQuery()
        query.period = period
        let page = try store.makeReader().leaks(query, now: noon)
        #expect([page.total, page.leaks.count, page.reports] == [then.total, then.total, then.reports])
    }
}
