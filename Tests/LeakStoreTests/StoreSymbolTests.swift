import Testing

@testable import LeakStore

/// Symbols of images, in every store.
@Suite struct StoreSymbolTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    private func symbols(
        _ image: String, kind: StoredSymbols.Kind = .image, at time: Int64 = noon
    ) -> StoredSymbols {
        StoredSymbols(kind: kind, image: image, name: "Shop", uploadedAt: time, usedAt: time, bytes: 0)
    }

    private func images() throws -> [String] { try store.makeReader().symbols().map(\.image) }

    @Test func `symbols are stored, replaced and removed`() throws {
        let reader = try store.makeReader()
        let empty = try reader.symbolsVersion()
        #expect(try store.put(symbols("A"), body: [1, 2, 3]) == .stored)
        let first = try #require(try reader.symbols().first)
        #expect(first.image == "A" && first.name == "Shop" && first.bytes == 3 && first.uploadedAt == noon)
        #expect(try reader.symbolTable(first.id) == [1, 2, 3])
        #expect(try reader.symbolsVersion() != empty)

        #expect(try store.put(symbols("A", at: noon + 1), body: [4]) == .replaced)
        #expect(try store.put(symbols("B"), body: []) == .stored)
        #expect(try store.put(symbols("A", kind: .mapping), body: [5]) == .stored)
        #expect(try images() == ["A", "B", "A"])
        let second = try #require(try reader.symbols().first { $0.image == "A" && $0.kind == .image })
        #expect(second.id > first.id && second.bytes == 1)
        #expect(try reader.symbolTable(first.id) == nil)

        let before = try reader.symbolsVersion()
        #expect(try store.removeSymbols(.image, of: "A"))
        #expect(try !store.removeSymbols(.image, of: "A"))
        #expect(try images() == ["A", "B"])
        #expect(try reader.symbolsVersion() != before)
        #expect(try store.verify() == [])
    }

    @Test func `the symbol tables of all images together have a limit`() throws {
        var limits = StoreLimits()
        limits.symbolBytes = 10
        let store = try place.store(limits: limits)
        #expect(try store.put(symbols("A"), body: [UInt8](repeating: 1, count: 6)) == .stored)
        #expect(try store.put(symbols("B"), body: [UInt8](repeating: 1, count: 5)) == .full(bytes: 6))
        // The bytes of a table that is replaced do not count.
        #expect(try store.put(symbols("A"), body: [UInt8](repeating: 1, count: 10)) == .replaced)
        #expect(try store.put(symbols("B"), body: []) == .stored)
    }

    @Test func `symbols are deleted when no report has needed them for a hundred days`() throws {
        #expect(try store.put(symbols("A"), body: [1]) == .stored)
        #expect(try store.put(symbols("B"), body: [1]) == .stored)
        let rows = try store.makeReader().symbols()
        let used = try #require(rows.first { $0.image == "A" })
        try store.recordUse(ofSymbols: [used.id, 999], now: noon + 50 * day)
        // A use that is recorded late does not replace a later use.
        try store.recordUse(ofSymbols: [used.id], now: noon + 40 * day)
        try store.expire(now: noon + 99 * day)
        #expect(try images() == ["B", "A"])
        try store.expire(now: noon + 101 * day)
        #expect(try images() == ["A"])
        #expect(try store.makeReader().symbols()[0].usedAt == noon + 50 * day)
        try store.expire(now: noon + 151 * day)
        #expect(try images() == [])
    }

    // MARK: Leaks

    private let unnamed = leak("Page", stack: ["at 6F1B-00 + 0x10", "at 6F1B-00 + 0x20"])
    private let named = leak("Page", stack: ["at load in Shop"])

    @Test func `leaks are found by the image of a frame in their stack`() throws {
        #expect(
            try store.count([submission([Report(leak: unnamed), Report(leak: named)], at: noon)], now: noon)
                == [.counted])
        let reader = try store.makeReader()
        #expect(try reader.leaks(withFramesOf: ["6F1B-00"]) == [unnamed.id])
        #expect(try reader.leaks(withFramesOf: ["nope", "6F1B"]) == [unnamed.id])
        #expect(try reader.leaks(withFramesOf: ["nope"]) == [])
        #expect(try reader.leaks(withFramesOf: []) == [])
    }

    @Test func `rewriting a leak changes its stack, and keeps its id, grouping key and reports`() throws {
        #expect(try store.count([submission([Report(leak: unnamed)], at: noon)], now: noon) == [.counted])
        let rewritten = LeakIdentity(
            id: unnamed.id, app: unnamed.app, kind: unnamed.kind, className: unnamed.className,
            module: unnamed.module, title: unnamed.title, stack: named.stack, children: [], cycle: [],
            quality: unnamed.quality, groupingKey: unnamed.groupingKey)
        #expect(try store.rewrite(rewritten))
        let reader = try store.makeReader()
        let row = try #require(try reader.leak(unnamed.id, now: noon)).row
        #expect(row.identity.stack == named.stack && row.reports == 1)
        #expect(row.identity.groupingKey == unnamed.groupingKey)
        #expect(try reader.leaks(withFramesOf: ["6F1B-00"]) == [])
        #expect(try store.verify() == [])
        #expect(try !store.rewrite(named))
        // New reports are still counted.
        #expect(try store.count([submission([Report(leak: unnamed)], at: noon)], now: noon) == [.counted])
        #expect(try store.makeReader().leak(unnamed.id, now: noon)?.row.reports == 2)
    }
}
