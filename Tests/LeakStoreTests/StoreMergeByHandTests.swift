import LeakSeededRandom
import LeakStore
import Testing

/// Merging leaks by hand, and undoing it, in every store.
@Suite struct StoreMergeByHandTests {
    let place = StoreLocation()
    let store: any Store
    let page = leak("Page")
    let cart = leak("Cart")
    let menu = leak("Menu")

    init() throws { store = try place.store() }

    private func count(
        _ reports: Report..., key: Int64 = 1, at now: Int64 = noon, in other: (any Store)? = nil
    ) throws {
        let receipts = try (other ?? store).count([submission(reports, keyID: key, at: now)], now: now)
        #expect(receipts == [.counted])
    }

    @discardableResult
    private func merge(
        _ source: LeakIdentity, into target: LeakIdentity, now: Int64 = noon
    ) throws -> ManualMerge {
        let merge = try store.mergeByHand(source.id, into: target.id, by: "ada", audit: nil, now: now)
        #expect(try store.verify() == [])
        return try #require(merge)
    }

    @discardableResult
    private func undo(_ merge: ManualMerge, now: Int64 = noon) throws -> UndoneMerge {
        let undone = try store.undoMerge(merge.number, by: "ada", audit: nil, now: now)
        #expect(try store.verify() == [])
        return try #require(undone)
    }

    private func reports(_ leak: LeakIdentity) throws -> Int? {
        try store.makeReader().leak(leak.id, now: noon)?.row.reports
    }

    private func failure(_ body: () throws -> Void) throws -> String {
        let error = try #require(throws: StoreError.self, performing: body)
        #expect(error.reason == .invalidArgument)
        return error.description
    }

    /// Returns all data of a leak as text, without its decisions, its samples and its related leaks.
    private static func counts(_ leak: LeakIdentity, in store: any Store, now: Int64) throws -> [String] {
        let reader = try store.makeReader()
        guard var detail = try reader.leak(leak.id, now: now) else { return [] }
        let identity = detail.row.identity
        (detail.history, detail.fixes, detail.siblings, detail.samples) = ([], [:], [], 0)
        (detail.row.firstSeen, detail.row.lastSeen) = (0, 0)
        return [
            "\(identity.id) \(identity.title) \(identity.module ?? "") \(identity.stack) \(identity.groupingKey)",
            "\(detail.row)", "\(detail.versions)", "\(detail.systems)", "\(detail.models)",
            "\(detail.reasons)",
            "\(detail.retainedBytes)", "\(detail.trend)", "\(detail.lived)",
            "\(detail.referenceVersion ?? "")",
            "\(String(describing: try reader.trend(of: leak.id, by: .hour, now: now)))",
        ]
    }

    /// Returns all data of a leak as text, without its related leaks and the note that a merge was undone.
    private static func contents(_ leak: LeakIdentity, in store: any Store, now: Int64) throws -> [String] {
        let reader = try store.makeReader()
        let detail = try #require(try reader.leak(leak.id, now: now))
        let history = detail.history.filter { !($0.note ?? "").hasPrefix("Undid merge") }
        return try counts(leak, in: store, now: now) + [
            "\(detail.row.firstSeen) \(detail.row.lastSeen) \(detail.samples) \(history)",
            "\(detail.fixes.sorted { $0.key < $1.key }.map(\.value))",
            "\(String(describing: try reader.samples(of: leak.id)))",
        ]
    }

    // MARK: Merging

