import LeakStore
import Testing

/// The impact of a leak in every store: its installs in the current release in the last seven days.
@Suite struct StoreImpactTests {
    let place = StoreLocation()
    let store: any Store
    private let page = leak("Page")

    init() throws { store = try place.store() }

    private func count(_ reports: Report..., now: Int64 = noon) throws {
        #expect(try store.count([submission(reports, at: now)], now: now) == [.counted])
    }

    private func report(_ install: UInt64, _ version: String = "1.0", age: Int64 = 0, now: Int64 = noon)
        -> Report
    {
        Report(leak: page, version: version, install: install, at: now - age * day)
    }

    /// Returns the impact that a list and the page of the leak show.
    private func impact(_ leak: LeakIdentity? = nil) throws -> Int? {
        let id = (leak ?? page).id
        let reader = try store.makeReader()
        let impact = try reader.leak(id, now: noon)?.row.impact
        var query = LeakQuery()
        query.state = .any
        #expect(try reader.leaks(query, now: noon).leaks.first { $0.identity.id == id }?.impact == impact)
        #expect(try store.verify() == [])
        return impact
    }

    @Test func `an install counts on the day of its report, and on the six days after it`() throws {
        try count(report(1), report(2), report(2), report(3, age: 3), report(4, age: 6), report(5, age: 7))
        #expect(try impact() == 4)
        try store.expire(now: noon + day)
        #expect(try impact() == 3)
        try count(report(3, now: noon + 2 * day), now: noon + 2 * day)
        for (days, impact) in [(6, 3), (7, 1), (8, 1), (9, 0), (10, 0)] as [(Int64, Int)] {
            try store.expire(now: noon + days * day)
            #expect(try self.impact() == impact)
        }
        // The number of installs of all time does not change.
        #expect(try store.makeReader().leak(page.id, now: noon)?.row.installs == 5)
        try count(report(1, now: noon + 20 * day), now: noon + 20 * day)
        #expect(try impact() == 1)
    }

    @Test(arguments: [15, 400] as [Int64])
    func `while the clock is set to a past day, no recent installs are removed`(days: Int64) throws {
        try count(report(1), report(2), report(3, age: 6))
        let behind = noon - days * day
        try store.expire(now: behind)
        try count(report(4, now: behind), now: behind)
        try store.expire(now: behind)
        try store.expire(now: noon)
        #expect(try impact() == 3)
        try store.expire(now: noon + day)
        #expect(try impact() == 2)
    }

    @Test func `an install counts once in a version, over all its builds, and not in other versions`() throws
    {
        for build in ["1", "2"] {
            try count(
                Report(leak: page, build: build, install: 1), Report(leak: page, build: build, install: 2))
        }
        try count(report(3, "0.9"))
        #expect(try store.pin("1.0", of: "shop"))
        #expect(try impact() == 2)
        #expect(try store.pin("0.9", of: "shop"))
        #expect(try impact() == 1)
        try store.expire(now: noon + 7 * day)
        #expect(try impact() == 0)
        #expect(try store.pin("1.0", of: "shop"))
        #expect(try impact() == 0)
    }

    @Test(arguments: [nil, .month] as [Period?])
    func `leaks of all versions are sorted by recent installs, leaks of one version by all installs with it`(
        period: Period?
    ) throws {
        let cart = leak("Cart")
        for install in 1...3 as ClosedRange<UInt64> { try count(report(install, age: 8)) }
        try count(report(1), Report(leak: cart, install: 1), Report(leak: cart, install: 2))
        let reader = try store.makeReader()
        var query = LeakQuery()
        query.period = period
        #expect(try reader.leaks(query, now: noon).leaks.map(\.identity.title) == ["Cart", "Page"])
        query.version = "1.0"
        #expect(try reader.leaks(query, now: noon).leaks.map(\.identity.title) == ["Page", "Cart"])
    }

    @Test func `an install that several writers report counts once`() throws {
        let other = try place.store()
        for install in 1...9 as ClosedRange<UInt64> {
            try count(report(install))
            _ = try other.count([submission([report(install), report(install + 1)])], now: noon)
        }
        #expect(try impact() == 10)
        _ = try store.erase(install: 4)
        #expect(try impact() == 9)
        for writer in [store, other] { _ = try writer.count([submission([report(4)])], now: noon) }
        #expect(try impact() == 10)
    }

    @Test func `a merged leak has the installs of its parts`() throws {
        let cart = leak("Cart")
        try count(
            report(1), report(2, "0.9"), Report(leak: cart, install: 1), Report(leak: cart, install: 7),
            Report(leak: cart, version: "0.8", install: 8))
        #expect(try store.pin("1.0", of: "shop"))
        _ = try store.merge([cart.id], into: page, by: "regroup", now: noon, note: { _ in "merged" })
        #expect(try impact() == 2)
        #expect(try store.pin("0.8", of: "shop"))
        #expect(try impact() == 1)
    }

    @Test func `the number of installs is estimated if it exceeds the capacity of a set`() throws {
        for first in stride(from: 1, to: 4_000, by: 500) as StrideTo<UInt64> {
            _ = try store.count(
                [submission((first..<first + 500).map { report($0) })], now: noon)
        }
        let impact = try #require(try impact())
        #expect(abs(Double(impact) / 4_000 - 1) < 0.2)
        try store.expire(now: noon + 7 * day)
        #expect(try self.impact() == 0)
    }

    @Test func `reports without an install have no impact`() throws {
        try count(Report(leak: page), Report(leak: page, install: 1, isFreed: true))
        #expect(try impact() == 0)
    }
}
