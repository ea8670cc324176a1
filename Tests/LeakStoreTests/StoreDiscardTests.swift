import LeakStore
import Testing

/// Leaks whose later reports are dropped, in every store.
@Suite struct StoreDiscardTests {
    let place = StoreLocation()
    let store: any Store
    let page = leak("Page")
    let cart = leak("Cart")

    init() throws { store = try place.store() }

    private func count(_ reports: Report..., in other: (any Store)? = nil) throws {
        #expect(try (other ?? store).count([submission(reports)], now: noon) == [.counted])
    }

    private func discard(_ leak: LeakIdentity) throws {
        #expect(try store.discard(leak.id, by: "ada", audit: nil, now: noon))
        _ = try store.forget(.leak(leak.id))
    }

    private func reports(_ leak: LeakIdentity) throws -> Int? {
        try store.makeReader().leak(leak.id, now: noon)?.row.reports
    }

    private func dropped(_ app: AppScope = "shop") throws -> Int {
        try store.makeReader().overview(app: app, now: noon).dropped
            .filter { $0.reason == DiscardedLeak.reason }.reduce(0) { $0 + $1.count }
    }

    private func discarded(_ app: AppScope = "shop") throws -> [DiscardedLeak] {
        try store.makeReader().discardedLeaks(app: app)
    }

    @Test func `reports of a discarded leak count as dropped, and in nothing else`() throws {
        try count(Report(leak: page, install: 1), Report(leak: cart, install: 2))
        try discard(page)
        let expected = DiscardedLeak(
            id: page.id, app: "shop", title: "Page", by: "ada", at: noon, dropped: 0)
        #expect(try discarded() == [expected])

        try count(
            Report(leak: page, version: "9.0", install: 3, count: 4),
            Report(leak: page, version: "9.1", install: 4, isFreed: true, lived: 5),
            Report(leak: cart, install: 5))
        #expect(try reports(page) == nil && reports(cart) == 2)
        let overview = try store.makeReader().overview(app: "shop", now: noon)
        #expect(overview.leaks == 1 && overview.reports == 2)
        #expect(overview.recentReports == 2)
        #expect(try store.makeReader().versions(app: "shop") == ["1.0"])
        #expect(try dropped() == 5 && discarded().map(\.dropped) == [5])
        #expect(try store.verify() == [])
    }

    @Test func `a discarded leak that is accepted again is counted as a new leak`() throws {
        try count(Report(leak: page))
        try discard(page)
        try count(Report(leak: page))
        #expect(try reports(page) == nil)
        #expect(try store.accept(page.id, audit: nil))
        #expect(try discarded().isEmpty && !store.accept(page.id, audit: nil))
        try count(Report(leak: page), Report(leak: page))
        #expect(try reports(page) == 2 && dropped() == 1)
    }

    @Test func `another collector and a later start drop the reports of a discarded leak too`() throws {
        let other = try place.store()
        for store in [store, other] { try count(Report(leak: page), Report(leak: cart), in: store) }
        try discard(page)
        try count(Report(leak: page), Report(leak: cart), in: other)
        try count(Report(leak: page), Report(leak: cart), in: place.store())
        #expect(try reports(page) == nil && reports(cart) == 4 && dropped() == 2)
        #expect(try other.accept(page.id, audit: nil))
        try count(Report(leak: page))
        try count(Report(leak: page), in: other)
        #expect(try reports(page) == 2 && dropped() == 2)
        #expect(try store.verify() == [])
    }

    @Test func `a repeated batch counts its dropped reports once`() throws {
        try count(Report(leak: page))
        try discard(page)
        let batch = submission([Report(leak: page)], key: "k")
        #expect(try store.count([batch], now: noon) == [.counted])
        #expect(try store.count([batch, batch], now: noon).allSatisfy { $0 != .counted })
        #expect(try dropped() == 1 && discarded().map(\.dropped) == [1])
    }

    @Test func `explanations of a discarded leak are dropped`() throws {
        try count(Report(leak: page), Report(leak: cart))
        try discard(page)
        var batch = submission()
        batch.origins = [Submission.Origin(app: "shop", version: "7.0")]
        batch.explanations = [page, cart].map {
            Submission.Explanation(leak: $0, originIndex: 0, at: noon, reason: "why", bytes: nil)
        }
        #expect(try store.count([batch], now: noon) == [.counted])
        #expect(try store.makeReader().leak(cart.id, now: noon)?.reasons.map(\.value) == ["why"])
        #expect(try reports(page) == nil && store.makeReader().versions(app: "shop") == ["1.0"])
    }

    @Test func `later reports of leaks that were merged into a discarded leak are dropped too`() throws {
        try count(Report(leak: page), Report(leak: cart))
        _ = try store.merge([page.id], into: cart, by: "ada", now: noon, note: { _ in "merged" })
        try discard(cart)
        try count(Report(leak: page), Report(leak: cart, count: 2))
        #expect(try reports(page) == nil && reports(cart) == nil && dropped() == 3)
        // One leak, whose two ids are accepted again together.
        #expect(try discarded().map(\.id) == [cart.id] && discarded().map(\.dropped) == [3])
        #expect(try store.accept(page.id, audit: nil))
        try count(Report(leak: page), Report(leak: cart))
        #expect(try reports(page) == 1 && reports(cart) == 1)
    }

