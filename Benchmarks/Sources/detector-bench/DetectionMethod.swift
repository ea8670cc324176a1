import Foundation
import LeakDetector

/// A method of detecting that objects stay in memory.
protocol DetectionMethod {
    static var name: String { get }

    /// - Parameter outstanding: the number of objects that wait at the same time.
    init(outstanding: Int)

    mutating func expect(_ object: Model)

    /// Waits until the grace period of every object is over and every object was checked. The caller has released all objects
    /// before.
    mutating func finish()
}

/// Counts the objects that were alive when they were checked, with all methods together.
final class SurvivorCount: @unchecked Sendable {
    // `Sendable` is unchecked: mutable state is accessed only while `lock` is locked.
    private let lock = NSLock()
    private var objects = 0

    var count: Int { lock.withLock { objects } }

    func add() { lock.withLock { objects += 1 } }
}

let survivors = SurvivorCount()

/// The grace period of all methods: the detector's default, and the usual delay of the baseline.
let graceMilliseconds = 1_000

struct Detector: DetectionMethod {
    static let name = "LeakDetector"

    private let detector: LeakDetector

    init(outstanding: Int) {
        var limits = LeakDetector.Limits()
        limits.graceMilliseconds = graceMilliseconds
        limits.outstanding = max(outstanding, limits.outstanding)
        detector = LeakDetector(limits: limits) { _ in survivors.add() }
    }

    func expect(_ object: Model) { detector.expectDeallocation(of: object) }

    func finish() {
        Pause.milliseconds(graceMilliseconds + 300)
        while detector.counts.outstanding > 0 { Pause.milliseconds(50) }
    }
}

/// The baseline: a timed block for each object, as in an app without a library. Apps commonly use the main queue, which this
/// program does not run.
struct AsyncAfter: DetectionMethod {
    static let name = "asyncAfter"

    // Accessed only on `queue`. Static, so that each block captures only the weak reference.
    nonisolated(unsafe) private static var checkedCount = 0

    private let queue = DispatchQueue(label: "AsyncAfter")
    private var expected = 0

    init(outstanding: Int) { queue.sync { Self.checkedCount = 0 } }

    mutating func expect(_ object: Model) {
        expected += 1
        queue.asyncAfter(deadline: .now() + .milliseconds(graceMilliseconds)) { [weak object] in
            if object != nil { survivors.add() }
            Self.checkedCount += 1
        }
    }

    func finish() {
        Pause.milliseconds(graceMilliseconds + 300)
        while queue.sync(execute: { Self.checkedCount < expected }) { Pause.milliseconds(50) }
    }
}

/// The lower bound: only a weak reference, which every method needs, without times and reasons.
struct WeakReferences: DetectionMethod {
    static let name = "weak references alone"

    private struct Reference { weak var object: Model? }

    private var references: [Reference] = []

    init(outstanding: Int) {}

    mutating func expect(_ object: Model) { references.append(Reference(object: object)) }

    mutating func finish() {
        for reference in references where reference.object != nil { survivors.add() }
        references = []
    }
}
