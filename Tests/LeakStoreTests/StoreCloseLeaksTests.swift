import LeakStore
import Testing

/// Which leaks every store finds near a leak; a second one runs the same tests.
@Suite struct StoreCloseLeaksTests {
    let place = StorePlace()
    let store: any Store

    init() throws { store = try place.store() }

    private func count(_ leaks: [LeakIdentity]) throws {
        #expect(
            try store.count([submission(leaks.map { Report(leak: $0) })], now: noon) == [.counted])
    }

    private func near(_ leak: LeakIdentity) throws -> Set<LeakID> {
        let found = try store.makeReader().outlines(near: leak.id)
        #expect(found.count <= 50)
        return Set(found.map(\.id))
    }

    @Test func `leaks of the same class and leaks with an element of the key are near`() throws {
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
        #expect(outline.className == "Model" && outline.groupedBy == sameOwner.groupedBy)
        #expect(outline.stack == ["Home", "Model"] && outline.reports == 1)
    }

    @Test func `however many leaks are near, few are read`() throws {
        let page = leak("Page", stack: ["A", "B", "C", "D"])
        var leaks = [page]
        for number in 0..<60 {
            leaks.append(leak("Page", stack: ["S\(number)"]))
            for owner in ["A", "B", "C", "D"] { leaks.append(leak("L\(number)", stack: [owner])) }
        }
        try count(leaks)
        #expect(try near(page).count == 18 + 4 * 8)
    }

    @Test func `a merged leak is near no more, and the leak that it became is`() throws {
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
