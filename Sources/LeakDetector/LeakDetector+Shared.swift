internal import LeakPlatform
public import Dispatch

extension LeakDetector {
    private static let sharedDetector = Guarded<LeakDetector?>(nil)

    /// The detector that ``start(_:limits:suppression:explainer:queue:)`` made; `nil` before that.
    ///
    /// ``LeakWatcher``, ``Deallocating`` and the SwiftUI modifier `expectDeallocation` use it. While there is no shared
    /// detector, they do almost no work.
    public static var shared: LeakDetector? { sharedDetector.with { $0 } }

    /// Makes the detector that the whole app shares. Later calls ignore their arguments and return the same detector, until it is
    /// stopped: then the next call makes another detector, which replaces it.
    ///
    /// The parameters are those of ``init(_:limits:suppression:explainer:queue:)``.
    @discardableResult
    public static func start(
        _ mode: Mode, limits: Limits = Limits(), suppression: Suppression = .standard,
        explainer: (any LeakExplainer)? = nil, queue: DispatchQueue? = nil
    ) -> LeakDetector {
        sharedDetector.with { shared in
            if let shared, !shared.isStopped { return shared }
            let detector = LeakDetector(
                mode, limits: limits, suppression: suppression, explainer: explainer, queue: queue,
                owned: shared?.owned ?? OwnedObjects())
            shared = detector
            return detector
        }
    }

    /// Expects an object to be deallocated soon, with the shared detector; does nothing before there is one.
    public static func expectDeallocation(
        of object: AnyObject, after seconds: Double? = nil, path: [String] = [], owner: AnyObject? = nil,
        reason: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        shared?.expectDeallocation(
            of: object, after: seconds, path: path, owner: owner, reason: reason, file: file, line: line)
    }
}
