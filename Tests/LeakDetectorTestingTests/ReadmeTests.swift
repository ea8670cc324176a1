import Foundation
import LeakDetectorTesting
import Testing
import XCTest

private final class CartModel {
    func load() async throws { await Task.yield() }
}

@Test func `a cart goes with its screen`() async throws {
    try await expectNoLeaks { leaks in
        let model = leaks.track(CartModel())  // gone within a second after the block, or `within:`
        try await model.load()
    }
}

final class CartTests: XCTestCase {
    func testACartGoesWithItsScreen() async throws {
        let model = expectDeallocation(of: CartModel())  // gone after the test method
        try await model.load()
    }
}

/// The code above is the example of docs/INTEGRATION.md under “In your tests”. It is compiled and run here.
@Suite struct ReadmeTests {
    @Test func `the guide shows the example that is compiled here`() throws {
        let here = URL(fileURLWithPath: #filePath)
        let top = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let guide = try String(contentsOf: top.appendingPathComponent("docs/INTEGRATION.md"), encoding: .utf8)
        let section = try #require(guide.components(separatedBy: "\n## In your tests\n").last)
        let shown =
            try #require(section.components(separatedBy: "\n## ").first)
            .components(separatedBy: "```swift\n").last?.components(separatedBy: "```\n").first ?? ""
        #expect(shown.split(separator: "\n").count >= 10)
        #expect(try String(contentsOf: here, encoding: .utf8).contains(shown))
    }
}
