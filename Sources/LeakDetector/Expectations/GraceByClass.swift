internal import LeakPlatform

/// The grace periods of some classes, found once for each type.
final class GraceByClass: Sendable {
    private struct Found {
        var names = TypeNames()
        /// `nil` for types that have the usual one.
        var milliseconds: [ObjectIdentifier: Int?] = [:]
    }

    private let byName: [String: Int]
    private let found = Guarded(Found())

    /// - Returns: `nil` if no class has one of its own.
    init?(_ byName: [String: Int]) {
        guard !byName.isEmpty else { return nil }
        self.byName = byName
    }

    func milliseconds(of type: AnyClass) -> Int? {
        found.with { found in
            if let known = found.milliseconds[ObjectIdentifier(type)] { return known }
            let name = found.names.name(of: type)
            // The longest name is the one that says most.
            let endings = QualifiedName(name).endings.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
            let milliseconds = ([name] + endings).lazy.compactMap { self.byName[$0] }.first
            found.milliseconds.updateValue(milliseconds, forKey: ObjectIdentifier(type))
            return milliseconds
        }
    }
}
