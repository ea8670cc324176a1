import Foundation
import LeakDetectorTesting
import Testing
import XCTest

private final class CartModel {
    func load() async throws { await Task.yield() }
}

@Test func `a cart is freed with its screen`() async throws {
    try await expectNoLeaks { leaks in
        let model = leaks.track(CartModel())  // freed within 1 s after the block; `within:` changes that
        try await model.load()
    }
}

final class CartTests: XCTestCase {
    func testACartIsFreedWithItsScreen() async throws {
        let model = expectDeallocation(of: CartModel())  // must be freed within 1 s after the test method
        try await model.load()
    }
}

/// The code above is the example of docs/UNIT-TESTS.md and of the landing page of the library. It is compiled and run here.
@Suite struct ReadmeTests {
    @Test(arguments: [
        "docs/UNIT-TESTS.md", "Sources/LeakDetectorTesting/LeakDetectorTesting.docc/LeakDetectorTesting.md",
    ])
    func `the guide and the landing page show the example that is compiled in the tests`(page: String) throws
    {
        let here = URL(fileURLWithPath: #filePath)
        let top = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: top.appendingPathComponent(page), encoding: .utf8)
        let blocks = text.components(separatedBy: "```swift\n").dropFirst()
        #expect(blocks.count == 1)
        let shown = blocks.first?.components(separatedBy: "```\n").first ?? ""
        #expect(shown.split(separator: "\n").count >= 10)
        #expect(try String(contentsOf: here, encoding: .utf8).contains(shown))
    }
}
