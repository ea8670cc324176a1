import RetainPath
import RetainScenarios

// Prints a table: scenario, expected, found. A part of a scenario's name as argument prints those alone.

guard let finder = RetainPathFinder() else {
    print("The self-test failed: the finder is off in this build.")
    exitProcess(1)
}
let filter = CommandLine.arguments.dropFirst().first { !$0.hasPrefix("-") }
var counts: [ScenarioResult.Grade: Int] = [:]
var unexpected = 0
for scenario in RetainScenario.all where filter.map(scenario.name.contains) ?? true {
    let result = ScenarioResult(scenario, finder, patience: .seconds(1))
    counts[result.grade, default: 0] += 1
    let path = result.explanation.path?.description ?? ""
    print(
        "| \(scenario.name) | \(scenario.expected ?? "nothing") | \(result.grade.rawValue) | \(path) | "
            + "\(result.explanation.confidence) | \(result.explanation.unexplainedReferences) |")
}
print(counts.map { "\($0.value) \($0.key.rawValue)" }.sorted().joined(separator: ", "))
