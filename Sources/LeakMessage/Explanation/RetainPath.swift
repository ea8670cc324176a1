/// Strong references that lead to an object, one after another.
public struct RetainPath: Hashable, Sendable, CustomStringConvertible {
    /// In order: the first is held by the object itself in a cycle, else by what keeps it.
    public var references: [RetainReference]
    /// The type that the last reference leads to, qualified with its module.
    public var target: String
    public var isCycle: Bool
    /// The number of references where the cycle is longer than the budget allowed to tell; else `nil`.
    public var fullLength: Int?
    /// As a person reads it, without modules: `CartViewModel.onChange → closure → CartViewModel`.
    ///
    /// A question mark follows the target of a suspected reference.
    public var description: String

    public init(
        references: [RetainReference], target: String, isCycle: Bool, fullLength: Int? = nil,
        description: String
    ) {
        self.references = references
        self.target = target
        self.isCycle = isCycle
        self.fullLength = fullLength
        self.description = description
    }

    /// True if a reference of it is suspected.
    public var isSuspected: Bool { references.contains(where: \.isSuspected) }

    /// The edges that identify the path: `Shop.Parent.children[*]`, `closure`.
    ///
    /// Builds with and without optimization differ in the number of closures that wrap a closure, so that several in a row
    /// count as one. The edges of a cycle begin with the rotation that sorts first: every object of a cycle has the same.
    public var edges: [String] {
        var edges: [String] = []
        for reference in references {
            let edge = reference.field.isEmpty ? reference.owner : "\(reference.owner).\(reference.field)"
            if edges.last != "closure" || edge != "closure" { edges.append(edge) }
            if reference.isClosure, edges.last != "closure" { edges.append("closure") }
        }
        if edges.count > 1, edges.first == "closure", edges.last == "closure", isCycle { edges.removeLast() }
        guard isCycle, fullLength == nil else { return edges }
        var smallest = edges
        for start in edges.indices.dropFirst() {
            let rotation = Array(edges[start...] + edges[..<start])
            if rotation.lexicographicallyPrecedes(smallest) { smallest = rotation }
        }
        return smallest
    }

    /// 16 hexadecimal digits: FNV-1a over ``edges``, joined with `→`.
    ///
    /// Contains no values, no keys of dictionaries, no indices and no discriminators of private types, so that it is the
    /// same on every device and in every build that has the same cycle.
    public var fingerprint: String {
        FNV1a(edges.joined(separator: " → ")).hexadecimal
    }
}
