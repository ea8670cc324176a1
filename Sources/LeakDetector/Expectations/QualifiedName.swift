/// The parts of a qualified class name.
struct QualifiedName {
    let module: String?
    /// The name without generic arguments, such as `Shop.Outer.Cell`; for a type in an extension, `Swift.Array.Cell`.
    private let bare: String

    init(_ className: String) {
        let extended = "(extension in "
        if className.hasPrefix(extended), let end = className.firstIndex(of: ")") {
            module = String(className[..<end].dropFirst(extended.count))
            bare = Self.withoutArguments(className[className.index(after: end)...].dropFirst())
        } else {
            let bare = Self.withoutArguments(className[...])
            module = bare.firstIndex(of: ".").map { String(bare[..<$0]) }
            self.bare = bare
        }
    }

    func hasPrefix(_ prefix: String) -> Bool {
        bare.hasPrefix(prefix) || module.map { "\($0).\(bare)".hasPrefix(prefix) } ?? false
    }

    /// The name without generic arguments, and its part after each dot: `Shop.Outer.Cell`, `Outer.Cell`, `Cell`.
    var endings: Set<String> {
        var endings: Set<String> = [bare]
        for dot in bare.indices where bare[dot] == "." {
            endings.insert(String(bare[bare.index(after: dot)...]))
        }
        return endings
    }

    private static func withoutArguments(_ name: Substring) -> String {
        var (depth, last, bare) = (0, Character(" "), "")
        for character in name {
            defer { last = character }
            if character == "<" {
                depth += 1
            } else if character == ">", last != "-" {
                depth -= 1
            } else if depth == 0 {
                bare.append(character)
            }
        }
        return bare
    }
}
