import LeakStore
import Testing

@testable import LeakCollector

@Suite struct RouteTests {
    private static let id = "00112233445566778899aabbccddeeff"
    private static let leak = LeakID("00112233445566778899aabbccddeeff") ?? LeakID(high: 0, low: 0)

    @Test(arguments: [
        ("/", Route.summaryPage),
        ("/releases", .releasesPage),
        ("/leaks/\(id)", .leakPage(leak)),
        ("/leaks/\(id)/reports", .reportsPage(leak)),
        ("/api/v1/reports", .reports),
        ("/api/v1/leaks", .leaks),
        ("/api/v1/leaks/\(id)", .leak(leak)),
        ("/api/v1/leaks/\(id)/reports", .leakReports(leak)),
        ("/api/v1/leaks/\(id)/trend", .leakTrend(leak)),
        ("/style.css", .file),
        ("/sign-in", .signIn),
    ])
    func `finds`(path: String, route: Route) {
        #expect(Route(path: path, files: ["/style.css"]) == route)
    }

    @Test(arguments: [
        "/nope", "", "//", "/leaks", "/leaks/", "/leaks/\(id)/", "/leaks/\(id)/nope", "/leaks/\(id)0",
        "/leaks/\(id.uppercased())", "/leaks/\(id)/trend", "/api/v1/leaks/\(id)/reports/", "/api/v1/leaks/x",
        "/api/v2/leaks", "/Style.css", "/style.css/", "/../style.css",
    ])
    func `finds nothing at`(path: String) {
        #expect(Route(path: path, files: ["/style.css"]) == nil)
    }

    @Test func `nothing that writes or reads is open to anyone`() {
        for (path, access) in [
            ("/api/v1/reports", Route.Access.writers), ("/api/v1/leaks", .readers),
            ("/api/v1/summary", .readers),
            ("/api/v1/releases", .readers), ("/api/v1/apps", .readers), ("/", .people),
            ("/releases", .people),
            ("/leaks/\(Self.id)", .people), ("/leaks/\(Self.id)/reports", .people),
            ("/api/v1/leaks/\(Self.id)", .readers), ("/api/v1/leaks/\(Self.id)/reports", .readers),
            ("/api/v1/leaks/\(Self.id)/trend", .readers),
        ] {
            #expect(Route(path: path, files: [])?.access == access, "\(path)")
        }
    }
}
