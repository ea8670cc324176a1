import Testing

/// A shop with leaks of every kind: new and old leaks, an object that is freed late, leaks of the system, and a leak without a
/// class, whose report has only a message.
enum Shop {
    static let app = "com.acme.shop"
    static let driverApp = "com.acme.driver"
    /// Number of leaks that exist only to make the list long.
    static let extraLeakCount = 60

    static let batches: [JSON] = [
        Batch.sessions(
            app: app, version: "5.0.1", sessions: 40, leaky: 2, checks: ["Shop.ProductCell": 900]),
        Batch.sessions(
            app: app, version: "5.1.0", sessions: 120, leaky: 4,
            checks: ["Shop.CartViewModel": 400, "Shop.ProductCell": 2000]),
        Batch.sessions(
            app: app, version: "5.2.0", sessions: 120, leaky: 9,
            checks: ["Shop.CheckoutViewController": 320, "Shop.CartViewModel": 260, "Shop.ProductCell": 800]),
        Batch.sessions(app: driverApp, version: "2.0", sessions: 10, leaky: 1),
        Batch.reports(checkout + cart + cells + search + textFields + [reportWithMessageOnly, driver]),
        Batch.reports((0..<extraLeakCount).map(screen)),
    ]

    static let checkout: [JSON] = (0..<24).map { index in
        var sighting = Sighting(
            className: "Shop.CheckoutViewController",
            stack: ["UITabBarController", "UINavigationController", "Shop.CheckoutViewController"],
            install: index, hoursAgo: index * 3, count: 1 + index % 4)
        sighting.model = index.isMultiple(of: 3) ? "iPhone16,2" : "iPhone17,1"
        sighting.others = [
            "cycle": ["Shop.CheckoutViewController.onPaid", "closure", "Shop.CheckoutViewController"],
            "children": ["Shop.PaymentSheet<Shop.ApplePay>"], "reason": "dismissed", "waited_ms": 1000,
            "alive": JSON(1 + index % 3),
            "message": "VIEWCONTROLLER STILL IN MEMORY <Shop.CheckoutViewController: 0x7f88acc69260>",
            "why": explanationJSON(
                confidence: index % 4 == 0 ? "suspected" : "proven", bytes: 14_210 + 512 * index),
            "keys": ["tab": "cart", "ab_test": 2, "premium": true],
            "log": ["opened the cart", "tapped “Pay”", "closed the sheet"],
        ]
        return sighting.report
    }

    private static func explanationJSON(confidence: String, bytes: Int) -> JSON {
        [
            "confidence": JSON(confidence), "is_cycle": true, "target": "Shop.CheckoutViewController",
            "path": [
                [
                    "owner": "Shop.CheckoutViewController", "field": "onPaid", "kind": "property",
                    "closure": true,
                ]
            ],
            "closures": ["0x41b9 in Shop (6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00)"], "bytes": JSON(bytes),
            "objects": 9,
        ]
    }

    /// Reports of one leak in three versions, with two different paths of owners.
    static let cart: [JSON] = (0..<30).map { index in
        Sighting(
            className: "Shop.CartViewModel", kind: "object",
            stack: index % 5 == 0
                ? ["Shop.CartViewController", "Shop.CartViewModel"]
                : ["UINavigationController", "Shop.CartViewController", "Shop.CartViewModel"],
            version: ["5.0.1", "5.1.0", "5.2.0"][index % 3], build: ["770", "790", "812"][index % 3],
            install: index % 11, hoursAgo: 20 * (30 - index),
            others: ["cycle": ["Shop.CartViewModel.onChange", "closure", "Shop.CartViewModel"]]
        ).report
    }

    static let cells: [JSON] = (0..<20).map { index in
        Sighting(
            className: "Shop.ProductCell", kind: "view",
            stack: ["Shop.ProductListController", "UITableView", "Shop.ProductCell"],
            version: index % 2 == 0 ? "5.0.1" : "5.1.0", build: nil, systemVersion: "18.\(index % 4)",
            install: index, hoursAgo: 24 * (index + 1)
        ).report
    }

    /// Reports of an object that is nearly always freed late.
    static let search: [JSON] = (0..<20).map { index in
        Sighting(
            className: "Shop.SearchResultsController",
            stack: ["UINavigationController", "Shop.SearchResultsController"], version: "5.1.0",
            build: "790", install: index / 2, hoursAgo: 30 + index,
            others: index % 2 == 0
                ? [:] : ["type": "freed", "lived_ms": JSON(1200 + 250 * index)]
        ).report
    }

    /// A leak of iOS 11.2 itself, according to the list of known leaks.
    static let textFields: [JSON] = (0..<3).map { index in
        Sighting(
            className: "UITextField", kind: "view", stack: ["Shop.LoginViewController", "UITextField"],
            version: "5.1.0", build: "790", systemVersion: "11.2.1", install: 40 + index, hoursAgo: 50
        ).report
    }

    static let reportWithMessageOnly = Sighting(
        kind: "object", version: "5.1.0", build: "790", install: 3, hoursAgo: 80,
        others: ["message": "Objekt nach 12 Sekunden noch im Speicher"]
    ).report

    static let driver = Sighting(
        className: "Driver.MapViewController", stack: ["Driver.MapViewController"], app: driverApp,
        version: "2.0", build: nil, install: 90, hoursAgo: 5
    ).report

    static func screen(_ index: Int) -> JSON {
        let name = "Shop.Screen\(index + 10)ViewController"
        return Sighting(
            className: name, stack: ["UINavigationController", name], version: "5.0.1", build: nil,
            install: index % 7, hoursAgo: 200 + index
        ).report
    }

    static func wishList(in version: String, hoursAgo: Int) -> JSON {
        Sighting(
            className: "Shop.WishListController",
            stack: ["UINavigationController", "Shop.WishListController"],
            version: version, build: nil, install: 5, hoursAgo: hoursAgo
        ).report
    }

    /// Returns the site that all read-only tests of the suite share.
    static func shared() async throws -> Site { try await #require(Browser.current).shop() }

    /// Returns a site with all these leaks. One of them is ignored, and a further leak has regressed.
    static func site() async throws -> Site {
        let site = try await Site(batches + [Batch.reports([wishList(in: "5.0.1", hoursAgo: 300)])])
        try await site.decide(
            "WishListController",
            ["action": "resolve", "in": "5.1.0", "note": "The list's data source held it.\nNow it is weak."])
        try await site.send(Batch.reports([wishList(in: "5.2.0", hoursAgo: 0)]))
        try await site.decide("WishListController", ["action": "note", "note": "Back: see the new search."])
        try await site.decide("Screen10ViewController", ["action": "ignore", "reports": 100])
        return site
    }
}
