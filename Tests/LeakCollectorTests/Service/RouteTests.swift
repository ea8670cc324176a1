import LeakCollectorSupport
import LeakHTTPServer
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct RouteTests {
    private static let id = "00112233445566778899aabbccddeeff"
    private static let leak = LeakID("00112233445566778899aabbccddeeff") ?? LeakID(high: 0, low: 0)

    private static let router = Result { try RunningCollector().collector.service.router }

    private static func find(_ method: LeakHTTPServer.Method, _ path: String) throws -> Route.Match? {
        let bytes = Array(path.utf8)
        guard case .found(let route, let parameters) = try router.get().match(method, path: bytes.span)
        else { return nil }
        return Route.Match(route, parameters)
    }

    @Test(arguments: [
        ("/", ResourceAddress.Representation.page), ("/releases", .page), ("/causes", .page),
        ("/classes", .page),
        ("/leaks/\(id)", .page), ("/leaks/\(id)/reports", .page), ("/access", .page), ("/compare", .page),
        ("/merge", .page), ("/api/v1/merges", .json),
        ("/rules", .page), ("/api/v1/rules", .json),
        ("/api/v1/leaks", .json), ("/api/v1/leaks/\(id)", .json), ("/api/v1/leaks/\(id)/reports", .json),
        ("/api/v1/leaks/\(id)/trend", .json), ("/api/v1/leaks/\(id)/markdown", .text),
        ("/api/v1/releases", .json), ("/api/v1/summary", .json), ("/api/v1/apps", .json),
        ("/api/v1/classes", .json), ("/api/v1/causes", .json), ("/api/v1/check", .json),
        ("/api/v1/check/markdown", .text),
        ("/api/v1/keys", .json), ("/api/v1/tokens", .json), ("/api/v1/symbols", .json), ("/audit", .page),
        ("/api/v1/audit", .json), ("/events", .page), ("/api/v1/events", .json),
        ("/api/v1/events.atom", .text), ("/retention", .page), ("/api/v1/retention", .json),
    ])
    func `each resource has a route for GET and HEAD`(path: String, form: ResourceAddress.Representation)
        throws
    {
        for method in [LeakHTTPServer.Method.get, .head] {
            let route = try #require(try Self.find(method, path)).route
            #expect(route.path.replacing("{leak}", with: Self.id) == path)
            let address = try #require(Resources.addresses.first { $0.path == route.path })
            #expect(address.representation == form)
            #expect(route.access.isForPeople == (form == .page) && route.access.permission != nil)
        }
    }

    @Test func `no two resources have the same path`() {
        let paths = Resources.addresses.map(\.path)
        #expect(Set(paths).count == paths.count)
    }

    @Test func `the metrics have a route for GET and HEAD, whose rejections are JSON`() throws {
        for method in [LeakHTTPServer.Method.get, .head] {
            let route = try #require(try Self.find(method, "/metrics")).route
            #expect(route.path == "/metrics" && route.access == .readers(.read))
        }
    }

    @Test(arguments: ["/healthz", "/readyz", "/sign-in"])
    func `health, readiness and sign-in may be read without a credential`(path: String) throws {
        for method in [LeakHTTPServer.Method.get, .head] {
            let route = try #require(try Self.find(method, path)).route
            #expect(route.path == path && route.method == .get && route.access == .anyone)
        }
    }

    @Test(arguments: [
        ("/leaks/\(id)/decisions", LinkTarget.leak(leak)), ("/access/keys", .access),
        ("/access/tokens/7/name", .access), ("/access/keys/7/revoke", .access),
        ("/releases/current", .releases(app: nil)), ("/rules/saved", .rules(AppScope(nil))),
    ])
    func `the path of a form leads to the page with that form`(
        path: String, page: LinkTarget
    ) throws {
        for method in [LeakHTTPServer.Method.get, .head, .post] {
            let match = try #require(try Self.find(method, path))
            #expect(match.formPage?.target == page && match.route.access.isForPeople)
        }
    }

    @Test func `the page of a form is found even if the ID in the form's path is not a number`() throws {
        #expect(try Self.find(.get, "/access/keys/x/name")?.formPage?.target == .access)
    }

    @Test(arguments: [
        ("/api/v1/reports", "/api/v1/reports", nil), ("/api/12/envelope/", "/api/{project}/envelope/", nil),
        ("/api/1/envelope", "/api/{project}/envelope", nil), ("/api/1/store/", "/api/{project}/store/", nil),
        ("/api/1/store", "/api/{project}/store", nil), ("/sign-in", "/sign-in", nil),
        ("/sign-out", "/sign-out", nil), ("/access/keys", "/access/keys", nil),
        ("/access/tokens/7/name", "/access/tokens/{id}/name", "7"),
        ("/access/keys/7/revoke", "/access/keys/{id}/revoke", "7"), ("/api/v1/tokens", "/api/v1/tokens", nil),
        ("/api/v1/symbols", "/api/v1/symbols", nil),
    ])
    func `a POST to a path for changes finds the route with its pattern and id`(
        path: String, pattern: String, id: String?
    ) throws {
        let match = try #require(try Self.find(.post, path))
        #expect(match.route.path == pattern && match.route.method == .post)
        #expect(match.parameters["id"] == id)
    }

    @Test(arguments: [
        "/nope", "", "//", "/leaks", "/leaks/", "/leaks/\(id)/", "/leaks/\(id)/nope", "/leaks/\(id)0",
        "/leaks/\(id.uppercased())", "/leaks/\(id)/trend", "/api/v1/leaks/\(id)/reports/", "/api/v1/leaks/x",
        "/api/v2/leaks", "/style.css", "/sign-out", "/api/v1/reports", "/access/keys/1",
        "/access/", "/api/v1/keys/1", "/leaks/x/decisions", "/api/v1/leaks/\(id)/decisions",
    ])
    func `a path without a resource has no route for GET`(path: String) throws {
        #expect(try Self.find(.get, path) == nil)
    }

    @Test(arguments: [
        "/access/keys/x/name", "/access/tokens/-1/revoke", "/leaks/x/decisions", "/api/v1/leaks/x/decisions",
        "/api/x/envelope/", "/api/1x/store",
    ])
    func `a path with an invalid ID has no route for POST`(path: String) throws {
        #expect(try Self.find(.post, path) == nil)
    }
}
