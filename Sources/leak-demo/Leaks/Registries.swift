/// Scenarios of caches and registries that never remove their objects.
@MainActor
enum Registries {
    static var scenarioGroup: ScenarioGroup {
        ScenarioGroup(
            title: "caches and registries that never remove their objects",
            scenarios: [
                Scenario(
                    "a cache that never removes anything", keptBy: "global[*] → ProductPhoto",
                    path: ["Catalogue", "ProductPage"], reason: "popped"
                ) { goesWrong in
                    let photo = ProductPhoto()
                    if goesWrong { PhotoCache.photos.append(photo) }
                    return photo
                },
                Scenario(
                    "a singleton that remembers each screen",
                    keptBy: "global → ScreenRegistry.screens[*] → DetailScreen", path: ["TabBar", "Details"],
                    reason: "popped"
                ) { goesWrong in
                    let screen = DetailScreen()
                    if goesWrong { ScreenRegistry.shared.screens[ObjectIdentifier(screen)] = screen }
                    return screen
                },
                Scenario(
                    "a pointer for C that was retained and not released", path: ["Scanner"], reason: "closed"
                ) { goesWrong in
                    let session = ScannerSession()
                    unsafe session.context = Unmanaged.passRetained(session).toOpaque()
                    if !goesWrong {
                        unsafe session.context.map {
                            unsafe Unmanaged<ScannerSession>.fromOpaque($0).release()
                        }
                    }
                    return session
                },
            ])
    }
}

@MainActor
private enum PhotoCache {
    static var photos: [ProductPhoto] = []
}

private final class ProductPhoto {
    let pixels = [UInt8](repeating: 0, count: 4096)
}

@MainActor
private final class ScreenRegistry {
    static let shared = ScreenRegistry()
    var screens: [ObjectIdentifier: DetailScreen] = [:]
}

private final class DetailScreen {}

/// Safe: the pointer refers to the object itself, and is valid while the object is retained.
@safe
private final class ScannerSession {
    /// A pointer by which a C callback finds this object.
    var context: UnsafeMutableRawPointer?
}
