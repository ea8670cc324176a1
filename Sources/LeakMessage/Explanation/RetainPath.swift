/// Strong references that lead to an object, one after another.
public struct RetainPath: Hashable, Sendable, CustomStringConvertible {
    /// The references in order: the first is held by the object itself in a cycle, else by the holder of the object.
    public var references: [RetainReference]
    /// The type that the last reference leads to, qualified with its module.
    public var target: String
    public var isCycle: Bool
    /// The number of references in the whole path if ``references`` holds only the first of them; otherwise `nil`.
    public var fullLength: Int?

    public init(references: [RetainReference], target: String, isCycle: Bool, fullLength: Int? = nil) {
        self.references = references
        self.target = target
        self.isCycle = isCycle
        self.fullLength = fullLength
    }

    /// The path as text for people, without modules: `CartViewModel.onChange → closure → CartViewModel`.
    ///
    /// A question mark follows the target of a suspected reference.
    public var description: String {
        var text = references.first.map { Self.unqualified($0.owner) } ?? ""
        for (index, reference) in references.enumerated() {
            if let first = reference.field.first {
                text += "[(".contains(first) ? reference.field : ".\(reference.field)"
            }
            let isLast = index == references.count - 1
            let next = Self.unqualified(isLast ? target : references[index + 1].owner)
            if reference.isClosure, next != "closure", next != "block" { text += " → closure" }
            text += " → \(next)\(reference.isSuspected ? "?" : "")"
        }
        return fullLength.map { "\(text) … (\($0) references)" } ?? text
    }

    /// Returns `true` if two descriptions are of the same path, also from different builds. Optimization changes the number of
    /// closures and blocks in a row, whether a task holds an object in its closure or in its frames, and which references are
    /// suspected.
    package static func isSame(_ description: String, as other: String) -> Bool {
        independentOfBuild(description) == independentOfBuild(other)
    }

    private static func independentOfBuild(_ description: String) -> [String] {
        var steps: [String] = []
        for step in description.filter({ $0 != "?" && $0 != " " }).split(separator: "→") {
            let step = step == "block" || step == "asyncframes" ? "closure" : String(step)
            if step != "closure" || steps.last != step { steps.append(step) }
        }
        return steps
    }

    /// `CartViewModel` of `Shop.CartViewModel`, also inside the arguments of a generic type.
    package static func unqualified(_ name: String) -> String {
        var words: [Substring] = []
        var start = name.startIndex
        for index in name.indices
        where !(name[index].isLetter || name[index].isNumber || "_.".contains(name[index])) {
            words.append(withoutModule(name[start..<index]))
            words.append(name[index...index])
            start = name.index(after: index)
        }
        return (words + [withoutModule(name[start...])]).joined()
    }

    /// `Cart.Item` of `Shop.Cart.Item`. A name that begins with a dot follows the arguments of a generic type.
    private static func withoutModule(_ name: Substring) -> Substring {
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return name }
        return name[name.index(after: dot)...]
    }

    /// The property that keeps the object, such as `Session.observers`. Properties of the app go before those of the system.
    /// `nil` if no reference has a name.
    ///
    /// In a cycle it is the first such property, in any other path the last, which is nearest to the object.
    package var property: String? {
        let candidates = ownProperties.isEmpty ? properties : ownProperties
        return (isCycle ? candidates.first : candidates.last).map {
            "\(Self.unqualified($0.owner)).\($0.field.prefix { !"[(".contains($0) })"
        }
    }

    private var properties: [RetainReference] {
        references.filter { $0.field.first.map { !"[(".contains($0) } ?? false }
    }

    private var ownProperties: [RetainReference] {
        properties.filter { !SystemNames.isSystemType($0.owner) }
    }

    /// 16 hexadecimal digits, equal for leaks that have one cause: the same cycle, or the same property of the app that holds their
    /// objects. Tasks, global variables and the system's observers have the same edges for every leak, so paths from them are
    /// distinguished by the type that they lead to.
    package var causeKey: String {
        isCycle || !ownProperties.isEmpty
            ? fingerprint : FNV1a((edges + [target]).joined(separator: " → ")).hexadecimal
    }

    public var isSuspected: Bool { references.contains(where: \.isSuspected) }

    /// The edges that identify the path: `Shop.Parent.children[*]`, `closure`.
    ///
    /// Builds with and without optimization differ in the number of closures that wrap a closure, so several in a row count as
    /// one. A cycle is rotated so that its edges sort first. Every object of the cycle has the same edges.
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

    /// The same path, with a cycle rotated so that every object of the cycle has the same first reference.
    public var normalized: RetainPath {
        guard isCycle, fullLength == nil, !references.isEmpty else { return self }
        let names = references.map { "\($0.owner).\($0.field)" }
        // Names decide first, so that a cycle has the same first reference in builds that suspect different references.
        let keys = zip(names, references).map { name, reference in
            [name, "\(reference.kind.rawValue) \(reference.isClosure) \(reference.isSuspected)"]
        }
        func precedes(_ one: Int, _ other: Int) -> Bool {
            for part in 0...1 {
                for step in references.indices {
                    let (first, second) = (
                        keys[(one + step) % keys.count][part], keys[(other + step) % keys.count][part]
                    )
                    if first != second { return first < second }
                }
            }
            return false
        }
        let named = references.indices.filter { !["closure", "block"].contains(references[$0].owner) }
        let starts = named.isEmpty ? Array(references.indices) : named
        let first = starts.min(by: precedes) ?? 0
        let rotated = Array(references[first...] + references[..<first])
        return RetainPath(references: rotated, target: rotated[0].owner, isCycle: true)
    }

    /// 16 hexadecimal digits: FNV-1a over ``edges``, joined with ` → `, an arrow between spaces.
    ///
    /// Contains no values, no keys of dictionaries, no indices and no discriminators of private types, so that it is the same on
    /// every device. Two builds have the same fingerprint if they find the same path with the same names. The fingerprints differ
    /// if one build has no names of properties, or only suspects a reference, such as one in the frames of a task.
    public var fingerprint: String {
        FNV1a(edges.joined(separator: " → ")).hexadecimal
    }
}
