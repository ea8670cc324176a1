/// A text that equals another when their bytes do, as in the database.
///
/// A `String` equals its canonical equivalents too: `é` in one code point and in two. As a key it would merge texts
/// that SQLite keeps apart.
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
    /// As every store keeps it: PostgreSQL's texts cannot hold U+0000, for which its picture stands.
    package var storable: String {
        guard utf8.contains(0) else { return self }
        return String(decoding: utf8.flatMap { $0 == 0 ? Array("\u{2400}".utf8) : [$0] }, as: UTF8.self)
    }
}
