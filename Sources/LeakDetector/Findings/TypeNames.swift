import LeakMessage

/// Names of types, each made once: making one costs a microsecond, looking it up a hundredth of that.
struct TypeNames {
    private var names: [ObjectIdentifier: String] = [:]

    /// The qualified name, the same in every launch and build: `Shop.CartViewController`, `Shop.Cache<Swift.Int>`.
    mutating func name(of type: AnyClass) -> String {
        if let name = names[ObjectIdentifier(type)] { return name }
        // Not NSStringFromClass: it stops the process for nested and generic types on Linux.
        let name = UnknownContext.removed(from: String(reflecting: type))
        names[ObjectIdentifier(type)] = name
        return name
    }
}
