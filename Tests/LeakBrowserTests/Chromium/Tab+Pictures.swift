import Foundation

extension Tab {
    /// Pixels down to which a picture shows a page.
    private static let tallest = 6000

    /// A PNG of the whole page.
    func picture() async throws -> Data {
        let size = try await call("Page.getLayoutMetrics")["cssContentSize"]
        guard let width = size["width"].int, let height = size["height"].int else {
            throw Failure(description: "the page has no size")
        }
        let clip: JSON = [
            "x": 0, "y": 0, "width": JSON(width), "height": JSON(min(height, Self.tallest)), "scale": 1,
        ]
        return try Self.decoded(
            await call(
                "Page.captureScreenshot",
                [
                    "format": "png", "captureBeyondViewport": true, "clip": clip,
                    // Larger files, made in a fraction of the time.
                    "optimizeForSpeed": true,
                ])["data"])
    }

    /// A PDF of the page on A4.
    func printed() async throws -> Data {
        try Self.decoded(
            await call(
                "Page.printToPDF",
                ["paperWidth": .number(8.27), "paperHeight": .number(11.69), "printBackground": false])[
                    "data"])
    }

    private static func decoded(_ base64: JSON) throws -> Data {
        guard let bytes = base64.text.flatMap({ Data(base64Encoded: $0) }) else {
            throw Failure(description: "no picture came")
        }
        return bytes
    }
}
