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
    /// Makes an object, lets go of it as an app would, and says that it should be gone. Only when `goesWrong` is the
    /// mistake made: most closes of a screen go well, also of one that leaks now and then.
    let play: @MainActor (_ detector: LeakDetector, _ goesWrong: Bool) -> Void

    enum Release: Hashable {
        case previous, newest
    }

    static let all: [Scenario] =
        [wellBehaved] + Closures.scenarios + Owners.scenarios + Registries.scenarios

    private static let wellBehaved = Scenario(title: "product pages, which go as they should", end: .gone) {
        detector, _ in
        detector.expectDeallocation(of: ProductPage(), path: ["TabBar", "Catalogue"], reason: "popped")
    }
}

/// Shows a product and keeps nothing.
private final class ProductPage {}
