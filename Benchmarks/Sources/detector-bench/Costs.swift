import Foundation

/// What waiting for objects costs, contenders in turns.
enum Costs {
    /// Per object.
    private struct Cost {
        /// Nanoseconds by the clock, and nanoseconds of the registering thread's processor time.
        var registering, registeringProcessor: Double
        /// Bytes of heap while the object is waited for, the object itself left out.
        var heap: Double
        /// Nanoseconds of processor time of all threads, from registration until it was looked at.
        var life: Double
    }

    private struct Measure {
        let name: String
        let value: KeyPath<Cost, Double>
        /// How many times less than the baseline.
        var target: Double?
    }

    private static var measures: [Measure] {
        [
            Measure(name: "register, ns", value: \.registering, target: 7),
            Measure(name: "register, ns of its thread", value: \.registeringProcessor),
            Measure(name: "heap, bytes", value: \.heap, target: 7),
            Measure(name: "whole life, ns of all threads", value: \.life),
        ]
    }

    static func measure(rounds: Int) {
        print(
            """
            per object, \(rounds) rounds in turns after one that does not count, grace period 1 s; medians, ratios with the
            least and the greatest of a round in brackets. Heap leaves the objects themselves out. Processor time leaves
            out the last release of the objects, which is the app's.

            | objects | | \(Detector.name) | \(AsyncAfter.name) | × less | target | \(WeakReferences.name) |
            |--:|---|--:|--:|--:|---|--:|
            """)
        for count in [1_000, 100_000] {
            var (ours, baseline, floor): ([Cost], [Cost], [Cost]) = ([], [], [])
            for round in 0...rounds {
                Progress.show("\(count) objects, round \(round) of \(rounds)")
                // Who begins takes turns too.
                var (first, second): (Cost, Cost)
                if round.isMultiple(of: 2) {
                    first = cost(of: Detector.self, objects: count)
                    second = cost(of: AsyncAfter.self, objects: count)
                } else {
                    second = cost(of: AsyncAfter.self, objects: count)
                    first = cost(of: Detector.self, objects: count)
                }
                let third = cost(of: WeakReferences.self, objects: count)
                guard round > 0 else { continue }
                ours.append(first)
                baseline.append(second)
                floor.append(third)
            }
            Progress.clear()
            for measure in measures { row(count, measure, ours, baseline, floor) }
        }
    }

    private static func cost<Way: Contender>(of _: Way.Type, objects count: Int) -> Cost {
        var objects = (0..<count).map { _ in Model() }
        let heap = Usage.heap
        var contender = Way(outstanding: count)
        let (life, own, start) = (Usage.processorTime, Usage.ownProcessorTime, Usage.time)
        for object in objects { contender.expect(object) }
        let (registered, ownRegistered) = (Usage.time - start, Usage.ownProcessorTime - own)
        let besides = Usage.ownProcessorTime
        let taken = Usage.heap - heap
        objects = []
        let leftOut = Usage.ownProcessorTime - besides
        contender.finish()
        let lived = Usage.processorTime - life - leftOut
        func each(_ sum: Int) -> Double { Double(sum) / Double(count) }
        return Cost(
            registering: each(registered), registeringProcessor: each(ownRegistered), heap: each(taken),
            life: each(lived))
    }

    private static func row(
        _ count: Int, _ measure: Measure, _ ours: [Cost], _ baseline: [Cost], _ floor: [Cost]
    ) {
        func values(_ costs: [Cost]) -> [Double] { costs.map { $0[keyPath: measure.value] } }
        let ratios = zip(values(ours), values(baseline)).map { $1 / $0 }.sorted()
        let ratio = median(ratios)
        let verdict = measure.target.map {
            String(format: ratio >= $0 ? "≥ %.0f: reached" : "≥ %.0f: missed", $0)
        }
        func text(_ costs: [Cost]) -> String { String(format: "%.0f", median(values(costs))) }
        let range = String(format: "%.1f [%.1f, %.1f]", ratio, ratios[0], ratios[ratios.count - 1])
        print(
            "| \(count) | \(measure.name) | \(text(ours)) | \(text(baseline)) | \(range) | \(verdict ?? "") | \(text(floor)) |"
        )
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
