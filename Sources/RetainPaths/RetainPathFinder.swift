// The public API has types of these two modules, which are not products of the package: an app gets them with this module.
@_exported public import LeakCauses
public import LeakDetector
@_exported public import LeakMessage
internal import LeakPlatform

/// A finder of the strong references that keep an object alive. It reads the memory of the Swift runtime.
///
/// A finder retains nothing and reads objects only through copies of pages. An object that is freed or changed meanwhile leads at
/// worst to a wrong answer and not to a crash; docs/RETAINPATHS.md lists the exceptions. Two walks have to agree on a path. A
/// finder can explain the leaks of a `LeakDetector`: `LeakDetector.start(.log, explainer: RetainPathFinder())`.
///
/// ```swift
/// if let finder = RetainPathFinder() {
///     let object = Unmanaged.passRetained(makeViewModel())   // no variable holds it as well
///     let explanation = finder.explain(object.toOpaque(), callerReferences: 1)
///     print(explanation.path?.description ?? "unknown")   // CartViewModel.onPaid → closure → CartViewModel
///     object.release()
/// }
/// ```
public struct RetainPathFinder: LeakExplainer, Sendable {
    /// The limits of each walk. An explanation takes two walks, which have to agree, or four if references stay unexplained. If
    /// its path leads through the frames of a task and ``search`` does not contain ``HolderSearch/globals``, it takes twice as
    /// many. Each search of the globals is one more walk.
    public var budget: Budget
    /// The memory to search for a holder if no cycle without suspected references was found. Globals are always searched if the
    /// path leads through the frames of a task. A detector drops explanations that take longer than two seconds.
    public var search: HolderSearch
    private let walker: Guarded<GraphWalker>

    /// Prepares a finder and runs its self-test: about 1 ms.
    ///
    /// - Returns: `nil` if the system is not supported, or if the explanation of a small graph with known references is not as
    ///   expected, which may happen with a future runtime. On Apple's systems this has not run yet.
    public init?(budget: Budget = .release, search: HolderSearch = []) {
        #if (arch(x86_64) || arch(arm64)) && (canImport(Darwin) || canImport(Glibc))
            guard Reflection.isAvailable else { return nil }
            walker = Guarded(GraphWalker())
            // The test does not use the caller's budget: a budget that is too small for the test's graph says nothing about the runtime.
            (self.budget, self.search) = (.release, [])
            guard SelfTest.passes(self) else { return nil }
            (self.budget, self.search) = (budget, search)
        #else
            return nil
        #endif
    }

    /// Returns the known mistake that formed the path, and the code to write instead; `nil` without a known mistake.
    public func advice(on explanation: RetainExplanation) -> String? { explanation.advice }

    /// Explains why an object is alive. Calls from several threads run one after another.
    ///
    /// - Parameters:
    ///   - address: the address of the object, which need not be retained: if it is deallocated meanwhile, the explanation may be
    ///     wrong.
    ///   - callerReferences: the number of strong references that the caller itself holds. A local variable holds one, or more in
    ///     optimized code: pass the object to `Unmanaged.passRetained` where no variable refers to it, and count only that
    ///     reference.
    public func explain(_ address: UnsafeRawPointer, callerReferences: Int) -> RetainExplanation {
        let address = UInt(bitPattern: address)
        return walker.with { walker in
            defer { walker.reset() }
            func explain(search: HolderSearch) -> RetainExplanation {
                let first = walker.explanation(
                    address, callerReferences: callerReferences, budget: budget, search: search)
                let second = walker.explanation(
                    address, callerReferences: callerReferences, budget: budget, search: search)
                return first.agreeing(with: second)
            }
            let explanation = explain(search: search)
            guard !search.contains(.globals), explanation.path?.leadsThroughFrames == true else {
                return explanation
            }
            // Frames keep addresses of objects that the task has released. A holder that a variable leads to is more certain,
            // unless it is the variable itself: that may be a reference that keeps nothing alive.
            let found = explain(search: .globals)
            return found.holder == nil || found.path?.edges == ["global"] ? explanation : found
        }
    }

    func withWalker<Result>(
        _ body: (inout sending GraphWalker) -> sending Result
    ) -> sending Result {
        walker.with(body)
    }
}

extension RetainPath {
    /// `true` if a reference was found by searching the frames of a suspended task.
    fileprivate var leadsThroughFrames: Bool {
        references.contains { $0.owner == PathRenderer.framesName && $0.isSuspected }
    }
}

extension RetainExplanation {
    /// Returns the results that both explanations have in common.
    func agreeing(with other: RetainExplanation) -> RetainExplanation {
        guard self != other else { return self }
        var agreed = other
        if agreed.confidence == .proven, confidence != .proven { agreed.confidence = .suspected }
        let paths = ([path] + furtherCycles).compactMap { $0 }
        let otherPaths = ([other.path] + other.furtherCycles).compactMap { $0 }
        let common = otherPaths.filter { candidate in paths.contains { $0.edges == candidate.edges } }
        let isSameShortest = path?.edges == other.path?.edges
        agreed.path = common.first
        agreed.furtherCycles = Array(common.dropFirst())
        if common.isEmpty {
            // References of a graph that changes cannot be counted.
            if unexplainedReferences != other.unexplainedReferences { agreed.unexplainedReferences = 0 }
            (agreed.confidence, agreed.closureSites, agreed.holder, agreed.global) = (.none, [], nil, nil)
        } else if !isSameShortest || unexplainedReferences != other.unexplainedReferences {
            agreed.confidence = .suspected
            if !isSameShortest { agreed.closureSites = [] }
        }
        return agreed
    }
}
