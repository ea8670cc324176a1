import LeakHTTPServer
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct RouteTests {
    private static let id = "00112233445566778899aabbccddeeff"
    private static let leak = LeakID("00112233445566778899aabbccddeeff") ?? LeakID(high: 0, low: 0)

    private static func find(_ method: LeakHTTPServer.Method, _ path: String) -> Route? {
        let bytes = Array(path.utf8)
        guard case .found(let pattern, let parameters) = Route.router.match(method, path: bytes.span) else {
            return nil
        }
        return pattern.route(parameters)
    }

    @Test(arguments: [
        ("/", ResourceAddress.Form.page), ("/releases", .page), ("/causes", .page), ("/classes", .page),
        ("/leaks/\(id)", .page), ("/leaks/\(id)/reports", .page), ("/access", .page),
        ("/api/v1/leaks", .json), ("/api/v1/leaks/\(id)", .json), ("/api/v1/leaks/\(id)/reports", .json),
        ("/api/v1/leaks/\(id)/trend", .json), ("/api/v1/leaks/\(id)/markdown", .text),
        ("/api/v1/releases", .json), ("/api/v1/summary", .json), ("/api/v1/apps", .json),
        ("/api/v1/classes", .json), ("/api/v1/causes", .json), ("/api/v1/check", .json),
        ("/api/v1/keys", .json), ("/api/v1/tokens", .json), ("/api/v1/symbols", .json),
    ])
    func `reads resources`(path: String, form: ResourceAddress.Form) throws {
        for method in [LeakHTTPServer.Method.get, .head] {
            guard case .resource(let address) = Self.find(method, path) else {
                Issue.record("no resource at \(path)")
                continue
            }
            #expect(address.form == form)
            #expect(address.path.replacing("{leak}", with: Self.id) == path)
        }
    }

    @Test func `no two resources have one address`() {
        let paths = Resources.addresses.map(\.path)
        #expect(Set(paths).count == paths.count)
    }

    @Test(arguments: [
        ("/healthz", Route.health), ("/readyz", .readiness), ("/sign-in", .signInPage),
        ("/leaks/\(id)/decisions", .formAddress(.leak(leak))), ("/access/keys", .formAddress(.access)),
        ("/access/tokens/7/name", .formAddress(.access)), ("/access/keys/7/revoke", .formAddress(.access)),
    ])
    func `reads`(path: String, route: Route) {
        #expect(Self.find(.get, path) == route)
        #expect(Self.find(.head, path) == route)
    }

    @Test(arguments: [
        ("/api/v1/reports", Route.reports), ("/api/12/envelope/", .sentry(.envelope)),
        ("/api/1/envelope", .sentry(.envelope)), ("/api/1/store/", .sentry(.event)),
        ("/api/1/store", .sentry(.event)), ("/sign-in", .signIn), ("/sign-out", .signOut),
        ("/access/keys", .handout(HandoutChange(kind: .keys, action: .create, isForm: true))),
        ("/access/tokens/7/name", .handout(HandoutChange(kind: .tokens, action: .rename(7), isForm: true))),
        ("/access/keys/7/revoke", .handout(HandoutChange(kind: .keys, action: .revoke(7), isForm: true))),
        ("/api/v1/tokens", .handout(HandoutChange(kind: .tokens, action: .create, isForm: false))),
    ])
    func `writes`(path: String, route: Route) {
        #expect(Self.find(.post, path) == route)
    }

    @Test(arguments: [
        "/nope", "", "//", "/leaks", "/leaks/", "/leaks/\(id)/", "/leaks/\(id)/nope", "/leaks/\(id)0",
        "/leaks/\(id.uppercased())", "/leaks/\(id)/trend", "/api/v1/leaks/\(id)/reports/", "/api/v1/leaks/x",
        "/api/v2/leaks", "/style.css", "/sign-out", "/api/v1/reports", "/access/keys/1",
        "/access/", "/api/v1/keys/1", "/api/v1/leaks/\(id)/decisions",
    ])
    func `reads nothing at`(path: String) {
        #expect(Self.find(.get, path) == nil)
    }

    @Test func `nothing that writes or reads is open to anyone`() {
        for (path, access) in [
            ("/api/v1/leaks", Route.Access.readers), ("/api/v1/summary", .readers),
            ("/api/v1/releases", .readers), ("/api/v1/apps", .readers), ("/", .people),
            ("/releases", .people), ("/access", .people), ("/api/v1/keys", .readers),
            ("/api/v1/check", .readers),
            ("/leaks/\(Self.id)", .people), ("/leaks/\(Self.id)/reports", .people),
            ("/api/v1/leaks/\(Self.id)", .readers), ("/api/v1/leaks/\(Self.id)/reports", .readers),
            ("/api/v1/leaks/\(Self.id)/trend", .readers),
        ] {
            #expect(Self.find(.get, path)?.access == access, "\(path)")
        }
        for kind in HandoutKind.allCases {
            #expect(Self.find(.post, "/access/\(kind.rawValue)")?.access == .people)
            #expect(Self.find(.post, "/access/\(kind.rawValue)/1/revoke")?.access == .people)
            #expect(Self.find(.patch, "/api/v1/\(kind.rawValue)/1")?.access == .readers)
            #expect(Self.find(.delete, "/api/v1/\(kind.rawValue)/1")?.access == .readers)
        }
        #expect(Self.find(.post, "/api/v1/reports")?.access == .writers)
    }
}
