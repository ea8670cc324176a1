import LeakCollectorSupport
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct CycleTests {
    @Test(
        arguments: [
            (["Shop.Cart.onChange", "closure", "Shop.Cart"], "Cart", ["*Shop.Cart/onChange", "closure"]),
            (["closure", "Cart.onPaid", "closure"], "Cart", ["*Cart/onPaid", "closure"]),
            (["closure", "Cart.onPaid"], "Cart", ["*Cart/onPaid", "closure"]),
            (["A", "B.items[3].next", "A.owner"], "B", ["*B/items[3].next", "A/owner"]),
            (["X", "X.onPaid", "closure"], "X", ["*X/onPaid", "closure"]),
            (["closure", "X", "X.onPaid"], "X", ["*X/onPaid", "closure"]),
            (["Node.next"], "Node", ["*Node/next"]),
            (["com.acme.Shop.Cart"], nil, ["com.acme.Shop.Cart"]),
            (["Box<Shop.Cart.some>", "NSArray"], "Cart", ["Box<Shop.Cart.some>", "NSArray"]),
            (["Outer.Inner", "trailing."], "Inner", ["*Outer.Inner", "trailing."]),
            (["Shop.cart", "closure"], "cart", ["*Shop.cart", "closure"]),
            ([], "Cart", []),
        ] as [([String], String?, [String])])
    func `a cycle's diagram begins with the leaked object if that is in the cycle, and names properties`(
        references: [String], name: String?, links: [String]
    ) {
        let drawn = CycleShape(references, of: name).nodes.map { link in
            "\(link.isReportedObject ? "*" : "")\(link.object)\(link.property.map { "/" + $0 } ?? "")"
        }
        #expect(drawn == links)
    }
}

@Suite struct CycleReportTests {
    /// Reports a leak with a cycle. Returns the cycle from the JSON of the leak, and the page of the leak.
    private func leak(_ cycle: String) throws -> (cycle: [String], page: String) {
        let running = try RunningCollector()
        let answer = try running.post(
            #"{"app":{"id":"a","module":"Shop","version":"1"},"reports":[{"class":"Shop.CartModel","cycle":\#(cycle)}]}"#
        )
        #expect(answer.status == 200)
        let leaks = try #require(try running.json("/api/v1/leaks?app=a")["leaks"] as? [[String: Any]])
        let leak = try #require(leaks.first)
        let id = try #require(leak["id"] as? String)
        return (leak["cycle"] as? [String] ?? [], try running.get("/leaks/\(id)").text)
    }

