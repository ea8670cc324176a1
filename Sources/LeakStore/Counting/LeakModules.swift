/// Tells apart classes of one name that are in two modules of an app.
///
/// The leak whose key has the class's name without a module is that of the first module which a report named. Classes of
/// other modules count under keys with the module in them, and so do all reports of a class that did once.
extension LeakIdentity {
    private var plain: LeakIdentity { module == nil ? alternative ?? self : self }
    private var qualified: LeakIdentity { module == nil ? self : alternative ?? self }

    /// The one of the two keys to count under.
    ///
    /// - Parameter stored: the module of a leak that is there; empty where no report has named one, `nil` for no leak.
    package func chosen<Failure>(
        _ stored: (LeakID) throws(Failure) -> String?
    ) throws(Failure) -> LeakIdentity {
        guard alternative != nil, let module = plain.module else { return self }
        let owner = try stored(plain.id)
        // As the store tells names apart.
        if let owner, owner.utf8.elementsEqual(module.utf8) { return plain }
        if try stored(qualified.id) != nil { return qualified }
        // A class of the app's own module may be named without one; that of another module may not.
        let isFree = owner.map(\.isEmpty) ?? true
        return isFree ? self : qualified
    }
}
