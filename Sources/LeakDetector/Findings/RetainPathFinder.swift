/// Finds out why an object stays.
public protocol RetainPathFinder: Sendable {
    /// The strong references that keep an object, as the `cycle` of a report: `["Shop.Cart.onPaid", "closure", "Shop.Cart"]`.
    ///
    /// Asked once for an object that is proven leaked, on a queue of its own, never on the main thread. The caller holds one
    /// reference to the object meanwhile.
    ///
    /// - Returns: empty if nothing is known.
    func retainPath(to object: AnyObject) -> [String]
}
