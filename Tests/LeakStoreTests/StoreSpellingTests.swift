import Testing

@testable import LeakStore

/// Texts that are equal in Swift but differ in their bytes are two texts, as in SQLite.
@Suite struct StoreSpellingTests {
    let directory = TemporaryDirectory()
    /// The same word with one code point, and with a letter and a combining accent.
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    /// The way in which two submissions are counted: in one call, in two calls, or in two calls to different stores.
    private enum Calls: CaseIterable {
        case oneCall, twoCalls, reopened
    }

    /// Counts `first`, then `second`, and then both once more.
    private func count(_ calls: Calls, _ first: Submission, _ second: Submission) throws -> any StoreReader {
        var store = try directory.store()
        for _ in 0..<2 {
            switch calls {
            case .oneCall: _ = try store.count([first, second], now: noon)
            case .twoCalls:
                _ = try store.count([first], now: noon)
                _ = try store.count([second], now: noon)
            case .reopened:
                _ = try store.count([first], now: noon)
                store = try directory.store()
                _ = try store.count([second], now: noon)
            }
        }
        #expect(try store.verify() == [])
        return try store.makeReader()
    }

    private func bytes(_ texts: [String]) -> Set<[UInt8]> { Set(texts.map { Array($0.utf8) }) }

    private static let bothForms = Set([Array(composed.utf8), Array(decomposed.utf8)])

    @Test func `composed and decomposed forms of a text are different keys`() {
        #expect(Self.composed == Self.decomposed)
        #expect(ByteText(Self.composed) != ByteText(Self.decomposed))
        #expect(ByteText(Self.composed) == ByteText("caf" + "\u{E9}"))
        #expect(Set([ByteText(Self.composed), ByteText(Self.decomposed), ByteText("")]).count == 3)
    }

    @Test(arguments: Calls.allCases)
    private func `composed and decomposed versions and builds are counted separately`(calls: Calls) throws {
        let page = leak("Page")
        let parts = [
            (Self.composed, "1"), (Self.decomposed, "1"), ("1.0", Self.composed), ("1.0", Self.decomposed),
        ]
        .map { submission([Report(leak: page, version: $0, build: $1)]) }
        var (first, second) = (parts[0], parts[1])
        let reader = try count(calls, first, second)
        #expect(bytes(try reader.versions(app: "shop")) == Self.bothForms)
        #expect(try reader.releases(app: "shop").map(\.reports) == [2, 2])
        #expect(try reader.leak(page.id, now: noon)?.versions.map(\.reports) == [2, 2])
        #expect(try reader.leak(page.id, now: noon)?.trend.versions.map { $0.counts.last } == [2, 2])
        (first, second) = (parts[2], parts[3])
        _ = try count(calls, first, second)
        let release = try #require(try reader.releases(app: "shop").first { $0.version == "1.0" })
        #expect(bytes(release.builds) == Self.bothForms)
        #expect(try reader.leak(page.id, now: noon)?.versions.map(\.reports) == [2, 2, 2, 2])
    }

    @Test(arguments: Calls.allCases)
    private func `composed and decomposed names of apps, classes and systems are counted separately`(
        calls: Calls
    ) throws {
        let parts = [Self.composed, Self.decomposed].map { name in
            var part = submission([Report(leak: leak("Page"), system: name, model: name)])
            part.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: "1.0", build: nil, sessions: 1, leakySessions: 0,
                    checks: [name: 3]),
                Submission.UsageCounts(
                    app: name, version: "1.0", build: nil, sessions: 1, leakySessions: 0, checks: [:]),
            ]
            part.dropped = [Submission.Dropped(app: "shop", reason: name, count: 5)]
            return part
        }
        let reader = try count(calls, parts[0], parts[1])
        #expect(bytes(try reader.apps()).isSuperset(of: Self.bothForms))
        for name in [Self.composed, Self.decomposed] {
            #expect(try reader.releases(app: AppKey(name)).map(\.sessions) == [2])
        }
        let dropped = try reader.overview(app: "shop", now: noon).dropped
        #expect(bytes(dropped.map(\.reason)) == Self.bothForms)
        #expect(dropped.map(\.count) == [10, 10])
        let detail = try #require(try reader.leak(leak("Page").id, now: noon))
        for values in [detail.systems, detail.models] {
            #expect(bytes(values.map(\.value)) == Self.bothForms)
            #expect(values.map(\.reports) == [2, 2])
        }
        let connection = try SQLiteConnection(path: directory.database, access: .readOnly)
        #expect(try connection.number("select count(*) from build_check where checks = 6") == 2)
    }
}
