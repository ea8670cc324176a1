import Foundation
import Testing

extension BrowserTests {
    /// How pages fit windows and paper.
    @Suite struct LayoutTests {
        @Test(arguments: SitePage.allCases)
        func `a page is no wider than a phone`(page: SitePage) async throws {
            let site = try await Shop.site()
            try await site.visit(.phone) { tab in
                try await tab.open(page, of: site)
                try await tab.unfold()
                let overflow = try await tab.overflow
                #expect(overflow == 0)
            }
        }

        /// Looked at by people: pictures of what the tests see.
        @Test(arguments: SitePage.allCases)
        func `a page has its picture, on a desk and a phone, at night and on paper`(page: SitePage)
            async throws
        {
            try FileManager.default.createDirectory(
                at: Checkout.screenshots, withIntermediateDirectories: true)
            let site = try await Shop.site()
            try await site.visit { tab in
                try await tab.open(page, of: site)
                for look in [Look.desk, .night, .phone, .paper] {
                    try await tab.show(look)
                    let picture = try await tab.picture()
                    #expect(picture.count > 4000)
                    try picture.write(
                        to: Checkout.screenshots.appendingPathComponent("\(page)-\(look.name).png"))
                }
            }
        }

        @Test func `a leak prints on paper`() async throws {
            let site = try await Shop.site()
            try await site.visit { tab in
                try await tab.open(.leak, of: site)
                let document = try await tab.printed()
                #expect(document.prefix(5) == Data("%PDF-".utf8))
            }
        }
    }
}
