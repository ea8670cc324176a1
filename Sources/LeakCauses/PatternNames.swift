internal import LeakMessage

/// The names of a path that replace the placeholders in texts of patterns. A name is empty if the path has none for its
/// placeholder.
struct PatternNames {
    private let names: [String: String]

    /// - Parameter index: the step that the rule's last condition matched.
    init(_ steps: [PathStep], at index: Int, isCycle: Bool) {
        let step = steps[index]
        let previousSteps = steps[..<index].reversed() + (isCycle ? steps[(index + 1)...].reversed() : [])
        let holder = previousSteps.first(where: ReferenceCondition.hasOwnerInApp)
        let list = ([step] + previousSteps).first { $0.fieldKind == .element }
        let owner = Self.unqualified(step.owner)
        names = [
            "field": Self.field(of: step),
            "ownField": ReferenceCondition.hasOwnerInApp(step) ? Self.field(of: step) : "",
            "property": step.fieldKind == .property ? step.property : "",
            "name": Self.associatedObjectFields.contains(step.name) ? "" : step.name,
            "holder": holder?.fieldKind == .property ? holder?.property ?? "" : "",
            "list": list.map(Self.fieldPath(of:)) ?? "",
            "owner": owner,
            "object": ReferenceCondition.hasOwnerInApp(step) ? Self.variableName(ofType: owner) : "",
            "target": Self.unqualified(step.target),
        ]
    }

    /// Field names of references to associated objects of the Objective-C runtime.
    static let associatedObjectFields: Set = ["associated_object", "associated_objects"]

    /// The field of a property or of an element's member; empty for an element.
    private static func field(of step: PathStep) -> String {
        switch step.fieldKind {
        case .property: fieldPath(of: step)
        case .member: step.name
        case .element: ""
        }
    }

    /// Returns `model.onPaid` for a closure in a struct, and `onPaid` for a closure in a property or its wrapper.
    private static func fieldPath(of step: PathStep) -> String {
        step.name == step.property || step.name == "wrappedValue"
            ? step.property : "\(step.property).\(step.name)"
    }

    private static func unqualified(_ type: String) -> String {
        type.split(separator: ".").last.map(String.init) ?? ""
    }

    /// Returns `cartService` for `CartService`, and `urlLoader` for `URLLoader`.
    private static func variableName(ofType type: String) -> String {
        let capitals = type.prefix { $0.isUppercase }.count
        let count = capitals > 1 && capitals < type.count ? capitals - 1 : capitals
        return type.prefix(count).lowercased() + type.dropFirst(count)
    }

    /// Replaces each placeholder such as `{field|handler}` by the path's name, or by the word after the bar if the path has no name
    /// that is valid in Swift.
    static func fill(_ text: String, with names: PatternNames?) -> String {
        var parts = text.split(separator: "{", omittingEmptySubsequences: false)
        var result = String(parts.removeFirst())
        for part in parts {
            guard let end = part.firstIndex(of: "}"), let bar = part[..<end].firstIndex(of: "|") else {
                result += "{" + part
                continue
            }
            let name = names?.names[String(part[..<bar])] ?? ""
            result += isValidIdentifierPath(name) ? name : String(part[part.index(after: bar)..<end])
            result += part[part.index(after: end)...]
        }
        return result
    }

    /// Returns `true` for up to 64 bytes of names with dots between them, of letters, digits and underscores, none of which
    /// begins with a digit. Paths may come from untrusted senders.
    private static func isValidIdentifierPath(_ text: String) -> Bool {
        text.utf8.count <= 64
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { name in
                guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else {
                    return false
                }
                return name.unicodeScalars.allSatisfy {
                    $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0)
                }
            }
    }
}
