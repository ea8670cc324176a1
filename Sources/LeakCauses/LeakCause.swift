public import LeakMessage

/// The mistake that keeps an object in memory, recognized by the path that leads to it, and the code to write instead.
public struct LeakCause: Hashable, Sendable {
    /// A stable identifier for the wire, databases and JSON, such as `timer_target`. docs/CAUSES.md lists all
    /// identifiers.
    public let identifier: String
    /// A few words, such as `Timer that keeps its target`.
    public let name: String
    /// One or two sentences about the references that keep the object.
    public let explanation: String
    /// A few lines of Swift to write instead. They contain names from the path if it has suitable names, and general words
    /// otherwise.
    public let remedy: String
    /// `true` if the path proves the cause: every reference is proven, the rule matched types whose module is known, and the
    /// closure on the path, if there is one, has a name. `false` if the rule matched only an ambiguous name, if the path has
    /// several closures, or if the path was cut.
    public let isCertain: Bool

    /// Finds the most specific cause whose rules match the path; `nil` if none does.
    ///
    /// - Parameter closureNames: the demangled names of the path's closures, if a symbolizer gave them. References to methods,
    ///   lazy properties and nested closures have the same path, so only these names distinguish them.
    public init?(of path: RetainPath, closureNames: [String] = []) {
        let steps = PathStep.steps(of: path)
        let closureNames = closureNames.prefix(Self.closureNameLimit).map {
            Array($0.utf8.prefix(Self.maxClosureNameBytes))[...]
        }
        for pattern in LeakPattern.all {
            for rule in pattern.rules {
                guard let index = rule.match(steps, isCycle: path.isCycle, closureNames) else { continue }
                let names = PatternNames(steps, at: index, isCycle: path.isCycle)
                let isCertain =
                    !path.isSuspected && path.fullLength == nil
                    && rule.isProven(by: steps, at: index, closureNames)
                self.init(pattern, names, isCertain: isCertain)
                return
            }
        }
        return nil
    }

    /// Limit of closure names that are read, equal to the number of references that ``PathStep`` reads.
    private static let closureNameLimit = 64
    private static let maxClosureNameBytes = 500

    private init(_ pattern: LeakPattern, _ names: PatternNames?, isCertain: Bool) {
        identifier = pattern.identifier
        name = pattern.name
        explanation = PatternNames.fill(pattern.explanation, with: names)
        remedy = PatternNames.fill(pattern.remedy, with: names)
        self.isCertain = isCertain
    }

    /// Every cause that can be recognized, from specific to general, with general words in place of the names of a path.
    public static let all: [LeakCause] = LeakPattern.all.map { LeakCause($0, nil, isCertain: true) }
}

extension RetainExplanation {
    /// The known mistake that formed the path; `nil` without a path, and for paths that no rule matches.
    public var cause: LeakCause? { path.flatMap { LeakCause(of: $0) } }

    /// The known mistake that formed the path and, on separate lines, the code to write instead; `nil` without a known cause.
    public var advice: String? { advice(closureNames: []) }

    /// Returns ``advice`` for a path whose closures have names, which can make the cause more specific.
    ///
    /// - Parameter closureNames: the demangled names of the path's closures.
    package func advice(closureNames: [String]) -> String? {
        guard let cause = path.flatMap({ LeakCause(of: $0, closureNames: closureNames) }) else { return nil }
        let isCertain = cause.isCertain && confidence == .proven
        let code = cause.remedy.split(separator: "\n").map { "\n    \($0)" }.joined()
        return
            "\(isCertain ? "Cause" : "Probable cause"): \(cause.name). \(cause.explanation) Write instead:\(code)"
    }
}
