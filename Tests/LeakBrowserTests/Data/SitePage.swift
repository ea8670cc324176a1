/// Every page of the collector, for tests that check all pages.
enum SitePage: String, CaseIterable, CustomStringConvertible, Sendable {
    case summary
    case summaryOfApp = "summary-of-an-app"
    case emptyList = "empty-list"
    case allStates = "all-states"
    case leak
    case oldLeak = "leak-in-three-versions"
    case slowLeak = "slow-leak"
    case knownLeak = "known-leak"
    case leakWithoutClass = "leak-without-class"
    case regressedLeak = "regressed-leak"
    case ignoredLeak = "ignored-leak"
    case reports
    case releases
    case compare
    case causes
    case byMemory = "by-memory"
    case leakClass = "class"
    case access
    case missing
    case signIn = "sign-in"

    var description: String { rawValue }

    /// Returns the path of the page on a site with the shop's leaks.
    func path(at site: Site) async throws -> String {
        switch self {
        case .summary: "/"
        case .summaryOfApp: "/?app=\(Shop.app)"
        case .emptyList: "/?q=nothing+has+this+name"
        case .allStates: "/?state=any&limit=200&sort=reports"
        case .leak: "/leaks/\(try await site.leakID(matching: "CheckoutViewController"))"
        case .oldLeak: "/leaks/\(try await site.leakID(matching: "CartViewModel"))"
        case .slowLeak: "/leaks/\(try await site.leakID(matching: "SearchResultsController"))"
        case .knownLeak: "/leaks/\(try await site.leakID(matching: "UITextField"))"
        case .leakWithoutClass: "/leaks/\(try await site.leakID(matching: "noch im Speicher"))"
        case .regressedLeak: "/leaks/\(try await site.leakID(matching: "WishListController"))"
        case .ignoredLeak: "/leaks/\(try await site.leakID(matching: "Screen10ViewController"))"
        case .reports: "/leaks/\(try await site.leakID(matching: "CheckoutViewController"))/reports"
        case .releases: "/releases?app=\(Shop.app)"
        case .compare: "/compare?app=\(Shop.app)"
        case .causes: "/causes"
        case .byMemory: "/?sort=cost"
        case .leakClass: "/classes?class=CartViewModel&app=\(Shop.app)"
        case .access: "/access"
        case .missing: "/nothing/is/here"
        case .signIn: "/sign-in"
        }
    }

    /// Number of errors that a browser logs because of the status of the page.
    var expectedMessageCount: Int { self == .missing ? 1 : 0 }
}

extension Tab {
    /// Opens a page of a site. For the missing page, ignores the browser's errors about the status 404, and throws if there are
    /// other errors.
    func open(_ page: SitePage, of site: Site) async throws {
        try await open(site.address + page.path(at: site))
        guard page.expectedMessageCount > 0 else { return }
        try await receivePendingEvents()
        let complaints = takeErrors().filter { !$0.contains("the server responded with a status of 404") }
        guard complaints.isEmpty else { throw Failure(description: "\(complaints)") }
    }
}
