import RetainPaths
import RetainScenarios

// Prints tables about this build: scenarios (default), `--cost`, `--holders` or `--time`. An argument with a part of a
// scenario's name prints only the matching scenarios.

guard let finder = RetainPathFinder() else {
    print("The self-test failed: the finder is off in this build.")
    exitProcess(1)
}
let arguments = CommandLine.arguments.dropFirst()
if arguments.contains("--cost") {
    CostTable.print(finder)
} else if arguments.contains("--holders") {
    HolderTable.print(finder)
} else if arguments.contains("--time") {
    TimeTable.print()
} else {
    let isRight = ScenarioTable.print(finder, filter: arguments.first { !$0.hasPrefix("-") })
    exitProcess(isRight ? 0 : 1)
}
