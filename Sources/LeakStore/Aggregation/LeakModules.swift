/// The rule that separates classes with the same name in different modules of an app.
///
/// A leak with a module has two possible keys: one with the class alone, such as `Cart`, and one with its module, such as
/// `Shop.Cart`. The first module that a report names gets the key with the class alone. Leaks of other modules use the key with
/// the module. If a leak with the key `Shop.Cart` exists already, later reports of `Shop` use this key.
extension LeakIdentity {
    /// The identity whose key has the class without its module.
    private var plain: LeakIdentity { module == nil ? otherModuleSpelling ?? self : self }
    /// The identity whose key has the class with its module.
    private var qualified: LeakIdentity { module == nil ? self : otherModuleSpelling ?? self }

    /// Returns the identity under which reports are counted: this identity or its ``LeakIdentity/otherModuleSpelling``.
    ///
    /// - Parameter storedModule: returns the module of an existing leak, empty if no report has named one; `nil` if there is no
    ///   such leak.
    package func countedIdentity<Failure>(
        storedModule: (LeakID) throws(Failure) -> String?
    ) throws(Failure) -> LeakIdentity {
        guard otherModuleSpelling != nil, let module = plain.module else { return self }
        let plainModule = try storedModule(plain.id)
        // Compares names by their bytes, as the database does.
        if let plainModule, plainModule.utf8.elementsEqual(module.utf8) { return plain }
        if try storedModule(qualified.id) != nil { return qualified }
        // `self` is the plain identity if the class is of the app's own module, and otherwise the qualified one.
        let isUnclaimed = plainModule.map(\.isEmpty) ?? true
        return isUnclaimed ? self : qualified
    }
}
