import Foundation
import LeakDetector

/// Objects that a list or a cache was told to keep, and never told to forget.
@MainActor
enum Registries {
    static let scenarios = [
        Scenario(title: "an observer that nobody removes", end: .leaked) { detector, goesWrong in
            let ticker = PriceTicker()
            if goesWrong { Announcements.observers.append { ticker.price += 1 } }
            detector.expectDeallocation(
                of: ticker, path: ["TabBar", "Offers"], reason: "removed from parent")
        },
        Scenario(title: "a cache without an end", end: .leaked) { detector, goesWrong in
            let photo = ProductPhoto()
            if goesWrong { PhotoCache.photos.append(photo) }
            detector.expectDeallocation(of: photo, path: ["Catalogue", "ProductPage"], reason: "popped")
        },
        Scenario(title: "an upload that holds its screen until it is done", end: .freedLate) {
            detector, goesWrong in
            let sheet = UploadSheet()
            detector.expectDeallocation(of: sheet, path: ["Account", "Photos"], reason: "dismissed")
            guard goesWrong else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + 1.5) { sheet.finish() }
        },
    ]
}

@MainActor
private enum Announcements {
    static var observers: [() -> Void] = []
}

@MainActor
private enum PhotoCache {
    static var photos: [ProductPhoto] = []
}

private final class PriceTicker {
    var price = 0
}

private final class ProductPhoto {
    let pixels = [UInt8](repeating: 0, count: 4096)
}

private final class UploadSheet: Sendable {
    func finish() {}
}
