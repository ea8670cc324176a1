/// The text in which a search looks for a leak: its title, class, module and path.
package enum SearchText {
    /// Maximum size of a path that the text repeats: bytes of the packed stack, children and cycle together. For a longer path,
    /// a search reads these columns; in PostgreSQL the search then ignores case only for ASCII letters of the path.
    package static let maxPathBytes = 1_024
    /// Maximum number of characters of the title in the text if the text does not repeat the path.
    private static let maxTitleCharacters = 256

    /// Returns title, class, module and path of a leak, one per line, in lower case (``folded(_:)``).
    package static func of(_ identity: LeakIdentity) -> String {
        let isLong = packedPathBytes(of: identity) > maxPathBytes
        var lines = [isLong ? String(identity.title.prefix(maxTitleCharacters)) : identity.title]
        if let className = identity.className, className != identity.title { lines.append(className) }
        if let module = identity.module { lines.append(module) }
        if isLong { return folded(lines.joined(separator: "\n")) }
        if !identity.stack.isEmpty { lines.append(identity.stack.joined(separator: " › ")) }
        if !identity.children.isEmpty { lines.append(identity.children.joined(separator: " ")) }
        if !identity.cycle.isEmpty { lines.append(identity.cycle.joined(separator: " › ")) }
        return folded(lines.joined(separator: "\n"))
    }

    /// Returns the bytes of the leak's stack, children and cycle in their packed form.
    package static func packedPathBytes(of identity: LeakIdentity) -> Int {
        identity.path.reduce(0) { $0 + PackedWriter.size(of: $1) }
    }

    /// Returns a text that is the same for all texts that differ only by case.
    package static func folded(_ text: String) -> String { text.lowercased() }
}
