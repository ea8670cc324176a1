/// Scenarios of objects that are freed late: the network or a cache holds them until it releases them.
@MainActor
enum LateReleases {
    static var scenarioGroup: ScenarioGroup {
        ScenarioGroup(
            title: "objects that are only late: freed once the network is back, or memory is low",
            scenarios: [
                Scenario(
                    "an upload that holds its sheet until it is done", .freedLate,
                    keptBy: "global[*] → closure → UploadSheet", path: ["Account", "Photos"],
                    reason: "dismissed"
                ) { goesWrong in
                    let sheet = UploadSheet()
                    if goesWrong { Network.callWhenBack { sheet.finish() } }
                    return sheet
                },
                Scenario(
                    "a task that shows an answer on a screen that was closed", .freedLate,
                    keptBy: "Task → closure → InvoiceScreen", path: ["Account", "Invoice"], reason: "popped"
                ) { goesWrong in
                    let screen = InvoiceScreen()
                    if goesWrong { Task { screen.total = await Network.answer() } }
                    return screen
                },
                Scenario(
                    "a cache that empties when memory gets short", .freedLate, keptBy: "global[*] → MapTile",
                    path: ["Stores", "Map"], reason: "replaced"
                ) { goesWrong in
                    let tile = MapTile()
                    if goesWrong { TileCache.tiles.append(tile) }
                    return tile
                },
            ])
    }

    /// Releases all objects that the network and the cache hold.
    static func releaseAll() {
        Network.comeBack()
        TileCache.tiles = []
    }
}

@MainActor
private enum Network {
    private static var isBack = false
    private static var waiting: [() -> Void] = []

    static func callWhenBack(_ body: @escaping () -> Void) {
        if isBack { body() } else { waiting.append(body) }
    }

    static func answer() async -> Int {
        await withCheckedContinuation { continuation in callWhenBack { continuation.resume(returning: 499) } }
    }

    static func comeBack() {
        isBack = true
        for body in waiting { body() }
        waiting = []
    }
}

@MainActor
private enum TileCache {
    static var tiles: [MapTile] = []
}

private final class UploadSheet {
    func finish() {}
}

@MainActor
private final class InvoiceScreen {
    var total = 0
}

private final class MapTile {}