    @Test func `reports of a merged leak count for the target, in this collector and in others`() throws {
        let other = try place.store()
        try count(Report(leak: page), Report(leak: cart), in: other)
        try count(Report(leak: page, install: 1), Report(leak: cart, install: 2))
        let merge = try merge(page, into: cart)
        #expect(merge.reports == 2 && merge.target == cart.id && merge.sourceTitle == "Page")
        for store in [store, other, try place.store()] {
            try count(Report(leak: page, install: 3), Report(leak: cart, install: 4), in: store)
        }
        let reader = try store.makeReader()
        #expect(try reports(page) == nil && reports(cart) == 10)
        #expect(try reader.leak(cart.id, now: noon)?.row.installs == 4)
        #expect(try reader.target(ofMerged: page.id) == cart.id)
        #expect(
            try reader.manualMerges(into: cart.id) == [merge] && reader.manualMerges(app: "shop") == [merge])
        #expect(try reader.manualMerge(merge.number) == merge)
        let note = try reader.leak(cart.id, now: noon)?.history.first?.note
        #expect(note?.contains("merge \(merge.number)") ?? false)
        #expect(try undo(merge).reports == 2)
        #expect(try reports(page) == 2 && reports(cart) == 8)
        try count(Report(leak: page), in: other)
        #expect(try reports(page) == 3 && reports(cart) == 8 && reader.manualMerges(app: nil).isEmpty)
        #expect(try store.verify() == [])
    }

    @Test func `explanations of a merged leak count for the target`() throws {
        try count(Report(leak: page), Report(leak: cart))
        try merge(page, into: cart)
        var batch = submission()
        batch.origins = [Submission.Origin(app: "shop", version: "1.0")]
        batch.explanations = [
            Submission.Explanation(leak: page, originIndex: 0, at: noon, reason: "why", bytes: 64)
        ]
        #expect(try store.count([batch], now: noon) == [.counted])
        #expect(try store.makeReader().leak(cart.id, now: noon)?.reasons.map(\.value) == ["why"])
        #expect(try store.verify() == [])
    }

    @Test func `an impossible merge says why it fails`() throws {
        let till = leak("Page", app: "till")
        try count(Report(leak: page), Report(leak: cart), Report(leak: till), Report(leak: menu))
        #expect(try store.mergeByHand(leak("No").id, into: cart.id, by: "ada", audit: nil, now: noon) == nil)
        #expect(try failure { _ = try merge(page, into: leak("No")) }.contains("no leak"))
        #expect(try failure { _ = try merge(page, into: page) }.contains("itself"))
        #expect(try failure { _ = try merge(page, into: till) }.contains("different apps"))
        #expect(try store.discard(menu.id, by: "ada", audit: nil, now: noon))
        #expect(try failure { _ = try merge(page, into: menu) }.contains("discarded"))
        #expect(try failure { _ = try merge(menu, into: page) }.contains("discarded"))
        try merge(page, into: cart)
        #expect(try failure { _ = try merge(cart, into: page) }.contains("itself"))
        #expect(try store.undoMerge(99, by: "ada", audit: nil, now: noon) == nil)
    }

    @Test func `the leak of all others is not merged`() throws {
        var limits = StoreLimits()
        limits.leaksPerApp = 1
        let limited = try place.store(limits: limits)
        try count(Report(leak: page), Report(leak: cart), in: limited)
        let ids = try store.makeReader().leaks(LeakQuery(), now: noon).leaks.map(\.identity.id)
        let other = try #require(ids.first { $0 != page.id })
        for (source, target) in [(page.id, other), (other, page.id)] {
            let text = try failure {
                _ = try store.mergeByHand(source, into: target, by: "ada", audit: nil, now: noon)
            }
            #expect(text.contains("reports of other leaks"))
        }
    }

    @Test func `an app has a limited number of merges by hand`() throws {
        try count(Report(leak: page), Report(leak: cart), Report(leak: menu))
        let merge = try merge(page, into: cart)
        try place.execute(
            """
            insert into leak_merge (app, source, module, title, leak, reports, by, at, is_shared, source_body, target_body)
            select app, \(Self.randomKeySQL), '', '', leak, 0, '', 0, 0, source_body, target_body
            from leak_merge, (\(Self.numbersSQL)) as number
            """)
        let text = try failure {
            _ = try store.mergeByHand(menu.id, into: cart.id, by: "ada", audit: nil, now: noon)
        }
        #expect(text.contains("1000 leaks of shop"))
        try place.execute("delete from leak_merge where id > \(merge.number)")
        #expect(try store.mergeByHand(menu.id, into: cart.id, by: "ada", audit: nil, now: noon) != nil)
    }

    #if PostgreSQL
        private static var isPostgreSQL: Bool { DatabaseSchema.url != nil }
    #else
        private static let isPostgreSQL = false
    #endif
    private static var randomKeySQL: String { isPostgreSQL ? "gen_random_uuid()" : "randomblob(16)" }
    private static var numbersSQL: String {
        isPostgreSQL
            ? "select * from generate_series(1, 999)"
            : "with recursive n (i) as (select 1 union all select i + 1 from n where i < 999) select i from n"
    }

    @Test func `a merged leak without a module gets no reports that name a module`() throws {
        func identity(_ name: String, module: String?, other: LeakIdentity?) -> LeakIdentity {
            LeakIdentity(
                id: leak(name).id, app: "shop", kind: "object", className: "Cart", module: module,
                title: "Cart",
                stack: [name], children: [], cycle: [], quality: .full,
                groupingKey: GroupingKey(version: 1, className: name, stack: [name]),
                otherModuleSpelling: other)
        }
        func cart(of module: String) -> LeakIdentity {
            identity("Cart", module: module, other: identity("\(module).Cart", module: nil, other: nil))
        }
        try count(Report(leak: identity("Cart", module: nil, other: nil)), Report(leak: page))
        let merge = try merge(leak("Cart"), into: page)
        try count(
            Report(leak: cart(of: "Shop")), Report(leak: cart(of: "Pay")), Report(leak: cart(of: "Pay")))
        try count(Report(leak: identity("Cart", module: nil, other: nil)))
        #expect(try reports(page) == 3 && reports(leak("Shop.Cart")) == 1 && reports(leak("Pay.Cart")) == 2)
        try undo(merge)
        #expect(try reports(page) == 2 && reports(leak("Cart")) == 1)
        try self.merge(leak("Cart"), into: page)
        #expect(try store.discard(page.id, by: "ada", audit: nil, now: noon))
        _ = try store.forget(.leak(page.id))
        try count(Report(leak: cart(of: "Shop")), Report(leak: cart(of: "Pay")), Report(leak: page))
        try count(Report(leak: identity("Cart", module: nil, other: nil)))
        #expect(try reports(page) == nil && reports(leak("Cart")) == nil)
        #expect(try reports(leak("Shop.Cart")) == 2 && reports(leak("Pay.Cart")) == 3)
    }

    @Test func `a merge saves only target versions that the source has too`() throws {
        for number in 0..<20 {
            try count(Report(leak: cart, version: "\(number).0", build: "1", install: 1))
        }
        try count(
            Report(leak: page, version: "3.0", build: "1", install: 1),
            Report(leak: page, version: "3.0", build: "2", install: 2),
            Report(leak: page, version: "4.0", build: "9", install: 3))
        let merge = try merge(page, into: cart)
        #expect(try place.rowCount(of: "leak_merge_release") == 4)
        try undo(merge)
        #expect(try store.makeReader().leak(cart.id, now: noon)?.row.installs == 1)
        #expect(try store.makeReader().leak(page.id, now: noon)?.row.installs == 3)
    }

    @Test func `a leak that is restored after 500 days is not deleted by its age`() throws {
        try count(Report(leak: page), Report(leak: cart))
        let merge = try merge(page, into: cart)
        let later = noon + 500 * day
        try count(Report(leak: cart, at: later), at: later)
        try undo(merge, now: later)
        try store.expire(now: later)
        #expect(try reports(page) == 1 && store.verify() == [])
    }

    @Test func `a merged leak with a module gets only the reports of its module`() throws {
        func cart(of module: String) -> LeakIdentity {
            func identity(_ name: String, module: String?, other: LeakIdentity?) -> LeakIdentity {
                LeakIdentity(
                    id: leak(name).id, app: "shop", kind: "object", className: "Cart", module: module,
                    title: "Cart",
                    stack: [name], children: [], cycle: [], quality: .full,
                    groupingKey: GroupingKey(version: 1, className: name, stack: [name]),
                    otherModuleSpelling: other)
            }
            return identity(
                "Cart", module: module, other: identity("\(module).Cart", module: nil, other: nil))
        }
        try count(Report(leak: cart(of: "Shop")), Report(leak: page))
        try merge(leak("Cart"), into: page)
        try count(Report(leak: cart(of: "Shop")), Report(leak: cart(of: "Pay")))
        #expect(try reports(page) == 3 && reports(leak("Pay.Cart")) == 1)
        // Discarding the target drops the reports of the merged leak, but not those of the other module.
        #expect(try store.discard(page.id, by: "ada", audit: nil, now: noon))
        try count(Report(leak: cart(of: "Shop")), Report(leak: page), Report(leak: cart(of: "Pay")))
        #expect(try reports(page) == 3 && reports(leak("Pay.Cart")) == 2)
        #expect(try store.verify() == [])
    }

    // MARK: Order

    @Test
    func `reports of a leak merged twice count for the last target; merges are undone newest first`()
        throws
    {
        try count(Report(leak: page), Report(leak: cart, count: 2), Report(leak: menu, count: 4))
        let first = try merge(page, into: cart)
        let second = try merge(cart, into: menu)
        try count(Report(leak: page, count: 8))
        #expect(try reports(menu) == 15)
        #expect(try failure { _ = try undo(first) }.contains("undo the merge \(second.number) first"))
        #expect(
            try store.makeReader().manualMerges(into: menu.id).map(\.number) == [second.number, first.number])
        #expect(try undo(second).reports == 3)
        #expect(try reports(cart) == 3 && reports(menu) == 12)
        #expect(try store.makeReader().target(ofMerged: page.id) == cart.id)
        try count(Report(leak: page))
        #expect(try reports(cart) == 4)
        #expect(try undo(first).reports == 1)
        #expect(try reports(page) == 1 && reports(cart) == 3 && reports(menu) == 12)
    }

    @Test func `the newest of several merges into one leak is undone first`() throws {
        try count(Report(leak: page), Report(leak: cart, count: 2), Report(leak: menu, count: 4))
        let first = try merge(page, into: menu)
        let second = try merge(cart, into: menu)
        #expect(try failure { _ = try undo(first) }.contains("undo the merge \(second.number) first"))
        try undo(second)
        try undo(first)
        #expect(try reports(page) == 1 && reports(cart) == 2 && reports(menu) == 4)
    }

    @Test(arguments: [false, true])
    func `a merge by rule of the target keeps its merges by hand`(isThere: Bool) throws {
        let new = leak("New")
        try count(Report(leak: page), Report(leak: cart, count: 2))
        if isThere { try count(Report(leak: new, count: 4)) }
        let other = try place.store()
        try count(Report(leak: leak("Warm")), in: other)
        let merge = try merge(page, into: cart)
        _ = try store.merge([cart.id], into: new, by: "rules", now: noon, note: { _ in "merged" })
        try count(Report(leak: page), in: other)
        try count(Report(leak: page))
        #expect(try reports(new) == (isThere ? 9 : 5) && reports(page) == nil)
        #expect(try undo(merge).reports == 1)
        #expect(try reports(new) == (isThere ? 8 : 4) && reports(page) == 1)
        #expect(try store.makeReader().target(ofMerged: cart.id) == new.id)
    }

    @Test func `a rule that would merge into a merged leak merges into the leak that has its reports`() throws
    {
        try count(Report(leak: page), Report(leak: cart, count: 2), Report(leak: menu, count: 4))
        let merge = try merge(page, into: cart)
        #expect(try store.merge([cart.id], into: page, by: "rules", now: noon, note: { _ in "no" }) == nil)
        #expect(try store.merge([menu.id], into: page, by: "rules", now: noon, note: { _ in "yes" }) != nil)
        #expect(try reports(cart) == 7 && reports(page) == nil)
        try undo(merge)
        #expect(try reports(cart) == 6 && reports(page) == 1)
    }

    @Test func `leaks with few reports can be merged again after a merge was undone`() throws {
        func samples(_ leak: LeakIdentity) throws -> Int {
            try store.makeReader().samples(of: leak.id)?.count ?? 0
        }
        for install in 0..<3 { try count(Report(leak: page, install: UInt64(install))) }
        for install in 3..<5 { try count(Report(leak: cart, install: UInt64(install))) }
        let first = try merge(page, into: cart)
        for install in 5..<7 { try count(Report(leak: cart, install: UInt64(install))) }
        try undo(first)
        let count = try samples(page) + samples(cart)
        let second = try merge(page, into: cart)
        #expect(try samples(cart) >= count - 2 && reports(cart) == 7)
        try undo(second)
        #expect(try reports(cart) == 4 && reports(page) == 3)
        _ = try store.merge([page.id], into: cart, by: "rules", now: noon, note: { _ in "yes" })
        #expect(try store.verify() == [] && reports(cart) == 7)
    }

    // MARK: Decisions

    @Test func `undoing a merge gives both leaks their decisions back`() throws {
        try count(
            Report(leak: page, version: "1.0", count: 5), Report(leak: page, version: "2.0", count: 2),
            Report(leak: cart, version: "1.0", count: 3), Report(leak: cart, version: "2.0"))
        _ = try store.decide(Decision(.resolve(.version("2.0")), by: "ada"), about: page.id, now: noon)
        _ = try store.decide(Decision(.ignore(.nextReports(4)), by: "bob"), about: cart.id, now: noon + 1)
        let before = try [page, cart].map { try Self.contents($0, in: store, now: noon + hour) }
        let merge = try merge(page, into: cart, now: noon + 2)
        let merged = try #require(try store.makeReader().leak(cart.id, now: noon))
        #expect(merged.history.count == 3 && merged.row.state == .ignored)
        try undo(merge, now: noon + 3)
        #expect(try Self.contents(page, in: store, now: noon + hour) == before[0])
        let after = try #require(try store.makeReader().leak(cart.id, now: noon + hour))
        #expect(after.history.count == 3 && after.row.state == .ignored)
        #expect(after.history.filter(\.setsState).map(\.by) == ["bob"])
        try count(Report(leak: cart, version: "2.0", count: 4))
        #expect(try store.makeReader().leak(cart.id, now: noon)?.row.state != .ignored)
        try count(Report(leak: page, version: "3.0"))
        #expect(try store.makeReader().leak(page.id, now: noon)?.row.state == .regressed)
    }

    @Test func `a decision about the merged leak stays with the target`() throws {
        try count(Report(leak: page, version: "2.0", count: 5), Report(leak: cart, version: "2.0", count: 3))
        let merge = try merge(page, into: cart)
        _ = try store.decide(Decision(.resolve(.version("2.0")), by: "ada"), about: cart.id, now: noon)
        try undo(merge)
        let reader = try store.makeReader()
        #expect(try reader.leak(cart.id, now: noon)?.row.state == .resolved)
        #expect(try reader.leak(page.id, now: noon)?.history.map(\.action) == [.noted])
        #expect(try reader.leak(page.id, now: noon)?.row.state != .resolved)
    }

    // MARK: Deleting

    @Test func `deleting a version deletes it in the copies that a merge saved`() throws {
        try count(
            Report(leak: page, version: "1.0", install: 1, count: 5),
            Report(leak: page, version: "2.0", install: 2),
            Report(leak: cart, version: "1.0", install: 3), Report(leak: cart, version: "3.0", install: 4))
        let merge = try merge(page, into: cart)
        _ = try store.forget(.version("1.0", of: "shop"))
        #expect(try store.verify() == [] && undo(merge).reports == 1)
        #expect(try store.makeReader().versions(app: "shop") == ["3.0", "2.0"])
        let detail = try #require(try store.makeReader().leak(page.id, now: noon))
        #expect(detail.versions.map(\.version) == ["2.0"] && detail.row.installs == 1)
        #expect(detail.systems.map(\.reports) == [1] && detail.samples <= 3)
        #expect(
            try store.makeReader().samples(of: page.id)?.allSatisfy { $0.origin.version == "2.0" } ?? false)
        #expect(try reports(cart) == 1)
    }

    @Test func `undoing a merge whose source was deleted since restores nothing`() throws {
        try count(Report(leak: page, version: "1.0"), Report(leak: cart, version: "2.0"))
        let merge = try merge(page, into: cart)
        _ = try store.forget(.version("1.0", of: "shop"))
        #expect(try undo(merge).reports == 0)
        #expect(try reports(page) == nil && reports(cart) == 1)
        try count(Report(leak: page, version: "2.0"))
        #expect(try reports(page) == 1 && reports(cart) == 1)
    }

    @Test func `a merge is not undone if nothing of the target would be left`() throws {
        try count(Report(leak: page, version: "1.0"), Report(leak: cart, version: "2.0"))
        let merge = try merge(page, into: cart)
        _ = try store.forget(.version("2.0", of: "shop"))
        #expect(try failure { _ = try undo(merge) }.contains("nothing would be left"))
        #expect(try store.verify() == [] && reports(cart) == 1)
        try count(Report(leak: cart, version: "3.0"))
        try undo(merge)
        #expect(try reports(page) == 1 && reports(cart) == 1)
    }

    @Test func `deleting the target ends the merges into it`() throws {
        try count(Report(leak: page), Report(leak: cart), Report(leak: menu))
        let first = try merge(page, into: cart)
        let second = try merge(cart, into: menu)
        _ = try store.forget(.leak(menu.id))
        #expect(try store.verify() == [] && store.makeReader().manualMerges(app: nil).isEmpty)
        for merge in [first, second] {
            #expect(try store.undoMerge(merge.number, by: "ada", audit: nil, now: noon) == nil)
        }
        try count(Report(leak: page), Report(leak: cart))
        #expect(try reports(page) == 1 && reports(cart) == 1)
        _ = try self.merge(page, into: cart)
        _ = try store.forget(.app("shop"))
        #expect(try store.verify() == [] && store.makeReader().manualMerges(app: nil).isEmpty)
        #expect(
            try place.rowCount(of: "leak_merge_release") == 0 && place.rowCount(of: "leak_merge_sample") == 0)
    }

    @Test func `an install is erased from the copies that merges saved`() throws {
        for number in 0..<3 {
            try count(
                Report(leak: leak("L\(number)"), version: "\(number)", install: 1, body: "{\"secret\":1}"),
                Report(leak: leak("L\(number)"), version: "\(number)", install: 2),
                Report(leak: page, install: 3))
        }
        let merges = try (0..<3).map { try merge(leak("L\($0)"), into: page) }
        let erased = try store.erase(install: 1)
        #expect(erased.samples > 0 && erased.sets > 0)
        #expect(try store.verify() == [] && store.erase(install: 1).sets == 0)
        for merge in merges.reversed() { try undo(merge) }
        for number in 0..<3 {
            let id = leak("L\(number)").id
            #expect(try store.makeReader().leak(id, now: noon)?.row.installs == 1)
            #expect(try store.makeReader().leak(id, now: noon)?.row.reports == 2)
            #expect(try store.makeReader().samples(of: id)?.allSatisfy { $0.origin.install != "i1" } ?? false)
        }
        #expect(try store.erase(install: 1).samples == 0)
    }

    @Test func `undoing a key undoes merges of leaks that it made, after newer merges`() throws {
        try count(Report(leak: page, version: "1.0"), Report(leak: cart, version: "1.0"), key: 1)
        try count(Report(leak: menu, version: "1.0"), Report(leak: page, version: "66.0"), key: 2)
        _ = try (merge(menu, into: cart), merge(page, into: cart))
        try count(Report(leak: menu, version: "1.0", count: 5), key: 1)
        let target = ForgetTarget.key(2, since: nil)
        let expected = try #require(try store.makeReader().forgetCounts(of: target))
        #expect(expected.merges == 1 && expected.leaks == 1 && expected.reports == 2)
        let entry = AuditEntry(.undoKey, of: "key 2", by: ChangeOrigin(actor: "eve"), at: noon)
        let deleted = try #require(try store.forget(target, audit: entry) { true })
        #expect(deleted.merges == 2 && deleted.leaks == 1)
        #expect(try store.verify() == [] && store.makeReader().manualMerges(app: nil).isEmpty)
        #expect(try reports(menu) == nil && reports(page) == 1 && reports(cart) == 6)
        #expect(try store.makeReader().versions(app: "shop") == ["1.0"])
        let history = try #require(try store.makeReader().leak(cart.id, now: noon)).history
        #expect(history.prefix(2).allSatisfy { $0.by == "eve" })
        #expect(try store.makeReader().forgetCounts(of: target) == nil)
    }

    @Test(arguments: [["66.0"], ["66.0", "67.0"]])
    func `undoing a key keeps the reports of a newer merge into a leak without reports of its own`(
        deleted: [String]
    )
        throws
    {
        try count(Report(leak: cart, version: "66.0"), key: 1)
        try count(Report(leak: page, version: "66.0"), Report(leak: page, version: "67.0"), key: 2)
        try count(Report(leak: menu, version: "2.0", count: 7), key: 1)
        _ = try (merge(page, into: cart), merge(menu, into: cart))
        for version in deleted { _ = try store.forget(.version(version, of: "shop")) }
        let counts = try store.forget(.key(2, since: nil))
        #expect(try store.verify() == [] && reports(page) == nil)
        let isUndone = deleted.count == 1
        #expect(counts.merges == (isUndone ? 2 : 1) && counts.leaks == (isUndone ? 1 : 0))
        #expect(try reports(cart) == (isUndone ? nil : 7) && reports(menu) == (isUndone ? 7 : nil))
    }

    @Test func `undoing a key deletes a leak whose only reports are of a merged leak of the key`() throws {
        try count(Report(leak: cart, version: "1.0"), Report(leak: menu, version: "2.0"), key: 1)
        try count(Report(leak: page, version: "2.0"), key: 2)
        try merge(page, into: cart)
        _ = try store.forget(.version("1.0", of: "shop"))
        let deleted = try store.forget(.key(2, since: nil))
        #expect(deleted.merges == 1 && deleted.leaks == 1)
        #expect(
            try store.verify() == [] && reports(cart) == nil && reports(page) == nil && reports(menu) == 1)
        try count(Report(leak: page), key: 1)
        #expect(try reports(page) == 1)
    }

    @Test func `verify finds saved copies without their merge, and merges without their leak`() throws {
        try count(Report(leak: page), Report(leak: cart))
        try merge(page, into: cart)
        try place.execute(
            """
            insert into leak_merge_release (merge, side, release, body)
            select merge + 7, side, release, body from leak_merge_release
            """)
        #expect(try store.verify().count == 1)
        try place.execute("delete from leak_merge_release where merge > 7")
        #expect(try store.verify() == [])
        try place.execute(
            "update leak_merge_release set body = target_body from leak_merge m where m.id = merge")
        #expect(
            try store.verify().contains { $0.hasPrefix("contents that a merge by hand keeps can be read") })
        try place.execute("update leak_merge set leak = leak + 99")
        #expect(try store.verify().count == 2)
    }

    @Test func `saved samples expire with the samples of the leak`() throws {
        try count(Report(leak: page, install: 1), Report(leak: cart, install: 2))
        let merge = try merge(page, into: cart)
        #expect(
            try place.rowCount(of: "leak_merge_sample") > 0 && place.rowCount(of: "leak_merge_release") == 2)
        try store.expire(now: noon + 100 * day)
        #expect(try place.rowCount(of: "leak_merge_sample") == 0 && store.verify() == [])
        #expect(try undo(merge, now: noon + 100 * day).reports == 1)
        let detail = try #require(try store.makeReader().leak(page.id, now: noon + 100 * day))
        #expect(detail.samples == 0 && detail.row.installs == 1 && detail.row.impact == 0)
    }

    @Test func `the target of a merge is not evicted, and evicted versions become other in its copies`()
        throws
    {
        var limits = StoreLimits()
        (limits.leaksPerApp, limits.releasesPerApp) = (10, 10)
        let limited = try place.store(limits: limits)
        let old = noon - 30 * day
        for number in 0..<8 {
            try count(
                Report(leak: leak("L\(number)"), version: "\(number).0", build: "a", install: 1, at: old),
                Report(leak: leak("L\(number)"), version: "\(number).0", build: "b", install: 2, at: old),
                at: old, in: limited)
        }
        let before = try Self.counts(leak("L1"), in: store, now: noon)
        let merge = try #require(
            try limited.mergeByHand(leak("L0").id, into: leak("L1").id, by: "ada", audit: nil, now: old))
        for number in 8..<20 {
            try count(Report(leak: leak("L\(number)"), version: "\(number).0", install: 3), in: limited)
        }
        try limited.expire(now: noon)
        #expect(try store.verify() == [])
        #expect(
            try reports(leak("L1")) == 4
                && store.makeReader().versions(app: "shop").contains(StoreLimits.other))
        #expect(try !store.makeReader().versions(app: "shop").contains("0.0"))
        #expect(try limited.undoMerge(merge.number, by: "ada", audit: nil, now: noon)?.reports == 2)
        #expect(try store.verify() == [])
        #expect(try reports(leak("L0")) == 2 && reports(leak("L1")) == 2)
        let detail = try #require(try store.makeReader().leak(leak("L0").id, now: noon))
        #expect(detail.versions.map(\.version) == [StoreLimits.other] && detail.row.installs == 2)
        #expect(try Self.counts(leak("L1"), in: store, now: noon) != before)
    }

    // MARK: Random

    private static func randomReports(
        of leaks: [LeakIdentity], installs: Range<UInt64>, now: Int64, alive: Int?,
        _ random: inout SeededRandom
    ) -> [Report] {
        (0..<Int.random(in: 5...40, using: &random)).map { _ in
            Report(
                leak: leaks.randomElement(using: &random) ?? leaks[0],
                version: ["1.0", "1.1", "2.0"].randomElement(using: &random) ?? "",
                build: [nil, "7", "8"].randomElement(using: &random) ?? nil,
                system: "iOS \(Int.random(in: 17...19, using: &random))",
                install: .random(in: installs, using: &random),
                isFreed: Int.random(in: 0..<4, using: &random) == 0,
                at: now - Int64.random(in: 0..<(40 * hour), using: &random),
                count: .random(in: 1...3, using: &random),
                alive: alive, lived: 500, body: "{\"n\":\(random.next() % 1_000_000)}")
        }
    }

    private static func explained(_ leaks: [LeakIdentity], _ random: inout SeededRandom, now: Int64)
        -> Submission
    {
        var batch = submission(at: now)
        batch.origins = [Submission.Origin(app: "shop", version: "1.0")]
        batch.explanations = leaks.map {
            Submission.Explanation(
                leak: $0, originIndex: 0, at: now, reason: "reason \(random.next() % 3)",
                bytes: 64 << Int(random.next() % 3))
        }
        return batch
    }

    @Test(arguments: RandomSeeds.upTo(2))
    func `undoing a merge restores both leaks, and leaves later reports to the target`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let (control, later) = (StoreLocation(), noon + 3 * day)
        let model = try control.store()
        // The reports of the menu, which takes no part, make the totals of the app differ from those of the two leaks.
        for step in 0..<4 {
            let now = noon + Int64(step) * 9 * hour
            let batch = submission(
                Self.randomReports(of: [page, cart, menu], installs: 0..<300, now: now, alive: 2, &random),
                at: now)
            let explanations = Self.explained([page, cart], &random, now: now)
            for store in [store, model] { _ = try store.count([batch, explanations], now: now) }
        }
        try count(
            Report(leak: page, install: 1), Report(leak: cart, install: 1), at: noon + 2 * day, in: store)
        try count(
            Report(leak: page, install: 1), Report(leak: cart, install: 1), at: noon + 2 * day, in: model)
        for leak in [page, cart] where Bool.random(using: &random) {
            let action = [
                Decision.Action.resolve(.version("1.1")), .ignore(.nextReports(5)), .reopen,
                .resolve(.nextVersion),
            ].randomElement(using: &random)
            for store in [store, model] {
                _ = try store.decide(
                    Decision(action ?? .reopen, by: "ada"), about: leak.id, now: noon + 2 * day)
            }
        }
        let before = try Self.contents(page, in: store, now: later)
        let ofCart = try Self.counts(cart, in: store, now: later)
        let merge = try merge(page, into: cart, now: noon + 2 * day)
        if Bool.random(using: &random) {
            try undo(merge, now: later)
            #expect(try Self.contents(page, in: store, now: later) == before)
            #expect(try Self.counts(cart, in: store, now: later) == ofCart)
            return
        }
        // These installs had neither leak before the merge, because sets of installs cannot be subtracted.
        for step in 0..<3 {
            let now = later - Int64(step) * 5 * hour
            let reports = Self.randomReports(
                of: [page, cart, menu], installs: 1_000..<1_300, now: now, alive: nil, &random)
            let explanations = Self.explained([page, cart], &random, now: now)
            _ = try store.count([submission(reports, at: now), explanations], now: now)
            var redirected = reports
            for index in redirected.indices where redirected[index].leak.id == page.id {
                redirected[index].leak = cart
            }
            var redirectedExplanations = explanations
            for index in redirectedExplanations.explanations.indices {
                redirectedExplanations.explanations[index].leak = cart
            }
            _ = try model.count([submission(redirected, at: now), redirectedExplanations], now: now)
        }
        #expect(try store.verify() == [])
        try undo(merge, now: later)
        // The source is compared with the model and not with `before`: some of its data depends on the versions in use, which the
        // later reports change.
        #expect(try Self.counts(page, in: store, now: later) == Self.counts(page, in: model, now: later))
        #expect(try Self.counts(cart, in: store, now: later) == Self.counts(cart, in: model, now: later))
        for leak in [page, cart] {
            let rows = try [store, model].map {
                try #require(try $0.makeReader().leak(leak.id, now: later)).row
            }
            #expect(abs(rows[0].firstSeen - rows[1].firstSeen) <= hour)
            #expect(abs(rows[0].lastSeen - rows[1].lastSeen) <= hour)
        }
        for (one, other) in zip(
            try store.makeReader().releases(app: "shop"), try model.makeReader().releases(app: "shop"))
        {
            #expect("\(one)" == "\(other)")
        }
    }

    @Test(arguments: RandomSeeds.upTo(2))
    func `deletions between merges and their undoing leave all totals right`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var limits = StoreLimits()
        (limits.leaksPerApp, limits.releasesPerApp) = (12, 5)
        let store = try place.store(limits: limits)
        let leaks = (0..<6).map { leak("L\($0)") }
        var deletedVersions: Set<String> = []
        for step in 0..<24 {
            let now = noon + Int64(step) * 7 * hour
            let version = "\(step / 4).\(step % 2)"
            let reports = (0..<8).map { _ in
                Report(
                    leak: leaks.randomElement(using: &random) ?? page, version: version,
                    build: "\(random.next() % 2)", install: random.next() % 9,
                    isFreed: random.next() % 5 == 0,
                    at: now - Int64(random.next() % UInt64(30 * hour)))
            }
            try count(Report(leak: leaks[0], version: version), key: 1, at: now, in: store)
            _ = try store.count([submission(reports, keyID: Int64(1 + random.next() % 2), at: now)], now: now)
            deletedVersions.remove(version)
            switch random.next() % 8 {
            case 0:
                _ = try store.forget(.version(version, of: "shop"))
                deletedVersions.insert(version)
            case 1: _ = try store.erase(install: random.next() % 9)
            case 2: try store.expire(now: now)
            case 3: _ = try store.forget(.key(2, since: now - Int64(random.next() % 40) * hour))
            case 4:
                let merges = try store.makeReader().manualMerges(app: "shop")
                guard let merge = merges.randomElement(using: &random) else { break }
                _ = try undoAny(merge.number, in: store, now: now)
            default:
                let pair = leaks.shuffled(using: &random)
                do throws(StoreError) {
                    _ = try store.mergeByHand(pair[0].id, into: pair[1].id, by: "ada", audit: nil, now: now)
                } catch {
                    #expect(error.reason == .invalidArgument)
                }
            }
            #expect(try store.verify() == [], "step \(step)")
        }
        let now = noon + 10 * day
        // Undoes the merges that are left, the newest first. A merge whose target has no reports of its own stays.
        for merge in try store.makeReader().manualMerges(app: "shop") {
            try count(Report(leak: leaks[0], version: "9.0"), at: now, in: store)
            _ = try undoAny(merge.number, in: store, now: now)
            #expect(try store.verify() == [], "merge \(merge.number)")
        }
        let versions = Set(try store.makeReader().versions(app: "shop"))
        #expect(versions.isDisjoint(with: deletedVersions))
    }

    private func undoAny(_ number: Int64, in store: any Store, now: Int64) throws -> UndoneMerge? {
        do throws(StoreError) {
            return try store.undoMerge(number, by: "ada", audit: nil, now: now)
        } catch {
            #expect(error.reason == .invalidArgument)
            return nil
        }
    }
}
