public import LeakMessage
import Dispatch
import Foundation
public import RetainPaths

/// The answer of a finder for a scenario, compared with the expected answer.
public struct ScenarioResult: Sendable {
    public enum Grade: String, Sendable {
        case found
        /// The expected path, marked as suspected.
        case foundSuspected = "found?"
        case missed
        /// A path other than the expected path.
        case different
        case falsePositive = "FALSE+"
        /// No path, as expected.
        case nothing = "-"
    }

    /// Locked while a scenario runs, because scenarios share global variables.
    private static let scenarioLock = NSLock()

    public let grade: Grade
    public let explanation: RetainExplanation

    /// Returns a path in which closures and blocks in a row appear once, and without question marks: both depend on optimization.
    public static func normalized(_ path: String) -> String {
        var steps: [String] = []
        for step in path.replacingOccurrences(of: "?", with: "").components(separatedBy: " → ") {
            let step = step == "block" ? "closure" : step
            if step != "closure" || steps.last != step { steps.append(step) }
        }
        return steps.joined(separator: " → ")
    }

    /// Returns the types of a path, without the properties, whose names some builds do not have.
    private static func types(_ path: String) -> [Substring] {
        normalized(path).components(separatedBy: " → ").map { $0.prefix { !".[(".contains($0) } }
    }

    /// Makes the graph of a scenario and explains its object.
    ///
    /// Tasks need time until they are suspended: the explanation is repeated until it is as expected, for at most `timeout`.
    public init(_ scenario: RetainScenario, _ finder: RetainPathFinder, timeout: Duration = .seconds(5)) {
        Self.scenarioLock.lock()
        defer { Self.scenarioLock.unlock() }
        let object = unsafe Self.make(scenario)
        defer { unsafe object.release() }
        let clock = ContinuousClock()
        let deadline = clock.now + timeout
        while true {
            let explanation = unsafe finder.explain(UnsafeRawPointer(object.toOpaque()), callerReferences: 1)
            let grade = Self.grade(scenario, explanation)
            let isProven =
                scenario.isSuspected || scenario.isHeldElsewhere || explanation.confidence == .proven
            let isExpected = grade == .found && isProven || grade == .foundSuspected || grade == .nothing
            if isExpected || clock.now >= deadline {
                (self.grade, self.explanation) = (grade, explanation)
                return
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    /// Returns the result of a search for the holder of the object, repeated until it is as expected, for at most `timeout`.
    ///
    /// Every hundred searches a new object is made: a word that a function of another thread left in memory can equal the address
    /// of one object, and would then be found in each search.
    ///
    /// - Parameter isExpected: `nil` expects the part of the path that the scenario names.
    public static func holder(
        of scenario: RetainScenario, _ finder: RetainPathFinder, _ search: HolderSearch,
        timeout: Duration = .seconds(60), until isExpected: ((RetainExplanation) -> Bool)? = nil
    ) -> RetainExplanation {
        scenarioLock.lock()
        defer { scenarioLock.unlock() }
        var finder = finder
        (finder.budget, finder.search) = (.thorough, search)
        var object = unsafe make(scenario)
        defer { unsafe object.release() }
        // Earlier objects are released at the end, so that each has an address of its own. Their inverted addresses are kept,
        // which no search takes for references.
        var earlierObjects: [UInt] = []
        defer {
            for inverted in earlierObjects {
                if let address = unsafe UnsafeRawPointer(bitPattern: ~inverted) {
                    unsafe Unmanaged<AnyObject>.fromOpaque(address).release()
                }
            }
        }
        let expected = scenario.expectedHolder.map(normalized) ?? ""
        let isExpected = isExpected ?? { normalized($0.path?.description ?? "").contains(expected) }
        let deadline = ContinuousClock.now + timeout
        var searchCount = 0
        while true {
            let explanation = unsafe finder.explain(UnsafeRawPointer(object.toOpaque()), callerReferences: 1)
            if isExpected(explanation) || ContinuousClock.now >= deadline { return explanation }
            Thread.sleep(forTimeInterval: 0.01)
            searchCount += 1
            guard searchCount.isMultiple(of: 100) else { continue }
            unsafe earlierObjects.append(~UInt(bitPattern: object.toOpaque()))
            unsafe object = make(scenario)
        }
    }

    /// Makes the graph in a separate function, so that no reference stays in a register of the caller.
    @inline(never)
    static func make(_ scenario: RetainScenario) -> Unmanaged<AnyObject> {
        unsafe Unmanaged.passRetained(scenario.make())
    }

    private static func grade(_ scenario: RetainScenario, _ explanation: RetainExplanation) -> Grade {
        guard explanation.isCycle, let path = explanation.path else {
            return scenario.expectedPath == nil ? .nothing : .missed
        }
        guard let expected = scenario.expectedPath.map(normalized) else { return .falsePositive }
        // A suspended task holds its captures in its closure, and without optimization in its frames.
        let inFrames = expected.replacingOccurrences(of: "Task → closure", with: "Task → async frames")
        let accepted = scenario.isSuspected ? [expected, inFrames] : [expected]
        let hasNames = !path.description.contains(".?")
        let isAccepted =
            hasNames
            ? accepted.contains(normalized(path.description))
            : accepted.map(types).contains(types(path.description))
        guard isAccepted else { return .different }
        return path.isSuspected ? .foundSuspected : .found
    }
}
