internal import LeakMessage

/// Names of types, without the parts that differ between builds or runs.
enum MetadataName {
    /// Such as `Shop.CartViewController`.
    static func qualified(_ type: Metadata) -> String {
        UnknownContext.removed(from: _typeName(type.type, qualified: true))
    }

    /// Such as `CartViewController`.
    static func unqualified(_ type: Metadata) -> String {
        UnknownContext.removed(from: _typeName(type.type, qualified: false))
    }
}
