import Foundation
import LeakMessage

#if canImport(RetainPaths)
    import RetainPaths
#endif

/// The paths that keep the demo's leaked objects, both expected and found.
@MainActor
enum FoundPaths {
    /// The minimum number of paths that must be as expected. One leak has no path, because a raw pointer holds its object.
    nonisolated static let requiredCount = 26

    #if canImport(RetainPaths)
        /// The maximum time to wait for tasks to begin and to release objects. The wait ends early when every path is as
        /// expected.
        private static let timeoutSeconds = 120.0

        /// Safe: the finder reads the address as a number, whether an object is there or not.
        @safe private struct Leak {
            let scenario: Scenario
            let object: UnsafeRawPointer
            var foundPath: RetainPath?

            var isPathRight: Bool {
                guard let foundPath else { return false }
                return scenario.expectedPaths.contains { RetainPath.isSame(foundPath.description, as: $0) }
            }
        }

        /// Makes every mistake once and prints a table of the paths.
        ///
        /// - Returns: `true` if at least ``requiredCount`` paths are as expected.
        static func print() -> Bool {
            guard let finder = RetainPathFinder(search: [.globals, .heap]) else {
                Swift.print("leak-demo: the self-test of RetainPathFinder failed")
                return false
            }
            let scenarios = ScenarioGroup.all.flatMap(\.scenarios).filter { $0.end == .leaked }
            var leaks = scenarios.map { unsafe Leak(scenario: $0, object: $0.leakObject()) }
            let deadline = Date().addingTimeInterval(timeoutSeconds)
            while true {
                RunLoop.main.run(until: Date().addingTimeInterval(0.05))
                for index in leaks.indices where !leaks[index].isPathRight {
                    leaks[index].foundPath =
                        unsafe finder.explain(leaks[index].object, callerReferences: 0).path?.normalized
                }
                let isDone = leaks.allSatisfy { $0.isPathRight || $0.scenario.expectedPaths.isEmpty }
                if isDone || Date() >= deadline { break }
            }
            Swift.print("| leak | expected | found | right |\n|---|---|---|---|")
            for leak in leaks {
                Swift.print(
                    "| \(leak.scenario.title) | \(leak.scenario.expectedPaths.joined(separator: " or ")) |",
                    "\(leak.foundPath?.description ?? "") | \(leak.isPathRight ? "yes" : "no") |")
            }
            let right = leaks.count(where: \.isPathRight)
            Swift.print("\(right) of \(leaks.count) paths are right")
            return right >= requiredCount
        }
    #else
        static func print() -> Bool {
            Swift.print("leak-demo: paths are found on Linux only")
            return false
        }
    #endif
}
