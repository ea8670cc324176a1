/// Stand-in for SwiftUI's graph of views: shows views, and keeps the state of each view by its position until the view is
/// removed.
@MainActor
public final class Graph {
    private var kept: [String: AnyObject] = [:]
    private var appeared: Set<String> = []
    private var shownPaths: Set<String> = []
    private var actions: [() -> Void] = []
    /// The last identity at each path, with a number that no other identity has.
    private var identities: [String: (id: AnyHashable, number: Int)] = [:]
    private var lastNumber = 0

    public init() {}

    /// Shows a view in place of the previous view.
    public func show(_ view: some View) {
        (shownPaths, actions) = ([], [])
        show(view, at: "")
        kept = kept.filter { shownPaths.contains($0.key) }
        appeared.formIntersection(shownPaths)
        let actions = actions
        self.actions = []
        for action in actions { action() }
    }

    func show(_ view: some View, at path: String) {
        if let primitive = view as? any Primitive { return primitive.show(in: self, at: path) }
        let path = path + "/\(type(of: view))"
        for property in Mirror(reflecting: view).children {
            guard let state = property.value as? any KeptState else { continue }
            let key = path + "." + (property.label ?? "")
            kept[key] = state.restore(from: kept[key])
            shownPaths.insert(key)
        }
        show(view.body, at: path)
    }

    /// Returns the same number as before if the identity at this path has not changed, else a new number.
    func number(of id: AnyHashable, at path: String) -> Int {
        if let known = identities[path], known.id == id { return known.number }
        lastNumber += 1
        identities[path] = (id, lastNumber)
        return lastNumber
    }

    func runIfNew(_ path: String, _ action: @escaping () -> Void) {
        shownPaths.insert(path)
        if appeared.insert(path).inserted { actions.append(action) }
    }
}
