import Foundation
import Testing

extension BrowserTests {
    /// How pages fit windows and paper.
    @Suite struct LayoutTests {
        /// Looked at by people: pictures of what the tests see.
        @Test(arguments: SitePage.allCases)
        func `a page fits a desk, a phone and paper, and has its picture`(page: SitePage)
            async throws
        {
            try FileManager.default.createDirectory(
                at: Checkout.screenshots, withIntermediateDirectories: true)
            let site = try await Shop.shared()
            try await site.visit { tab in
                try await tab.open(page, of: site)
                try await tab.unfold()
                for look in [Look.desk, .night, .phone, .paper] {
                    try await tab.show(look)
                    let wide = try await tab.widest
                    #expect(wide == [], "\(look)")
                    let picture = try await tab.picture()
                    #expect(picture.count > 4000)
                    try picture.write(
                        to: Checkout.screenshots.appendingPathComponent("\(page)-\(look.name).png"))
                }
            }
        }

        @Test func `a leak prints on paper`() async throws {
            let site = try await Shop.shared()
            try await site.visit { tab in
                try await tab.open(.leak, of: site)
                let document = try await tab.printed()
                #expect(document.prefix(5) == Data("%PDF-".utf8))
            }
        }
    }
}
