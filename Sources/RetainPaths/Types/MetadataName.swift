internal import LeakMessage

/// Names of types, without the parts that differ between builds or runs.
enum MetadataName {
    /// Returns the name with its module, such as `Shop.CartViewController`.
    static func qualified(_ type: Metadata) -> String {
        UnknownContext.removed(from: _typeName(type.type, qualified: true))
    }

    /// Returns the name without its module, such as `CartViewController`.
    static func unqualified(_ type: Metadata) -> String {
        UnknownContext.removed(from: _typeName(type.type, qualified: false))
    }
}
