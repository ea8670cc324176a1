/// Mistakes of one kind.
@MainActor
struct Family {
    let title: String
    let scenarios: [Scenario]

    static let all = [
        Closures.family, Owners.family, Tasks.family, Timers.family, Subscriptions.family,
        Registries.family, LateEnds.family, WellBehaved.family,
    ]
}
