internal import LeakMessage
internal import LeakSeededRandom

/// A made-up app: its releases and its screens, with the leaks that are found when a screen closes.
struct SampleApp: Sendable {
    /// The checks and the reports of one session.
    struct SessionReports {
        var checks: [(className: String, count: Int)] = []
        var reports: [LeakReport] = []
    }

    /// The objects of one class, which are checked when a screen closes.
    private struct Screen {
        let className: String
        var leaks: [SampleLeak]
        /// The sum of the weights of this screen and of the screens before it. Users open a screen more often if its weight is
        /// larger.
        let cumulativeWeight: Double
    }

    let id: String
    /// The day on which each release appears. The first day is 0.
    let releaseDays: [Int]
    private let module: String
    private let major: Int
    private let screens: [Screen]

    private static let templates: [(id: String, module: String, major: Int, features: [String])] = [
        (
            "com.example.shop", "Shop", 5,
            [
                "Checkout", "ProductPhoto", "Wishlist", "Cart", "Profile", "Search", "Catalogue", "Debug",
                "Offers", "Reviews", "Orders", "Returns", "Vouchers", "Addresses", "Payment", "Stores",
                "Filters", "Brands", "Sizes", "Login", "Settings", "Help", "Chat", "Scanner",
            ]
        ),
        (
            "com.example.bank", "Bank", 3,
            [
                "Transfer", "Statement", "Cards", "Accounts", "Savings", "Loans", "Rates", "Sandbox",
                "Standing", "Payees", "Limits", "Alerts", "Budget", "Branches", "Identity", "Passcode",
                "Contracts", "Documents", "Insurance", "Login", "Settings", "Help", "Inbox", "Scanner",
            ]
        ),
        (
            "com.example.travel", "Travel", 11,
            [
                "Booking", "MapTile", "Flights", "Hotels", "Itinerary", "Seats", "Weather", "Console",
                "Trains", "Luggage", "Boarding", "Lounge", "Passport", "Visa", "Currency", "Phrases",
                "Diary", "Friends", "Photos", "Login", "Settings", "Help", "Chat", "Points",
            ]
        ),
    ]

    init(_ index: Int, leakCount: Int, releaseCount: Int, days: Int, random: inout SeededRandom) {
        let name = Self.templates[index % Self.templates.count]
        let round = index / Self.templates.count
        id = name.id + (round > 0 ? "\(round + 1)" : "")
        (module, major) = (name.module, name.major)
        releaseDays = (0..<releaseCount).map { $0 * days / releaseCount }
        var leaks = SampleLeak.withHistory(
            module: module, features: name.features, releaseCount: releaseCount)
        for number in 0..<max(leakCount - leaks.count, 0) {
            leaks.append(
                SampleLeak(
                    rare: number, module: module, features: name.features, releaseCount: releaseCount,
                    random: &random))
        }
        var totalWeight = 0.0
        screens = leaks.prefix(leakCount).enumerated().map { rank, leak in
            totalWeight += 1 / Double(rank + 1).squareRoot()
            return Screen(className: leak.className, leaks: [leak], cumulativeWeight: totalWeight)
        }
    }

    func version(ofRelease release: Int) -> String { "\(major).\(release).0" }

    func info(ofRelease release: Int) -> AppInfo {
        AppInfo(
            id: id, module: module, version: version(ofRelease: release),
            build: "\(major * 100 + release * 12)")
    }

    func decisions(onDay day: Int) -> [SampleFleet.Decision] {
        screens.flatMap(\.leaks).compactMap { leak in
            guard let decision = leak.decision, releaseDays[decision.release] == day else { return nil }
            let action: SampleFleet.Decision.Action =
                switch decision.kind {
                case .resolve: .resolve(version: version(ofRelease: decision.release))
                case .ignore: .ignore
                }
            return SampleFleet.Decision(
                app: id, className: leak.className, action: action, note: decision.note)
        }
    }

    /// Returns the checks and reports of a session in which some screens are opened and closed.
    func session(release: Int, leakiness: Double, at time: WireTime, random: inout SeededRandom)
        -> SessionReports
    {
        var sessionReports = SessionReports()
        let totalWeight = screens.last?.cumulativeWeight ?? 0
        for _ in 0..<random.number(3...8) {
            let place = Double.random(in: 0..<totalWeight, using: &random)
            let screen = screens[screens.partitioningIndex { $0.cumulativeWeight > place }]
            let count = random.number(1...3)
            sessionReports.checks.append((screen.className, count))
            for leak in screen.leaks {
                let rate = min(leak.rates[release] * leakiness, 1)
                let leaked = (0..<count).count { _ in random.chance(rate) }
                guard leaked > 0 else { continue }
                sessionReports.reports += leak.reports(count: leaked, at: time, random: &random)
            }
        }
        return sessionReports
    }
}

extension Array {
    /// Returns the first index whose element fulfils the condition. All elements after it must fulfil the condition, too.
    fileprivate func partitioningIndex(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (0, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
