import LeakMessage
import RetainPaths
import RetainScenarios

/// A table with one row for each scenario: its name, the expected path, the found path.
enum ScenarioTable {
    /// - Returns: `false` if a cycle was not found, if another cycle was found, or if a cycle was proven where there is none.
    static func print(_ finder: RetainPathFinder, filter: String?) -> Bool {
        var isRight = true
        Swift.print("| scenario | expected | grade | found | confidence | unexplained | bytes |")
        Swift.print("|---|---|---|---|---|---|---|")
        let groups = [
            ("cycles", RetainScenario.cycles), ("negatives", RetainScenario.negatives),
            ("real code", RetainScenario.realCode),
        ]
        var summary: [String] = []
        for (name, scenarios) in groups {
            var counts: [ScenarioResult.Grade: Int] = [:]
            for scenario in scenarios where filter.map(scenario.name.contains) ?? true {
                let result = ScenarioResult(scenario, finder, timeout: .seconds(1))
                counts[result.grade, default: 0] += 1
                let explanation = result.explanation
                switch result.grade {
                case .missed, .different: isRight = false
                case .falsePositive where explanation.confidence == .proven: isRight = false
                case .found, .foundSuspected, .falsePositive, .nothing: break
                }
                Swift.print(
                    "| \(scenario.name) | \(scenario.expectedPath ?? "nothing") | \(result.grade.rawValue) |",
                    "\(explanation.path?.description ?? "") | \(explanation.confidence.rawValue) |",
                    "\(explanation.unexplainedReferences) | \(explanation.cost?.bytes ?? 0) |")
            }
            let found = counts[.found, default: 0] + counts[.foundSuspected, default: 0]
            let cycles = scenarios.count(where: { $0.expectedPath != nil })
            let cycleText =
                "\(found) of \(cycles) found, \(counts[.foundSuspected, default: 0]) of them suspected, "
                + "\(counts[.different, default: 0]) different, "
            let falsePositives = counts[.falsePositive, default: 0]
            let wrong = "\(falsePositives) of \(scenarios.count - cycles) without a cycle reported wrongly"
            summary.append("\(name): \(cycles == 0 ? "" : cycleText)\(wrong)")
        }
        for line in summary { Swift.print(line) }
        return isRight
    }
}

/// Compares the estimated memory of 100 random graphs with the bytes that the allocator gets back.
enum CostTable {
    static func print(_ finder: RetainPathFinder) {
        #if canImport(Glibc)
            print(finder, "release", .release)
            print(finder, "thorough", .thorough)
        #else
            Swift.print("only measured with glibc")
        #endif
    }

    #if canImport(Glibc)
        private static func print(_ finder: RetainPathFinder, _ name: String, _ budget: Budget) {
            let measurements = (1...100).map { CostMeasurement(seed: $0, finder, budget) }
            for (index, measurement) in measurements.enumerated() where !measurement.isClose {
                Swift.print(
                    "seed \(index + 1): \(measurement.isAtLeast ? "at least " : "")\(measurement.estimatedBytes) bytes instead of "
                        + "\(measurement.freedBytes)")
            }
            let errors = measurements.map {
                abs(Double($0.estimatedBytes - $0.freedBytes)) / Double(max($0.freedBytes, 1))
            }
            .sorted()
            Swift.print(
                "budget \(name): \(measurements.count(where: \.isClose)) of 100 graphs within 10 %, "
                    + "\(measurements.count(where: \.isAtLeast)) cut short by the budget")
            Swift.print("median error \(errors[50] * 100) %, largest \(errors[99] * 100) %")
        }
    #endif
}

/// A table with the path from the holder to each object that is not part of a cycle.
enum HolderTable {
    static func print(_ finder: RetainPathFinder) {
        Swift.print("| scenario | expected | globals | heap | kind |")
        Swift.print("|---|---|---|---|---|")
        for scenario in RetainScenario.negatives where scenario.truth == .held {
            let globals = ScenarioResult.holder(of: scenario, finder, .globals, timeout: .zero)
            let heap = ScenarioResult.holder(of: scenario, finder, .heap, timeout: .seconds(1))
            Swift.print(
                "| \(scenario.name) | \(scenario.expectedHolder ?? "") | \(globals.path?.description ?? "") |",
                "\(heap.path?.description ?? "") | \(heap.holder?.kind.rawValue ?? "") |")
        }
    }
}
