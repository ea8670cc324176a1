/// The name that Swift gives a closure: `closure #1 in CartModel.bind()`.
struct SwiftClosureName: Hashable, Sendable {
    /// The name without the module.
    let text: String

    /// Maximum bytes of a text that is read as a closure's name.
    private static let byteLimit = 256

    /// - Returns: `nil` for a text of another form, which may be a description with text that users typed.
    init?(_ raw: String, module: String?) {
        guard raw.utf8.count <= Self.byteLimit else { return nil }
        var rest = raw[...]
        var start = ""
        while let end = Self.endOfClosurePrefix(in: rest) {
            start += rest[..<end]
            rest = rest[end...]
        }
        guard !start.isEmpty else { return nil }
        if let module, !module.isEmpty, rest.hasPrefix(module + ".") {
            rest = rest.dropFirst(module.count + 1)
        }
        // A name has no white space, no quotes and no equals sign.
        let isName = rest.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "_$.()<>:,".unicodeScalars.contains($0)
        }
        guard isName, rest.first.map({ $0.isLetter || $0 == "_" || $0 == "$" }) ?? false else { return nil }
        text = start + rest
    }

    /// Returns the index after `closure #1 in ` at the start of a text; `nil` if the text begins in another way.
    private static func endOfClosurePrefix(in text: Substring) -> Substring.Index? {
        let words = "closure #"
        guard text.hasPrefix(words) else { return nil }
        let digits = text.dropFirst(words.count).prefix { ("0"..."9").contains($0) }
        let end = text[digits.endIndex...]
        guard (1...4).contains(digits.count), end.hasPrefix(" in ") else { return nil }
        return end.index(end.startIndex, offsetBy: 4)
    }
}
