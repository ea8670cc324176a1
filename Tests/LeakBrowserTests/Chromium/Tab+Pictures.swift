import Foundation

extension Tab {
    /// Returns a PNG of the page.
    ///
    /// - Parameters:
    ///   - maxHeight: maximum height of the picture in pixels. The rest of the page is left out.
    ///   - isQuick: `true` makes a larger file in a fraction of the time.
    func picture(maxHeight: Int = 6000, isQuick: Bool = true) async throws -> Data {
        let size = try await call("Page.getLayoutMetrics")["cssContentSize"]
        guard let width = size["width"].int, let height = size["height"].int else {
            throw Failure(description: "the page has no size")
        }
        let clip: JSON = [
            "x": 0, "y": 0, "width": JSON(width), "height": JSON(min(height, maxHeight)), "scale": 1,
        ]
        return try Self.decoded(
            await call(
                "Page.captureScreenshot",
                [
                    "format": "png", "captureBeyondViewport": true, "clip": clip,
                    "optimizeForSpeed": .bool(isQuick),
                ])["data"])
    }

    /// Returns a PDF of the page on A4.
    func pdf() async throws -> Data {
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
