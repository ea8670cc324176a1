/// A name for a token that another valid one has: a history names who decided by it, and would not tell the two apart.
struct NameTaken: Error, Hashable, Sendable, CustomStringConvertible {
    var name: String
    /// The number of the token that has it.
    var id: Int64

    var description: String {
        "\(name) is the name of token \(id), and a history would not tell the two apart: choose another name, or revoke "
            + "that token first"
    }
}

/// An attempt to rename the key or token that the environment holds. The next start knows it by its name.
struct NameKept: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name, which is that of the variable.
    var name: String

    var description: String {
        "\(name) cannot be renamed: the collector knows it by the name of its environment variable"
    }
}