    @Test(arguments: [
        ("closure #1 in Shop.CartModel.bind()", "closure #1 in CartModel.bind()"),
        ("closure #1 in CartModel.bind()", "closure #1 in CartModel.bind()"),
        (
            "closure #2 in closure #1 in CartModel.load(from:)",
            "closure #2 in closure #1 in CartModel.load(from:)"
        ),
        ("closure #1 in Shop.CartModel.Row.bind()", "closure #1 in CartModel.Row.bind()"),
        ("closure", "closure"),
    ])
    func `a closure in a cycle is shown with the function that contains it`(raw: String, shown: String)
        throws
    {
        let leak = try leak(#"["CartModel.onChange","\#(raw)"]"#)
        #expect(leak.cycle.contains(shown), "\(leak.cycle)")
        #expect(leak.page.contains("<code>\(shown)</code>"))
    }

    @Test(arguments: [
        "closure #1 in text = 'jane.doe@example.com'", "closure #1 in 'jane doe'",
    ])
    func `a text in a cycle that only begins like a closure's name is shown without the quoted part`(
        raw: String
    ) throws {
        let leak = try leak(#"["CartModel.onChange","\#(raw)"]"#)
        #expect(!leak.cycle.contains { $0.contains("jane") || $0.contains("#") }, "\(leak.cycle)")
    }

    @Test(arguments: ["closure #x", "closure of mine"])
    func `a text in a cycle that is neither a closure's name nor a description is shown unchanged`(
        raw: String
    ) throws {
        let leak = try leak(#"["CartModel.onChange","\#(raw)"]"#)
        #expect(leak.cycle.contains(raw), "\(leak.cycle)")
    }

    @Test(arguments: [
        ["Binding.owner", "CartModel.onChange", "closure"],
        ["CartModel.onChange", "closure", "Binding.owner", "CartModel"],
        ["closure", "Binding.owner", "CartModel", "CartModel.onChange"],
    ])
    func `the path of a leak without a stack starts at the leaked class and leads back to it`(cycle: [String])
        throws
    {
        let leak = Shop.leak(1, "CartModel", stack: [], cycle: cycle)
        let path = LeakPath(of: leak).elements
        #expect(path.first?.hasPrefix("CartModel.") == true && path.last == "CartModel", "\(path)")
        #expect(path.filter { $0.hasPrefix("CartModel") }.count == 2, "\(path)")
        #expect(Set(path) == ["CartModel.onChange", "closure", "Binding.owner", "CartModel"])
    }

    @Test func `the path of a cycle without the leaked class has the order of the report`() throws {
        let leak = Shop.leak(1, "CartModel", stack: [], cycle: ["Binding.owner", "closure"])
        #expect(LeakPath(of: leak).elements == ["Binding.owner", "closure"])
    }
}

@Suite struct ReleaseChartTests {
    @Test func `the release chart draws exact rates, not the rounded rates of the table`() {
        // Rates of 0.12, 0.0499 and 0.0001 per 1,000 checks, which the table rounds to 0.1, 0.0 and 0.0.
        let releases = [1200, 499, 1].map { reports in
            Shop.release(
                "5.\(reports)", [], reports: reports, leaks: 1, new: 0, sessions: 0, leaky: 0,
                checks: 10_000_000, days: 1)
        }
        let html = String(decoding: ReleaseChart(releases: releases).html.bytes, as: UTF8.self)
        for height in [1000, 416, 10] { #expect(html.contains(#"height="\#(height)"/>"#), "\(html)") }
    }
}

@Suite struct VersionChartTests {
    @Test func `the parts of a bar in the version chart touch each other, and fill the tallest bar`() throws {
        let trend = Trend(
            step: .day, from: 20_764,
            versions: [
                Trend.Series(version: "2", counts: [0, 1, 333]),
                Trend.Series(version: "1", counts: [0, 2, 667]),
            ])
        let html = String(decoding: VersionChart(trend).html.bytes, as: UTF8.self)
        #expect(html.contains(#"<rect class="v0" x="42" y="67" width="16" height="33"/>"#))
        #expect(html.contains(#"<rect class="v1" x="42" y="0" width="16" height="67"/>"#))
        #expect(html.contains(#"<rect class="v0" x="22" y="99" width="16" height="1"/>"#))
        #expect(html.contains("9\u{A0}Nov: 1,000\u{A0}reports (2: 333, 1: 667)"))
    }

    @Test func `old versions share a colour in the version chart, and all their reports are counted`()
        throws
    {
        let versions = (0..<7).map { Trend.Series(version: "\(9 - $0).0", counts: [1, $0]) }
        let html = String(
            decoding: VersionChart(Trend(step: .day, from: 0, versions: versions)).html.bytes, as: UTF8.self)
        #expect(html.contains("6.0: 3, older: 15)"))
        #expect(html.contains("6.0: 1, older: 3)"))
        #expect(!html.contains("v5"))
    }

    @Test func `the label of an hour in a chart has the day and the hour`() throws {
        let trend = Trend(
            step: .hour, from: 20_777 * 24, versions: [Trend.Series(version: "1", counts: [1, 0, 2])])
        let html = String(decoding: VersionChart(trend).html.bytes, as: UTF8.self)
        #expect(html.contains("20\u{A0}Nov 02:00: 2\u{A0}reports"))
    }

    @Test(arguments: [[], [[]], [[0, 0]]] as [[[Int]]])
    func `a chart without reports says that there are none in its period`(counts: [[Int]]) throws {
        let trend = Trend(
            step: .day, from: 0, versions: counts.map { Trend.Series(version: "1", counts: $0) })
        #expect(VersionChart(trend).html == #"<p class="dim">No reports in this period.</p>"#)
    }
}

@Suite struct SparkLineTests {
    @Test(
        arguments: [
            ([0, 1, 1000], 1000, "M3 0v1M10 0v2M17 0v20"), ([], 0, ""), ([0], 0, "M3 0v1"),
            ([3, 3], 3, "M3 0v20M10 0v20"), ([3, 3], 6, "M3 0v10M10 0v10"),
        ] as [([Int], Int, String)])
    func `a bar of one report differs from a bar of no reports, and bars have the scale of the page`(
        counts: [Int], tallest: Int, path: String
    ) {
        let html = String(decoding: SparkLine(counts, tallest: tallest).html.bytes, as: UTF8.self)
        #expect(html.contains(#"<path d="\#(path)"/>"#))
    }
}

@Suite struct ShareTests {
    @Test func `a rate is shown only if it is based on at least fifty checks`() {
        #expect(ReportsAndChecks(reports: 1, checks: 49).percentage == nil)
        #expect(ReportsAndChecks(reports: 1, checks: 50).percentage?.description == "2.0\u{A0}%")
    }
}

@Suite struct LongTextTests {
    @Test func `a short text is shown unchanged, and a long text is complete in a box that can be scrolled`()
        throws
    {
        let short = String(repeating: "x", count: LongText.maxShortBytes)
        #expect(LongText(short).html == IsolatedText(short).html)
        let long = short + "<é"
        let markup = try Markup(LongText(long).html.bytes)
        #expect(markup.shape.first == "span" && markup.shape.contains("span.tabindex"))
        #expect(markup.texts.contains(long))
        let path = LeakPath([short, long])
        #expect(try Markup(path.html.bytes).shape.allSatisfy { !$0.hasSuffix("tabindex") })
        #expect(try Markup(path.fullPath.html.bytes).texts.joined().contains(short + " › " + long))
    }
}
