/// The names of a path that replace the placeholders in texts of patterns. A name that is not valid in a text is empty.
struct PatternNames {
    private let names: [String: String]

    /// - Parameter index: the step that the rule's last condition matched.
    init(_ steps: [PathStep], at index: Int, isCycle: Bool) {
        let step = steps[index]
        let before = steps[..<index].reversed() + (isCycle ? steps[(index + 1)...].reversed() : [])
        let holder = before.first(where: ReferenceCondition.isOwn)
        let list = ([step] + before).first { $0.place == .element }
        let owner = Self.unqualified(step.owner)
        names = [
            "field": step.place == .property ? Self.path(step) : "",
            "property": step.place == .property ? step.property : "",
            "name": Self.associated.contains(step.name) ? "" : step.name,
            "holder": holder?.place == .property ? holder?.property ?? "" : "",
            "list": list.map(Self.path) ?? "",
            "owner": owner,
            "object": ReferenceCondition.isOwn(step) ? Self.variable(owner) : "",
            "target": Self.unqualified(step.target),
        ]
    }

    /// Names of the field that leads to objects that the runtime associates with another.
    static let associated: Set = ["associated_object", "associated_objects"]

    /// `model.onPaid` for a closure in a struct, `onPaid` for one in a property or its wrapper.
    private static func path(_ step: PathStep) -> String {
        step.name == step.property || step.name == "wrappedValue"
            ? step.property : "\(step.property).\(step.name)"
    }

    private static func unqualified(_ type: String) -> String {
        type.split(separator: ".").last.map(String.init) ?? ""
    }

    /// `cartService` for `CartService`, `urlLoader` for `URLLoader`.
    private static func variable(_ type: String) -> String {
        let capitals = type.prefix { $0.isUppercase }.count
        let count = capitals > 1 && capitals < type.count ? capitals - 1 : capitals
        return type.prefix(count).lowercased() + type.dropFirst(count)
    }

    /// Replaces each `{field|handler}` by the path's name, or by the word behind the bar if the path has no name that is valid in
    /// Swift.
    static func fill(_ text: String, with names: PatternNames?) -> String {
        var parts = text.split(separator: "{", omittingEmptySubsequences: false)
        var result = String(parts.removeFirst())
        for part in parts {
            guard let end = part.firstIndex(of: "}"), let bar = part[..<end].firstIndex(of: "|") else {
                result += "{" + part
                continue
            }
            let name = names?.names[String(part[..<bar])] ?? ""
            result += isPlain(name) ? name : String(part[part.index(after: bar)..<end])
            result += part[part.index(after: end)...]
        }
        return result
    }

    /// `true` for names that are short and consist of letters, digits and underscores: paths may come from untrusted senders.
    private static func isPlain(_ text: String) -> Bool {
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
