import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

/// These tests fail if a new property of ``LeakQuery`` has no URL parameter, no effect, no form field or no description.
@Suite struct LeakQueryTests {
    /// For each property, a change to a value other than the default. If the property is a filter, no leak matches the value.
    static let changes: [String: @Sendable (inout LeakQuery) -> Void] = [
        "app": { $0.app = "none" },
        "environment": { $0.environment = "none" },
        "version": { $0.version = "9.9" },
        "state": { $0.state = .ignored },
        // The only report is older than a day.
        "period": { $0.period = .day },
        "kind": { $0.kind = "view" },
        "className": { $0.className = "None" },
        "search": { $0.search = "none & nothing" },
        "sort": { $0.sort = .reports },
        "order": { $0.order = .ascending },
        "limit": { $0.limit = 7 },
        "cursor": { $0.cursor = "0" },
    ]
    static let filters = changes.keys.filter { !["sort", "order", "limit", "cursor"].contains($0) }.sorted()

    private static func query(_ property: String) throws -> LeakQuery {
        var query = LeakQuery()
        let change = try #require(changes[property])
        change(&query)
        return query
    }

    private static func text(of file: String) throws -> String {
        let top = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent()
        }
        return try String(contentsOf: top.appendingPathComponent(file), encoding: .utf8)
    }

    @Test func `every property of a leak query has its own URL parameter`() throws {
        // Only the stores set the property that is left out.
        let properties = Mirror(reflecting: LeakQuery()).children.compactMap(\.label)
            .filter { $0 != "countsReportsBeforeDecision" }
        #expect(properties.sorted() == Self.changes.keys.sorted())
        var names: [String] = []
        for property in properties {
            names += try Self.query(property).parameters.filter { $0.value != nil }.map(\.name)
        }
        #expect(names == LeakQuery().parameters.map(\.name))
    }

    @Test
    func `the list of leaks applies every filter, and has a field for each filter and a link to clear them`()
        throws
    {
        let running = try RunningCollector()
        let old = Int64(Date().timeIntervalSince1970 * 1000) - 3 * 86_400_000
        let report = #"{"app":{"id":"a","version":"1"},"reports":[{"class":"A","at":\#(old)}]}"#
        #expect(try running.post(report).status == 200)
        let links = Links(mode: .server(base: ""))
        #expect(try running.json(links.json(of: .summary(LeakQuery())))["total"] as? Int == 1)
        for filter in Self.filters {
            let query = try Self.query(filter)
            #expect(query.hasFilters == ((filter != "app" && filter != "environment")))
            #expect(try running.json(links.json(of: .summary(query)))["total"] as? Int == 0, "\(filter)")
            let page = String(decoding: try running.get(links.to(.summary(query))).body, as: UTF8.self)
            #expect(page.contains("Clear filters") == query.hasFilters, "\(filter)")
            for (name, value) in query.parameters where value != nil {
                #expect(page.components(separatedBy: #" name="\#(name)""#).count == 2, "\(filter)")
            }
        }
    }

    /// The form can choose another sort order. The direction of the earlier order does not apply to it.
    @Test func `the filter form submits limit and class again, but neither direction nor cursor`() throws {
        let running = try RunningCollector()
        let page = try running.get("/?order=asc&limit=7&class=A&cursor=").text
        let hidden = page.matches(of: /<input type="hidden" name="([a-z]+)"/).map { String($0.1) }
        #expect(Set(hidden) == ["class", "limit"])
    }

    @Test func `every parameter of the leak list is documented`() throws {
        let names = LeakQuery().parameters.map(\.name)
        let schemas = try #require(
            JSONSerialization.jsonObject(with: Data(Self.text(of: "Public/openapi.json").utf8))
                as? [String: Any])
        let paths = try #require(schemas["paths"] as? [String: [String: Any]])
        let operation = try #require(paths["/api/v1/leaks"]?["get"] as? [String: Any])
        let parameters = try #require(operation["parameters"] as? [[String: Any]])
        #expect(
            parameters.compactMap { $0["name"] as? String }
                == names.filter { $0 != "app" && $0 != "environment" })
        let address = "GET /api/v1/leaks?" + names.map { $0 + "=" }.joined(separator: "&")
        #expect(try Self.text(of: "docs/WIRE.md").contains("`\(address)`"))
    }
}
