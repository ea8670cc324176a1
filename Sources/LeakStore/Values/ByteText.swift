/// A text that is equal to another if their bytes are equal, as in the database.
///
/// A `String` is also equal to its canonical equivalents: `é` as one code point and as two. As a key it would merge texts that
/// SQLite keeps separate.
package struct ByteText: Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (one: Self, other: Self) -> Bool {
        // Byte by byte through both views costs ten times as much.
        let areEqual: Bool?? = unsafe one.text.utf8.withContiguousStorageIfAvailable { one in
            unsafe other.text.utf8.withContiguousStorageIfAvailable { other in
                unsafe one.count == other.count && one.elementsEqual(other)
            }
        }
        return (areEqual ?? nil) ?? one.text.utf8.elementsEqual(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        let isHashed: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        if isHashed == nil { unsafe Array(text.utf8).withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
    }
}

extension String {
    /// The text as every store keeps it: texts in PostgreSQL cannot hold U+0000, so U+2400 replaces it.
    package var storable: String {
        guard utf8.contains(0) else { return self }
        return String(decoding: utf8.flatMap { $0 == 0 ? Array("\u{2400}".utf8) : [$0] }, as: UTF8.self)
    }
}
