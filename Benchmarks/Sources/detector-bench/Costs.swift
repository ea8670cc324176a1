import Foundation

/// Measures the cost of each detection method per object. The methods run in turns.
enum Costs {
    private struct Measure {
        let name: String
        let value: KeyPath<Cost, Double>
        /// The minimum ratio of the baseline to LeakDetector.
        var target: Double?
    }

    private static var registering: Measure {
        Measure(name: "register, ns", value: \.registering, target: 7)
    }
    private static var processorTime: Measure {
        Measure(name: "whole life, ns of all threads", value: \.processorTime)
    }
    private static var atOnce: [Measure] {
        [
            registering, Measure(name: "register, ns of its thread", value: \.registeringProcessor),
            Measure(name: "heap, bytes", value: \.heapBytes, target: 7), processorTime,
        ]
    }

    static func measure(rounds: Int) {
        print(
            """
            cost per object, medians of \(rounds) rounds in turns after a first round that does not count; grace period 1 s. The
            brackets have the least and the greatest ratio of a round. Heap does not include the objects themselves. Processor
            time does not include their last release, which the app does. No method costs less than weak references alone.

            | objects | | \(Detector.name) | \(AsyncAfter.name) | × less | target | \(WeakReferences.name), × less |
            |--:|---|--:|--:|--:|---|--:|
            """)
        for load in [Load.atOnce(1_000), .atOnce(100_000), .oneByOne(1_000)] {
            let costs = costs(under: load, rounds: rounds)
            let measures = if case .oneByOne = load { [registering, processorTime] } else { atOnce }
            for measure in measures { printRow(load, measure, costs: costs) }
        }
        guard survivors.count > 0 else { return }
        print(
            "\n\(survivors.count) objects outlived a grace period: this machine is too busy for these figures"
        )
    }

    private static func costs(under load: Load, rounds: Int) -> [(ours: Cost, baseline: Cost, floor: Cost)] {
        defer { Progress.clear() }
        let all = (0...rounds).map { round in
            Progress.show("\(load) objects, round \(round) of \(rounds)")
            // LeakDetector and the baseline also take turns in running first.
            let early = round.isMultiple(of: 2) ? load.cost(of: Detector.self) : nil
            let baseline = load.cost(of: AsyncAfter.self)
            let ours = early ?? load.cost(of: Detector.self)
            return (ours: ours, baseline: baseline, floor: load.cost(of: WeakReferences.self))
        }
        return Array(all.dropFirst())
    }

    private static func printRow(
        _ load: Load, _ measure: Measure, costs: [(ours: Cost, baseline: Cost, floor: Cost)]
    ) {
        let ratios = costs.map { $0.baseline[keyPath: measure.value] / $0.ours[keyPath: measure.value] }
        let ratio = median(ratios)
        let ours = median(costs.map { $0.ours[keyPath: measure.value] })
        let baseline = median(costs.map { $0.baseline[keyPath: measure.value] })
        let floor = median(costs.map { $0.floor[keyPath: measure.value] })
        let verdict = measure.target.map {
            String(format: ratio >= $0 ? "≥ %.0f: reached" : "≥ %.0f: missed", $0)
        }
        print(
            "| \(load) | \(measure.name) |"
                + String(
                    format: " %.0f | %.0f | %.1f [%.1f, %.1f]", ours, baseline, ratio, ratios.min() ?? 0,
                    ratios.max() ?? 0)
                + " | \(verdict ?? "") |" + String(format: " %.0f, %.1f |", floor, baseline / floor))
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
