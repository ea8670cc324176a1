import LeakStore
import Testing

@testable import LeakCollector

@Suite struct LinksTests {
    static let queries: [LeakQuery] = {
        var queries = [LeakQuery()]
        for text in ["com.acme.shop", "a b&c=d?e#f/%+é\"'<>", "", "\u{0}\n", "👩‍👩‍👧"] {
            var query = LeakQuery()
            query.app = text
            query.version = text
            query.state = .slow
            query.period = .fortnight
            query.kind = text
            query.className = text
            query.search = text
            query.sort = .lastSeen
            query.order = .ascending
            query.limit = 200
            query.cursor = text
            queries.append(query)
        }
        return queries
    }()

    @Test(arguments: queries)
    func `parsing the link of a query gives the same query`(query: LeakQuery) throws {
        let links = Links(mode: .server(base: "/leaks"))
        #expect(try parse(links.to(.summary(query)), path: "/leaks/") == query)
        #expect(try parse(links.json(of: .summary(query)), path: "/leaks/api/v1/leaks") == query)
    }

    @Test func `the links of a list are exactly its sort orders, states, tiles and next page`() throws {
        let context = Shop.context {
            $0.version = "5.2.0"
            $0.search = "a&b"
            $0.period = .month
            $0.cursor = "here"
        }
        var page = Shop.page
        page.next = "there/+="
        let markup = try Markup(SummaryPage(context: context, overview: Shop.overview, page: page).html.bytes)
        let found = try Set(markup.links.filter { $0.hasPrefix("/?") }.map { try parse($0, path: "/") })
        var expected: Set<LeakQuery> = []
        var query = context.query
        query.cursor = nil
        expected.insert(query)
        // In a list of one version, the orders by impact and by installs are equal, so the link of the column for installs
        // reverses the order.
        for sort in LeakQuery.Sort.allCases where sort != .cost {
            var sorted = query
            (sorted.sort, sorted.order) = (sort, sort == .installs ? .ascending : nil)
            expected.insert(sorted)
        }
        var reversed = query
        reversed.order = .ascending
        expected.insert(reversed)
        for state in [LeakQuery.StateFilter.resolved, .ignored] {
            var aside = query
            aside.state = state
            expected.insert(aside)
        }
        query.cursor = "there/+="
        expected.insert(query)
        var plain = LeakQuery()
        plain.app = "com.acme.shop"
        expected.insert(plain)
        for change in [
            { $0.state = .regressed }, { ($0.period, $0.state) = (.day, .any) },
            { $0.state = .new },
        ] as [(inout LeakQuery) -> Void] {
            var tile = plain
            change(&tile)
            expected.insert(tile)
        }
        #expect(found == expected)
    }

    /// File systems allow names of 255 bytes, including the extension. An app's ID has at most 256 bytes. Escaping can
    /// triple its length.
    @Test func `each app has a separate file name of at most 200 bytes in an export`() {
        var names: Set<String> = []
        for app in [200, 201, 255, 256].map({ String(repeating: "a", count: $0) })
            + ["é", "א", "ع"].map({ String(repeating: $0, count: 128) })
        {
            let name = PercentEncoder.fileName(app)
            #expect(name.utf8.count <= 200)
            #expect(names.insert(name).inserted)
        }
        #expect(PercentEncoder.fileName("com.acme.shop") == "com.acme.shop")
    }

    @Test func `links of exported pages are relative paths of files`() {
        let id = LeakID(high: 1, low: 2)
        let index = Links(mode: .files(page: .summary(app: nil)))
        #expect(index.to(.leak(id)) == "leaks/00000000000000010000000000000002.html")
        #expect(index.to(.file("style.css")) == "style.css")
        #expect(index.json(of: .summary(app: nil)) == "index.json")
        let leak = Links(mode: .files(page: .leak(id)))
        #expect(leak.to(.summary(app: nil)) == "../index.html")
        #expect(leak.to(.summary(app: "com.acme/../Shop")) == "../apps/com.acme=2F..=2F=53hop.html")
        #expect(leak.to(.reports(id)) == "../leaks/00000000000000010000000000000002.reports.html")
        #expect(leak.to(.releases(app: "..")) == "../releases/=2E..html")
        #expect(Links.file(of: .releases(app: "")) == "releases/=.html")
    }

    @Test func `an exported page has no form and no link to a server`() throws {
        let markup = try Markup(SamplePage.exported.html.bytes)
        #expect(!markup.shape.contains("form"))
        #expect(markup.links.allSatisfy { !$0.hasPrefix("/") && !$0.contains("?") })
    }

    private struct Unreadable: Error {}

    /// Parses a link as the server does, without the code of the collector: shared code could hide a mistake in `Links`.
    private func parse(_ link: String, path: String) throws -> LeakQuery {
        let parts = link.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0] == path else { throw Unreadable() }
        var query = LeakQuery()
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let value = decode(sides[1]) else { throw Unreadable() }
            switch sides[0] {
            case "app": query.app = value
            case "version": query.version = value
            case "state": query.state = LeakQuery.StateFilter(rawValue: value) ?? .toFix
            case "period": query.period = Period(rawValue: value)
            case "kind": query.kind = value
            case "class": query.className = value
            case "q": query.search = value
            case "sort": query.sort = LeakQuery.Sort(rawValue: value) ?? .impact
            case "order": query.order = LeakQuery.Order(rawValue: value)
            case "limit": query.limit = Int(value) ?? 0
            case "cursor": query.cursor = value
            default: throw Unreadable()
            }
        }
        return query
    }

    private func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let decoded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
