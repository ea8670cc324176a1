internal import LeakPlatform

/// Grace periods of classes, by the class names of ``LeakDetector/Limits/graceMillisecondsByClass``. Each type is looked up once.
final class ClassGracePeriods: Sendable {
    private struct Cache {
        var names = TypeNames()
        /// Grace periods of the types that were looked up, in milliseconds; `nil` for types with the usual grace period.
        var milliseconds: [ObjectIdentifier: Int?] = [:]
    }

    private let byName: [String: Int]
    private let cache = Guarded(Cache())

    /// - Returns: `nil` if no class has a grace period of its own.
    init?(_ byName: [String: Int]) {
        guard !byName.isEmpty else { return nil }
        self.byName = byName
    }

    /// Returns the grace period of a type in milliseconds; `nil` for the usual grace period.
    func milliseconds(of type: AnyClass) -> Int? {
        cache.with { cache in
            if let cached = cache.milliseconds[ObjectIdentifier(type)] { return cached }
            let name = cache.names.name(of: type)
            // The longest name is the most specific name.
            let endings = QualifiedName(name).endings.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
            let milliseconds = ([name] + endings).lazy.compactMap { self.byName[$0] }.first
            cache.milliseconds.updateValue(milliseconds, forKey: ObjectIdentifier(type))
            return milliseconds
        }
    }
}
