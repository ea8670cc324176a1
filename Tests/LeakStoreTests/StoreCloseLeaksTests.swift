import LeakStore
import Testing

/// Search for leaks close to a leak in every store. A second store runs the same tests.
@Suite struct StoreCloseLeaksTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    private func count(_ leaks: [LeakIdentity]) throws {
        #expect(
            try store.count([submission(leaks.map { Report(leak: $0) })], now: noon) == [.counted])
    }

    private func near(_ leak: LeakIdentity) throws -> Set<LeakID> {
        let found = try store.makeReader().outlines(near: leak.id)
        #expect(found.count <= 62)
        return Set(found.map(\.id))
    }

    @Test func `leaks of the same class and leaks with an element of the key are similar`() throws {
        let page = leak("Page", stack: ["Tabs", "Home"])
        let sameClass = leak("Page", stack: ["Other"])
        let sameOwner = leak("Model", stack: ["Home"])
        let stranger = leak("Stranger", stack: ["Nowhere"])
        let ofOtherApp = leak("Page", stack: ["Tabs", "Home"], app: "other app")
        try count([page, sameClass, sameOwner, stranger, ofOtherApp])
        #expect(try near(page) == [sameClass.id, sameOwner.id])
        #expect(try near(sameOwner) == [page.id])
        #expect(try near(stranger) == [])
        #expect(try near(leak("Nobody")) == [])
        let outline = try #require(
            try store.makeReader().outlines(near: page.id).first { $0.id == sameOwner.id })
        #expect(outline.className == "Model" && outline.groupingKey == sameOwner.groupingKey)
        #expect(outline.stack == ["Home", "Model"] && outline.reports == 1)
    }

    @Test func `however many leaks are similar, few are read`() throws {
        let page = leak("Page", stack: ["A", "B", "C", "D"])
        var leaks = [page]
        for number in 0..<60 {
            leaks.append(leak("Page", stack: ["S\(number)"]))
            for owner in ["A", "B", "C", "D"] { leaks.append(leak("L\(number)", stack: [owner])) }
        }
        try count(leaks)
        #expect(try near(page).count == 18 + 4 * 8)
    }

    private func text(_ text: String) -> LeakIdentity {
        let plain = leak(text)
        return LeakIdentity(
            id: plain.id, app: plain.app, kind: plain.kind, className: nil, module: nil, title: text,
            stack: [],
            children: [], cycle: [], quality: .low,
            groupingKey: GroupingKey(version: 1, className: text, stack: []))
    }

    @Test func `leaks with similar classes or texts are similar`() throws {
        let (home, cart) = (leak("Store<HomeState>"), leak("Store<CartState>"))
        let pages = [leak("Page1Controller"), leak("Page2Controller")]
        let models = [leak("HomeViewModel"), leak("CartViewModel")]
        let texts = [text("the home screen stays"), text("the cart screen stays")]
        let strangers = [leak("ListController"), text("something else"), text("HomeStore")]
        try count([home, cart, leak("Store<HomeState>", app: "other")] + pages + models + texts + strangers)
        for (one, other) in [
            (home, cart), (pages[0], pages[1]), (models[0], models[1]), (texts[0], texts[1]),
        ] {
            #expect(try near(one) == [other.id])
            #expect(try near(other) == [one.id])
        }
        #expect(try strangers.allSatisfy { try near($0).isEmpty })
    }

    @Test func `the classes with the fewest differences are read if many classes are similar`() throws {
        let letters = "abcdefghijklmnopqrst"
        let screens = letters.map { leak("A\($0)ViewModel") }
        let further = letters.map { leak("Z\($0)BareOldViewModel") }
        try count(screens + further + [leak("BareViewModel")])
        let near = try self.near(leak("BareViewModel"))
        #expect(near.count == 12 && near.isSubset(of: screens.map(\.id)))
        let texts = (0..<40).map { text("screen \($0) stays in memory") }
        try count(texts + [text("screen cart stays in memory")])
        #expect(try self.near(text("screen cart stays in memory")).count == 12)
    }

    @Test func `the number of compared classes is limited`() throws {
        let far = [leak("AAViewModel"), leak("zzViewModel")]
        let between = (0..<1_025).flatMap { [leak("B\($0)"), leak("Y\($0)")] }
        let home = leak("HomeViewModel")
        for first in stride(from: 0, to: between.count, by: 500) {
            try count(Array(between[first..<min(first + 500, between.count)]))
        }
        try count(far + [home, leak("HomeViewState")])
        #expect(try near(home) == [leak("HomeViewState").id])
    }

    @Test func `the newest leaks without a class are compared`() throws {
        let old = text("the cart screen stays")
        try count([old])
        try count((0..<511).map { text("x\($0)") })
        let new = text("the list screen stays")
        try count([new])
        // 512 others are read, the oldest not.
        #expect(try near(text("x7")) == [])
        let this = text("the home screen stays")
        try count([this])
        #expect(try near(this) == [new.id])
    }

    @Test func `a merged leak is not listed as similar any more; the leak that replaced it is listed`() throws
    {
        let (old, new) = (leak("Page", stack: ["0x1"]), leak("Page", stack: ["Home"]))
        let model = leak("Model", stack: ["Home"])
        let ofAddress = leak("Other", stack: ["0x1"])
        try count([old, model, ofAddress])
        #expect(try near(ofAddress) == [old.id])
        _ = try store.merge([old.id], into: new, by: "r", now: noon, note: { _ in "merged" })
        #expect(try near(ofAddress) == [])
        #expect(try near(model) == [new.id])
        _ = try store.merge([model.id], into: new, by: "r", now: noon, note: { _ in "merged" })
        #expect(try near(new) == [])
        #expect(try store.verify() == [])
    }
}
