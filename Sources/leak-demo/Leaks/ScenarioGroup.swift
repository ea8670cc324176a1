/// Scenarios with the same kind of mistake.
@MainActor
struct ScenarioGroup {
    let title: String
    let scenarios: [Scenario]

    static let all = [
        Closures.scenarioGroup, Owners.scenarioGroup, Tasks.scenarioGroup, Timers.scenarioGroup,
        Subscriptions.scenarioGroup,
        Registries.scenarioGroup, LateReleases.scenarioGroup, WellBehaved.scenarioGroup,
    ]
}
