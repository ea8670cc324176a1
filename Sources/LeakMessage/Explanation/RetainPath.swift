/// Strong references that lead to an object, one after another.
public struct RetainPath: Hashable, Sendable, CustomStringConvertible {
    /// The references in order. In a cycle as it was found, the object itself holds the first reference, but ``normalized`` may
    /// begin elsewhere; in any other path, the object's holder does.
    public var references: [RetainReference]
    /// The type that the last reference leads to, qualified with its module.
    public var target: String
    /// `true` if the last reference leads back to the object that holds the first one.
    public var isCycle: Bool
    /// The number of references in the whole path if ``references`` holds only the first of them; otherwise `nil`.
    public var fullLength: Int?

    /// Creates a path; see the properties of the same names.
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

    /// Returns `true` if two descriptions are of the same path, even if they come from different builds. Differences that
    /// optimization causes are ignored: the number of consecutive closures and blocks, whether a task holds the object in its
    /// closure or in its frames, and marks of suspected references.
    package static func isSame(_ description: String, as other: String) -> Bool {
        stepsIndependentOfBuild(description) == stepsIndependentOfBuild(other)
    }

    private static func stepsIndependentOfBuild(_ description: String) -> [String] {
        var steps: [String] = []
        for step in description.filter({ $0 != "?" && $0 != " " }).split(separator: "→") {
            let step = step == "block" || step == "asyncframes" ? "closure" : String(step)
            if step != "closure" || steps.last != step { steps.append(step) }
        }
        return steps
    }

    /// Returns `CartViewModel` for `Shop.CartViewModel`. Modules inside the arguments of a generic type are removed too.
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

    /// Returns `Cart.Item` for `Shop.Cart.Item`. A name that begins with a dot stays: it follows the arguments of a generic type.
    private static func withoutModule(_ name: Substring) -> Substring {
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return name }
        return name[name.index(after: dot)...]
    }

    /// The property that keeps the object, such as `Session.observers`; `nil` if no reference is a property with a name.
    ///
    /// Properties of the app are preferred to those of the system. In a cycle, this is the first such property; in any other
    /// path, it is the last, which is nearest to the object.
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

    /// A key of 16 hexadecimal digits, which is equal for leaks with the same cause: the same cycle, or the same path with a
    /// property of the app. Many leaks have the same path from a task, a global variable or an observer of the system. So for
    /// a path without a property of the app, the key includes the type of the leaked object.
    package var causeKey: String {
        isCycle || !ownProperties.isEmpty
            ? fingerprint : FNV1a((edges + [target]).joined(separator: " → ")).hexadecimal
    }

    /// `true` if a reference of the path is suspected: ``RetainReference/isSuspected``.
    public var isSuspected: Bool { references.contains(where: \.isSuspected) }

    /// The edges that identify the path: `Shop.Parent.children[*]`, `closure`.
    ///
    /// Builds with and without optimization differ in the number of closures that wrap a closure, so several consecutive
    /// closures count as one. A cycle is rotated to the lexicographically smallest list, so that every object of the cycle has
    /// the same edges. A path that was cut is not rotated.
    public var edges: [String] {
        var edges: [String] = []
        for reference in references {
            let edge = reference.field.isEmpty ? reference.owner : "\(reference.owner).\(reference.field)"
            if edges.last != "closure" || edge != "closure" { edges.append(edge) }
            if reference.isClosure, edges.last != "closure" { edges.append("closure") }
        }
        if edges.count > 1, edges.first == "closure", edges.last == "closure", isCycle { edges.removeLast() }
        guard isCycle, fullLength == nil else { return edges }
        var smallestRotation = edges
        for start in edges.indices.dropFirst() {
            let rotation = Array(edges[start...] + edges[..<start])
            if rotation.lexicographicallyPrecedes(smallestRotation) { smallestRotation = rotation }
        }
        return smallestRotation
    }

    /// The path in a form that does not depend on the object at which a cycle was found: a complete cycle begins with the
    /// reference of a type, not of a closure, that comes first in the order of names. Other paths stay as they are.
    public var normalized: RetainPath {
        guard isCycle, fullLength == nil, !references.isEmpty else { return self }
        let names = references.map { "\($0.owner).\($0.field)" }
        // Names decide first, so that a cycle has the same first reference in builds that suspect different references.
        let keys = zip(names, references).map { name, reference in
            [name, "\(reference.kind.rawValue) \(reference.isClosure) \(reference.isSuspected)"]
        }
        /// Returns `true` if the rotation of the cycle that begins at `one` sorts before the rotation that begins at `other`.
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
        let startsOfTypes = references.indices.filter {
            !["closure", "block"].contains(references[$0].owner)
        }
        let starts = startsOfTypes.isEmpty ? Array(references.indices) : startsOfTypes
        let first = starts.min(by: precedes) ?? 0
        let rotated = Array(references[first...] + references[..<first])
        return RetainPath(references: rotated, target: rotated[0].owner, isCycle: true)
    }

    /// A key of 16 hexadecimal digits: FNV-1a over ``edges``, joined with ` → `, an arrow between spaces.
    ///
    /// The key depends on no values, no keys of dictionaries, no indices and no discriminators of private types, so that it is the same on
    /// every device. Two builds have the same fingerprint if they find the same path with the same names. The fingerprints differ
    /// if one build has no names of properties, or if it finds a reference in another way, such as in the frames of a task.
    public var fingerprint: String {
        FNV1a(edges.joined(separator: " → ")).hexadecimal
    }
}
