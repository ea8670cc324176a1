import LeakStore
import Testing

/// Classes with the same name in two modules, in SQLite or in PostgreSQL: ``StoreLocation`` chooses.
@Suite struct StoreModuleTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    /// A report's class, with its module in front of a dot.
    struct Named: CustomTestStringConvertible, Sendable {
        var text: String
        /// `true` if the sender's own module is another module, so that the module remains a part of the class name.
        var isOther = false

        var testDescription: String { isOther ? "\(text) of another module" : text }

        var leak: LeakIdentity {
            let parts = text.split(separator: ".").map(String.init)
            guard parts.count == 2 else { return identity(text, module: nil) }
            let plain = identity(parts[1], module: parts[0])
            let whole = identity(text, module: nil)
            return isOther
                ? identity(text, module: nil, otherModuleSpelling: plain)
                : identity(parts[1], module: parts[0], otherModuleSpelling: whole)
        }

        private func identity(
            _ name: String, module: String?, otherModuleSpelling: LeakIdentity? = nil
        ) -> LeakIdentity {
            let plain = LeakStoreTests.leak(name)
            return LeakIdentity(
                id: plain.id, app: plain.app, kind: plain.kind, className: name, module: module,
                title: name, stack: plain.stack, children: [], cycle: [], quality: .full,
                groupingKey: plain.groupingKey, otherModuleSpelling: otherModuleSpelling)
        }
    }

    static let cases: [(reports: [Named], leaks: [String: Int])] = [
        // The title without a module belongs to the module that was reported first.
        (
            ["Feed.List", "Chat.List", "Feed.List", "Chat.List"].map { Named(text: $0) },
            ["List": 2, "Chat.List": 2]
        ),
        // Reports without a module belong to the module that was reported first.
        (["List", "Feed.List", "List", "Chat.List"].map { Named(text: $0) }, ["List": 3, "Chat.List": 1]),
        (["Feed.List", "List", "Chat.List", "List"].map { Named(text: $0) }, ["List": 3, "Chat.List": 1]),
        // The module of the class is the sender's own module in one report, and not in the other.
        ([Named(text: "Feed.List"), Named(text: "Feed.List", isOther: true)], ["List": 2]),
        ([Named(text: "Feed.List", isOther: true), Named(text: "Feed.List")], ["Feed.List": 2]),
        // A class of another module does not take the name of the app's own class.
        (
            [Named(text: "List"), Named(text: "Feed.List", isOther: true), Named(text: "Feed.List")],
            ["List": 1, "Feed.List": 2]
        ),
        (
            [Named(text: "Feed.List", isOther: true), Named(text: "Shop.List"), Named(text: "List")],
            ["Feed.List": 1, "List": 2]
        ),
        (
            [Named(text: "Feed.List"), Named(text: "Shop.List"), Named(text: "Feed.List", isOther: true)],
            ["List": 2, "Shop.List": 1]
        ),
    ]

    private func reportsByTitle() throws -> [String: Int] {
        var query = LeakQuery()
        query.state = .any
        let leaks = try store.makeReader().leaks(query, now: noon).leaks
        return Dictionary(uniqueKeysWithValues: leaks.map { ($0.identity.title, $0.reports) })
    }

    /// Both spellings and one more leak arrive in one transaction, and the app may have two leaks.
    @Test(arguments: [["List", "Feed.List"], ["Feed.List", "List"]])
    func `a new leak with two spellings counts as one towards the limit of leaks`(names: [String]) throws {
        var limits = StoreLimits()
        limits.leaksPerApp = 2
        let store = try place.store(limits: limits)
        let leaks = names.map { Named(text: $0).leak } + [Named(text: "Cart").leak]
        #expect(try store.count([submission(leaks.map { Report(leak: $0) })], now: noon) == [.counted])
        let found = try store.makeReader().leaks(LeakQuery(), now: noon).leaks
        #expect(found.map { $0.identity.title }.sorted() == ["Cart", "List"])
        #expect(try store.verify() == [])
    }

    @Test(arguments: cases)
    func `a class with and without its module is one leak if the reports arrive one after the other`(
        reports: [Named], leaks: [String: Int]
    ) throws {
        for report in reports { _ = try store.count([submission([Report(leak: report.leak)])], now: noon) }
        #expect(try reportsByTitle() == leaks)
    }

    @Test(arguments: cases)
    func `a class with and without its module is one leak if all reports arrive in one batch`(
        reports: [Named], leaks: [String: Int]
    ) throws {
        _ = try store.count([submission(reports.map { Report(leak: $0.leak) })], now: noon)
        #expect(try reportsByTitle() == leaks)
    }

    /// If there are two leaks, neither gets reports of the other leak.
    @Test(arguments: cases)
    func `a class with and without its module is one leak if the reports arrive at two collectors in turn`(
        reports: [Named], leaks: [String: Int]
    ) throws {
        let other = try place.store()
        for (number, report) in reports.enumerated() {
            let receiver = number.isMultiple(of: 2) ? store : other
            _ = try receiver.count([submission([Report(leak: report.leak)])], now: noon)
        }
        // Each store has read the rows that the other has written.
        for (number, report) in reports.enumerated() {
            let receiver = number.isMultiple(of: 2) ? other : store
            _ = try receiver.count([submission([Report(leak: report.leak)])], now: noon)
        }
        #expect(try reportsByTitle() == leaks.mapValues { 2 * $0 })
    }

    @Test
    func `after a restart, an ingest key with no bytes left still adds reports to the leak's own build`()
        throws
    {
        let (feed, chat) = (Named(text: "Feed.List").leak, Named(text: "Chat.List").leak)
        for leak in [feed, chat] { _ = try store.count([submission([Report(leak: leak)])], now: noon) }
        var limits = StoreLimits()
        limits.leakTextBytesPerKeyAndDay = 0
        for leak in [feed, chat] {
            let reopened = try place.store(limits: limits)
            _ = try reopened.count([submission([Report(leak: leak)], keyID: 2)], now: noon)
        }
        let reader = try store.makeReader()
        for row in try reader.leaks(LeakQuery(), now: noon).leaks {
            let versions = try #require(try reader.leak(row.identity.id, now: noon)).versions
            #expect(versions.map(\.build) == [nil] && versions.map(\.reports) == [2])
        }
        #expect(try reader.overview(app: nil, now: noon).overLimit == [])
        #expect(try store.verify() == [])
    }

    @Test func `a leak gets the first module that a report names`() throws {
        for text in ["List", "Feed.List"] {
            _ = try store.count([submission([Report(leak: Named(text: text).leak)])], now: noon)
        }
        let detail = try #require(try store.makeReader().leak(Named(text: "List").leak.id, now: noon))
        #expect(detail.row.identity.module == "Feed")
    }
}