    @Test func `no leak is merged into a discarded leak`() throws {
        try count(Report(leak: page), Report(leak: cart))
        try discard(cart)
        #expect(
            try store.merge([page.id], into: cart, by: "ada", now: noon, note: { _ in "merged" }) == nil)
        #expect(try reports(page) == 1 && reports(cart) == nil)
        #expect(try store.accept(cart.id, audit: nil))
        #expect(
            try store.merge([page.id], into: cart, by: "ada", now: noon, note: { _ in "merged" }) != nil)
        #expect(try store.verify() == [])
    }

    @Test func `a leak whose class another module has too is discarded for its own module only`() throws {
        func cart(of module: String) -> LeakIdentity {
            func identity(_ name: String, module: String?, other: LeakIdentity?) -> LeakIdentity {
                LeakIdentity(
                    id: leak(name).id, app: "shop", kind: "object", className: "Cart", module: module,
                    title: "Cart", stack: [name], children: [], cycle: [], quality: .full,
                    groupingKey: GroupingKey(version: 1, className: name, stack: [name]),
                    otherModuleSpelling: other)
            }
            return identity(
                "Cart", module: module, other: identity("\(module).Cart", module: nil, other: nil))
        }
        try count(Report(leak: cart(of: "Shop")), Report(leak: cart(of: "Pay")))
        #expect(try store.makeReader().overview(app: "shop", now: noon).leaks == 2)
        try discard(cart(of: "Shop"))
        try count(Report(leak: cart(of: "Shop")), Report(leak: cart(of: "Pay")))
        #expect(try reports(leak("Pay.Cart")) == 2 && reports(leak("Cart")) == nil && dropped() == 1)
    }

    @Test func `deleting an app deletes the list of its discarded leaks`() throws {
        let debugPage = leak("Page", environment: "debug")
        try count(Report(leak: page), Report(leak: debugPage), Report(leak: leak("Page", app: "till")))
        for leak in [page, debugPage, leak("Page", app: "till")] { try discard(leak) }
        #expect(try discarded(AppScope("shop", environment: "debug")).map(\.id) == [debugPage.id])
        _ = try store.forget(.environment(AppKey("shop", environment: "debug")))
        #expect(try discarded(AppScope(nil, environment: "debug")).isEmpty)
        #expect(try discarded(nil).count == 2 && discarded("till").count == 1)
        _ = try store.forget(.app("shop"))
        #expect(try discarded(nil).map(\.app) == ["till"])
        try count(Report(leak: page))
        #expect(try reports(page) == 1)
    }

    @Test
    func
        `dropped reports of discarded leaks count under their own reason even if an app has too many reasons`()
        throws
    {
        var limits = StoreLimits()
        limits.droppedReasonsPerApp = 2
        let limited = try place.store(limits: limits)
        try count(Report(leak: page), in: limited)
        var batch = submission()
        batch.dropped = (0..<4).map { Submission.Dropped(app: "shop", reason: "r\($0)", count: 1) }
        _ = try limited.count([batch], now: noon)
        try discard(page)
        try count(Report(leak: page), in: limited)
        _ = try limited.count([batch], now: noon)
        let counts = try store.makeReader().overview(app: "shop", now: noon).dropped
        #expect(counts.count == 4 && counts.contains { $0.reason == StoreLimits.other })
        #expect(try dropped() == 1 && counts.reduce(0) { $0 + $1.count } == 9)
    }

    @Test
    func `a leak that counts reports beyond a limit, and a leak that does not exist, are not discarded`()
        throws
    {
        var limits = StoreLimits()
        (limits.leaksPerApp, limits.appsPerKey) = (1, 1)
        let limited = try place.store(limits: limits)
        try count(Report(leak: page), Report(leak: cart), in: limited)
        try count(Report(leak: leak("Page", app: "second")), in: limited)
        let leaks = try store.makeReader().leaks(LeakQuery(), now: noon).leaks.map(\.identity)
        for leak in leaks where leak.id != page.id {
            let failure = try #require(throws: StoreError.self) {
                _ = try store.discard(leak.id, by: "ada", audit: nil, now: noon)
            }
            #expect(failure.reason == .invalidArgument)
        }
        #expect(leaks.count >= 3)
        #expect(try !store.discard(leak("None").id, by: "ada", audit: nil, now: noon))
        #expect(try discarded(nil).isEmpty)
    }

    @Test func `an app has a limited number of discarded ids, and discarding a leak again adds none`() throws
    {
        let leaks = (0..<DiscardedLeak.maxPerApp).map { leak("L\($0)") }
        try count(Report(leak: page), Report(leak: cart))
        _ = try store.count([submission(leaks.map { Report(leak: $0) })], now: noon)
        for leak in leaks { #expect(try store.discard(leak.id, by: "ada", audit: nil, now: noon)) }
        func expectFull() throws {
            let failure = try #require(throws: StoreError.self) {
                _ = try store.discard(page.id, by: "ada", audit: nil, now: noon)
            }
            #expect(failure.reason == .invalidArgument && failure.description.contains("1000 leaks of shop"))
        }
        try expectFull()
        #expect(try store.discard(leaks[0].id, by: "ada", audit: nil, now: noon))
        #expect(try store.accept(leaks[0].id, audit: nil))
        #expect(try store.mergeByHand(cart.id, into: page.id, by: "ada", audit: nil, now: noon) != nil)
        // The page has two ids now, and there is room for one.
        try expectFull()
        #expect(try store.accept(leaks[1].id, audit: nil))
        for _ in 0..<2 { #expect(try store.discard(page.id, by: "ada", audit: nil, now: noon)) }
    }
}
