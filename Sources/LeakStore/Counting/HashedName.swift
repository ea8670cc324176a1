/// A text that belongs to a row, by its hash, which takes less memory than the text.
///
/// Hashes differ from one process to the next, so a sender cannot choose two texts that have the same one.
package struct HashedName: Hashable {
    private let owner: Int64
    private let hash: Int

    /// - Parameter hash: from ``hash(of:)``.
    package init(owner: Int64, hash: Int) {
        self.owner = owner
        self.hash = hash
    }

    /// A value of a leak.
    package init(leak: Int64, _ kind: ValueKind, hash: Int) {
        self.init(owner: leak, hash: hash << 3 | kind.rawValue)
    }

    package static func hash(of text: String) -> Int { ByteText(text).hashValue }
}
