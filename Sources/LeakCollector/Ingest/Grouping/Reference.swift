/// One link of a retain cycle as reported: an object, and the property by which it keeps the next.
struct Reference: Hashable, Sendable {
    /// `Shop.Cart`, `closure`
    let object: String
    /// `onChange`
    let property: String?

    /// Splits `Shop.Cart.onChange` into `Shop.Cart` and `onChange`: a property begins in lower case, after a type.
    /// A closure's name is whole: the point in it stands before the function.
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

    /// Where the point before the property stands; `nil` without one.
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
