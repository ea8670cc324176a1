/// An object graph that is typical for apps, and the expected answer of a finder.
public struct RetainScenario: Sendable {
    /// The fate of the object when the last reference from outside goes away.
    public enum Truth: String, Sendable {
        /// The object stays, because it holds itself through other objects.
        case cycle
        /// The object is freed.
        case freed
        /// The object stays, because something else holds it.
        case held
    }

    public let name: String
    public let truth: Truth
    /// The path of the shortest cycle; `nil` if no cycle should be found.
    public let expectedPath: String?
    /// `true` if the path may be suspected: it leads through memory of unknown layout.
    public let isSuspected: Bool
    /// `true` if something outside, such as unreadable memory of a library, retains another object of the cycle. The path is known,
    /// but it is not proven that nothing else retains the object.
    public var isHeldElsewhere = false
    /// The part of a holder's path that a search of globals and heap has to find; `nil` if nothing is expected.
    public let expectedHolder: String?
    /// Creates the object graph. Only the references of the scenario may retain the result.
    public let make: @Sendable () -> AnyObject

    static func cycle(
        _ name: String, _ expected: String?, isSuspected: Bool = false, isHeldElsewhere: Bool = false,
        _ make: @escaping @Sendable () -> AnyObject
    ) -> RetainScenario {
        RetainScenario(
            name: name, truth: .cycle, expectedPath: expected, isSuspected: isSuspected,
            isHeldElsewhere: isHeldElsewhere, expectedHolder: nil, make: make)
    }

    static func freed(_ name: String, _ make: @escaping @Sendable () -> AnyObject) -> RetainScenario {
        RetainScenario(
            name: name, truth: .freed, expectedPath: nil, isSuspected: false, expectedHolder: nil, make: make)
    }

    static func held(
        _ name: String, by holder: String? = nil, _ make: @escaping @Sendable () -> AnyObject
    ) -> RetainScenario {
        RetainScenario(
            name: name, truth: .held, expectedPath: nil, isSuspected: false, expectedHolder: holder,
            make: make)
    }

    /// Cycles that a finder should find, and three through memory that it cannot read.
    public static let cycles =
        closures + properties + containers + values + wrappers + generics + libraries + tasks + unreadable
    /// Objects without a cycle.
    public static let negatives = uncounted + emptied + heldObjects
    /// Cycles like those in real projects.
    public static let realCode = realObjects + realTasks
    public static let all = cycles + negatives + realCode
}

extension RetainScenario: CustomStringConvertible {
    public var description: String { name }
}

/// Uses a value, so that the optimizer cannot drop a capture of it.
@inline(never) func use<T>(_ value: T) {}

class Screen {
    var title = "screen"
    var count = 0
    func refresh() { count += 1 }
}

protocol ScreenDelegate: AnyObject { func refresh() }
protocol Refreshable { func refresh() }
extension Screen: ScreenDelegate, Refreshable {}

final class Service {
    var completion: (() -> Void)?
    var number = 1
}
