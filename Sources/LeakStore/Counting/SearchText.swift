/// The text in which a search looks.
package enum SearchText {
    /// Title, class, module and path of a leak, one per line, folded.
    package static func of(_ identity: LeakIdentity) -> String {
        var lines = [identity.title]
        if let className = identity.className, className != identity.title { lines.append(className) }
        if let module = identity.module { lines.append(module) }
        if !identity.stack.isEmpty { lines.append(identity.stack.joined(separator: " › ")) }
        if !identity.children.isEmpty { lines.append(identity.children.joined(separator: " ")) }
        if !identity.cycle.isEmpty { lines.append(identity.cycle.joined(separator: " › ")) }
        return folded(lines.joined(separator: "\n"))
    }

    /// The same for texts that differ by case alone.
    package static func folded(_ text: String) -> String { text.lowercased() }
}
