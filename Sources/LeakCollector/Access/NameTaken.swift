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
