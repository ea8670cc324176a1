/// One link of a retain cycle as reported: an object, and the property by which it keeps the next.
struct Reference: Hashable, Sendable {
    /// The object, such as `Shop.Cart` or `closure`.
    let object: String
    /// The property, such as `onChange`.
    let property: String?

    /// Splits `Shop.Cart.onChange` into `Shop.Cart` and `onChange`: a property follows a type, and begins with a lower-case
    /// letter, `_` or `$`. The name of a closure is not split, because the dot in it precedes a function.
    init(_ text: String) {
        guard SwiftClosureName(text, module: nil) == nil else {
            object = text
            property = nil
            return
        }
        let end = Self.endOfObject(in: text)
        object = String(text[..<(end ?? text.endIndex)])
        property = end.map { String(text[text.index(after: $0)...]) }
    }

    /// Returns the index of the dot before the property; `nil` if there is no property.
    private static func endOfObject(in reference: String) -> String.Index? {
        var depth = 0
        var isAfterType = false
        var isComponentStart = true
        for index in reference.indices {
            let character = reference[index]
            if isComponentStart {
                isAfterType = character.isUppercase || character == "_" && !isAfterType
                isComponentStart = false
            }
            switch character {
            case "<", "(", "[": depth += 1
            case ">", ")", "]": depth -= 1
            case "." where depth == 0:
                let next = reference.index(after: index)
                guard next < reference.endIndex else { return nil }
                let start = reference[next]
                if isAfterType, start.isLowercase || start == "_" || start == "$" {
                    return index
                }
                isComponentStart = true
            default: break
            }
        }
        return nil
    }
}
