import Foundation
import Testing

extension BrowserTests {
    /// Makes the pictures of the documents. `make pictures` runs this suite.
    @Suite(.enabled(if: Checkout.writesPictures, "make pictures runs it")) struct PictureTests {
        @Test(arguments: [("summary", SitePage.summaryOfApp), ("leak", SitePage.leak)])
        func `a picture for the documents shows the top of a page`(name: String, page: SitePage)
            async throws
        {
            let look = Look(width: 1200, height: 900)
            try await Shop.shared().visit(look) { tab in
                try await tab.open(page, of: Shop.shared())
                let picture = try await tab.picture(maxHeight: 900, isQuick: false)
                #expect(picture.count > 4000)
                try picture.write(to: Checkout.documents.appendingPathComponent("\(name).png"))
            }
        }
    }
}
