import LeakMessage

/// Names of types, each created once: creating a name takes a microsecond, looking it up a hundredth of that.
struct TypeNames {
    private var names: [ObjectIdentifier: String] = [:]
    /// Types that are private or local, or whose names contain such a type.
    private var ambiguous: Set<ObjectIdentifier> = []

    /// Returns `true` if other types may have the same name.
    mutating func isAmbiguous(_ type: AnyClass) -> Bool {
        _ = name(of: type)
        return ambiguous.contains(ObjectIdentifier(type))
    }

    /// Returns the qualified name, which is the same in every launch and build: `Shop.CartViewController`, `Shop.Cache<Swift.Int>`.
    mutating func name(of type: AnyClass) -> String {
        if let name = names[ObjectIdentifier(type)] { return name }
        // Not NSStringFromClass: it stops the process for nested and generic types on Linux.
        let full = String(reflecting: type)
        let name = UnknownContext.removed(from: full)
        names[ObjectIdentifier(type)] = name
        if name != full { ambiguous.insert(ObjectIdentifier(type)) }
        return name
    }
}
