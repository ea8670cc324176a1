import LeakStore
import Testing

/// Search for leaks that are similar to a leak, in SQLite or in PostgreSQL: ``StoreLocation`` chooses.
@Suite struct StoreSimilarLeaksTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    private func count(_ leaks: [LeakIdentity]) throws {
        #expect(
            try store.count([submission(leaks.map { Report(leak: $0) })], now: noon) == [.counted])
    }

    private func similar(to leak: LeakIdentity) throws -> Set<LeakID> {
        let found = try store.makeReader().outlines(similarTo: leak.id)
        #expect(found.count <= 62)
        return Set(found.map(\.id))
    }

    @Test
    func `leaks of the same class are similar, and so are leaks with a common element of the grouping key`()
        throws
    {
        let page = leak("Page", stack: ["Tabs", "Home"])
        let sameClass = leak("Page", stack: ["Other"])
        let sameOwner = leak("Model", stack: ["Home"])
        let stranger = leak("Stranger", stack: ["Nowhere"])
        let ofOtherApp = leak("Page", stack: ["Tabs", "Home"], app: "other app")
        try count([page, sameClass, sameOwner, stranger, ofOtherApp])
        #expect(try similar(to: page) == [sameClass.id, sameOwner.id])
        #expect(try similar(to: sameOwner) == [page.id])
        #expect(try similar(to: stranger) == [])
        #expect(try similar(to: leak("Nobody")) == [])
        let outline = try #require(
            try store.makeReader().outlines(similarTo: page.id).first { $0.id == sameOwner.id })
        #expect(outline.className == "Model" && outline.groupingKey == sameOwner.groupingKey)
        #expect(outline.stack == ["Home", "Model"] && outline.reports == 1)
    }

    @Test func `if many leaks are similar to a leak, only 50 of them are read`() throws {
        let page = leak("Page", stack: ["A", "B", "C", "D"])
        var leaks = [page]
        for number in 0..<60 {
            leaks.append(leak("Page", stack: ["S\(number)"]))
            for owner in ["A", "B", "C", "D"] { leaks.append(leak("L\(number)", stack: [owner])) }
        }
        try count(leaks)
        #expect(try similar(to: page).count == 18 + 4 * 8)
    }

    private func text(_ text: String) -> LeakIdentity {
        let plain = leak(text)
        return LeakIdentity(
            id: plain.id, app: plain.app, kind: plain.kind, className: nil, module: nil, title: text,
            stack: [],
            children: [], cycle: [], quality: .low,
            groupingKey: GroupingKey(version: 1, className: text, stack: []))
    }

    @Test
    func
        `two leaks are similar if their classes or texts differ only in one word, number or generic argument`()
        throws
    {
        let (home, cart) = (leak("Store<HomeState>"), leak("Store<CartState>"))
        let pages = [leak("Page1Controller"), leak("Page2Controller")]
        let models = [leak("HomeViewModel"), leak("CartViewModel")]
        let texts = [text("the home screen stays"), text("the cart screen stays")]
        let strangers = [leak("ListController"), text("something else"), text("HomeStore")]
        try count([home, cart, leak("Store<HomeState>", app: "other")] + pages + models + texts + strangers)
        for (one, other) in [
            (home, cart), (pages[0], pages[1]), (models[0], models[1]), (texts[0], texts[1]),
        ] {
            #expect(try similar(to: one) == [other.id])
            #expect(try similar(to: other) == [one.id])
        }
        #expect(try strangers.allSatisfy { try similar(to: $0).isEmpty })
    }

    @Test func `the classes with the fewest differences are read if many classes are similar`() throws {
        let letters = "abcdefghijklmnopqrst"
        let screens = letters.map { leak("A\($0)ViewModel") }
        let further = letters.map { leak("Z\($0)BareOldViewModel") }
        try count(screens + further + [leak("BareViewModel")])
        let found = try self.similar(to: leak("BareViewModel"))
        #expect(found.count == 12 && found.isSubset(of: screens.map(\.id)))
        let texts = (0..<40).map { text("screen \($0) stays in memory") }
        try count(texts + [text("screen cart stays in memory")])
        #expect(try self.similar(to: text("screen cart stays in memory")).count == 12)
    }

    @Test func `the number of compared classes is limited`() throws {
        let far = [leak("AAViewModel"), leak("zzViewModel")]
        let between = (0..<1_025).flatMap { [leak("B\($0)"), leak("Y\($0)")] }
        let home = leak("HomeViewModel")
        for first in stride(from: 0, to: between.count, by: 500) {
            try count(Array(between[first..<min(first + 500, between.count)]))
        }
        try count(far + [home, leak("HomeViewState")])
        #expect(try similar(to: home) == [leak("HomeViewState").id])
    }

    @Test func `a leak without a class is compared only with the newest leaks without a class`() throws {
        let old = text("the cart screen stays")
        try count([old])
        try count((0..<511).map { text("x\($0)") })
        let new = text("the list screen stays")
        try count([new])
        // The newest 512 other leaks are read, but not the oldest leak.
        #expect(try similar(to: text("x7")) == [])
        let this = text("the home screen stays")
        try count([this])
        #expect(try similar(to: this) == [new.id])
    }

    @Test func `a merged leak is not listed as similar any more; the leak that replaced it is listed`() throws
    {
        let (old, new) = (leak("Page", stack: ["0x1"]), leak("Page", stack: ["Home"]))
        let model = leak("Model", stack: ["Home"])
        let ofAddress = leak("Other", stack: ["0x1"])
        try count([old, model, ofAddress])
        #expect(try similar(to: ofAddress) == [old.id])
        _ = try store.merge([old.id], into: new, by: "r", now: noon, note: { _ in "merged" })
        #expect(try similar(to: ofAddress) == [])
        #expect(try similar(to: model) == [new.id])
        _ = try store.merge([model.id], into: new, by: "r", now: noon, note: { _ in "merged" })
        #expect(try similar(to: new) == [])
        #expect(try store.verify() == [])
    }
}
