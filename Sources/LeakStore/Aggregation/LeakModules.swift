/// Distinguishes classes of one name that are in two modules of an app.
///
/// The key with the class's name alone belongs to the first module that a report named. Classes of other modules count under keys
/// with the module in them, and so do all later reports of a class that once did.
extension LeakIdentity {
    private var plain: LeakIdentity { module == nil ? alternative ?? self : self }
    private var qualified: LeakIdentity { module == nil ? self : alternative ?? self }

    /// Returns the one of the two keys to count under.
    ///
    /// - Parameter stored: returns the module of an existing leak, empty if no report has named one; `nil` if there is no such
    ///   leak.
    package func chosen<Failure>(
        _ stored: (LeakID) throws(Failure) -> String?
    ) throws(Failure) -> LeakIdentity {
        guard alternative != nil, let module = plain.module else { return self }
        let owner = try stored(plain.id)
        // Compares names as the store does.
        if let owner, owner.utf8.elementsEqual(module.utf8) { return plain }
        if try stored(qualified.id) != nil { return qualified }
        // A class of the app's own module may be named without one; that of another module may not.
        let isFree = owner.map(\.isEmpty) ?? true
        return isFree ? self : qualified
    }
}
