import Foundation
import Testing

@testable import LeakCollector

@Suite struct GoldenTests {
    /// `WRITE_GOLDEN_PAGES=1 swift test --skip-build --filter GoldenTests` rewrites the files: review them in a browser, then
    /// review the difference.
    @Test(arguments: SamplePage.allCases)
    func `each page equals its golden file`(page: SamplePage) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Vectors/\(page.rawValue).golden.html")
        if ProcessInfo.processInfo.environment["WRITE_GOLDEN_PAGES"] != nil {
            try Data(page.html.bytes).write(to: file)
        }
        let golden = try [UInt8](Data(contentsOf: file))
        let isEqual = golden == page.html.bytes
        #expect(
            isEqual,
            "Vectors/\(page.rawValue).golden.html differs; the comment above this test says how to update it"
        )
    }
}
