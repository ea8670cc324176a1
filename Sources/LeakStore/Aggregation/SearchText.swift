/// The text of a leak that a search looks into.
package enum SearchText {
    /// Bytes of a packed stack, packed children and packed cycle together, above which the path is not stored once more: a search
    /// then looks into those columns, where it ignores case for ASCII letters only.
    package static let pathBytes = 1_024
    /// Characters of the title that are stored once more beside such a path.
    private static let titleCharacters = 256

    /// Returns title, class, module and path of a leak, one per line, folded.
    package static func of(_ identity: LeakIdentity) -> String {
        let isLong = packedPathBytes(of: identity) > pathBytes
        var lines = [isLong ? String(identity.title.prefix(titleCharacters)) : identity.title]
        if let className = identity.className, className != identity.title { lines.append(className) }
        if let module = identity.module { lines.append(module) }
        if isLong { return folded(lines.joined(separator: "\n")) }
        if !identity.stack.isEmpty { lines.append(identity.stack.joined(separator: " › ")) }
        if !identity.children.isEmpty { lines.append(identity.children.joined(separator: " ")) }
        if !identity.cycle.isEmpty { lines.append(identity.cycle.joined(separator: " › ")) }
        return folded(lines.joined(separator: "\n"))
    }

    package static func packedPathBytes(of identity: LeakIdentity) -> Int {
        identity.path.reduce(0) { $0 + PackedWriter.size(of: $1) }
    }

    /// Returns a text that is the same for all texts that differ only by case.
    package static func folded(_ text: String) -> String { text.lowercased() }
}
