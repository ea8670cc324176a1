import Foundation
import Testing

extension BrowserTests {
    /// Exported pages, opened from the disk without a server.
    @Suite struct ExportTests {
        private static func folder() -> URL {
            URL(fileURLWithPath: NSTemporaryDirectory() + "export-\(UUID().uuidString)")
        }

        @Test(arguments: [Look.desktop, .withoutScripts])
        func `exported pages lead from the summary to a leak and back`(look: Look) async throws {
            let folder = Self.folder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let site = try await Shop.shared()
            try await site.export(to: folder.path)
            try await Browser.tab(look) { tab in
                try await tab.open(folder.appendingPathComponent("index.html").absoluteString)
                // The page has loaded its style sheet.
                #expect(try await tab.evaluate("getComputedStyle(document.body).marginTop") == "0px")
                #expect(try await tab.count("form, [rel=next]") == 0)
                try await tab.waitForNewPage { try await tab.click(words: "CheckoutViewController") }
                try await tab.expect("h1", reads: ["CheckoutViewController"])
                try await tab.waitForNewPage { try await tab.click("footer a[href$='.reports.html']") }
                #expect(try await tab.path.hasSuffix(".reports.html"))
                #expect(try await tab.text(of: "main")?.contains("tapped “Pay”") == true)
                try await tab.waitForNewPage { try await tab.click(words: "Releases") }
                try await tab.expect(".crumb, nav.filters [aria-current]", reads: [Shop.app])
                try await tab.waitForNewPage { try await tab.click(words: "Leaks") }
                try await tab.waitForNewPage { try await tab.click(words: Shop.driverApp) }
                try await tab.expect(
                    "table.leaks tbody th > a", reads: ["Driver.MapViewController"])
            }
        }

        @Test func `exported pages have no broken links`() async throws {
            let folder = Self.folder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let site = try await Shop.shared()
            try await site.export(to: folder.path)
            try await Browser.tab { tab in
                var waiting = ["index.html"]
                var seen: Set<String> = ["index.html"]
                let root = folder.resolvingSymlinksInPath().absoluteString
                while let name = waiting.popLast() {
                    try await tab.open(root + "/" + name)
                    let links = try await tab.evaluate("[...document.links].map(it => it.href.split('#')[0])")
                    for link in links.elements.compactMap(\.text) where link.hasPrefix("file:") {
                        let path = try #require(URL(string: link)?.path)
                        #expect(FileManager.default.fileExists(atPath: path), "\(link) in \(name)")
                        let found = String(path.dropFirst(folder.resolvingSymlinksInPath().path.count + 1))
                        // Pages of one kind are built the same way, so the test opens the top pages and every fifth of
                        // the others.
                        if found.hasSuffix(".html"), seen.insert(found).inserted,
                            !found.contains("/") || seen.count.isMultiple(of: 5)
                        {
                            waiting.append(found)
                        }
                    }
                }
                #expect(seen.count > 50)
            }
        }

        @Test func `exported pages with hostile names run no script and fit a phone`() async throws {
            let folder = Self.folder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let site = try await Hostile.site()
            try await site.export(to: folder.path)
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                .filter { $0.hasSuffix(".html") }
            // Two pages for each leak, one for its class, three for its app, three for all.
            #expect(names.count == 6 * Hostile.allCases.count + 3)
            try await Browser.tab(.phone) { tab in
                for name in names {
                    try await tab.open(folder.appendingPathComponent(name).absoluteString)
                    try await tab.unfold()
                    try await tab.expectNoInjectedMarkup()
                    try await tab.expectFits()
                }
            }
        }
    }
}
