import LeakDetector

/// One way to leak, or not to.
@MainActor
struct Scenario {
    enum End: Hashable {
        case gone, leaked, freedLate
    }

    /// What the code does wrong, as one would say it to a colleague.
    let title: String
    let end: End
    /// Fixed before the newest version, or new in it; `nil`: in both.
    var onlyIn: Release?
    /// Makes the objects, lets go of them as an app would, and says what should be gone.
    let play: @MainActor (LeakDetector) -> Void

    enum Release: Hashable {
        case previous, newest
    }

    static let all: [Scenario] =
        [wellBehaved] + Closures.scenarios + Owners.scenarios + Registries.scenarios

    private static let wellBehaved = Scenario(title: "three product pages that go as they should", end: .gone)
    {
        detector in
        for _ in 0..<3 {
            let page = ProductPage()
            detector.expectDeallocation(of: page, path: ["TabBar", "Catalogue"], reason: "popped")
        }
    }
}

/// Shows a product and keeps nothing.
private final class ProductPage {}
