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

    package static func hash(of text: String) -> Int { ByteText(text).hashValue }
}
