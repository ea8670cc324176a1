/// A text that is compared with other texts byte by byte, as the database compares them.
///
/// A `String` is also equal to its canonical equivalents, such as `é` as one code point and as two. As a key, it would merge
/// texts that the database keeps separate.
package struct ByteText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (one: Self, other: Self) -> Bool {
        // Comparing the UTF-8 views element by element takes ten times as long.
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
    /// The text as both stores write it: with U+2400 in place of U+0000, which PostgreSQL cannot store.
    package var storable: String {
        guard utf8.contains(0) else { return self }
        return String(decoding: utf8.flatMap { $0 == 0 ? Array("\u{2400}".utf8) : [$0] }, as: UTF8.self)
    }

    /// Returns ``storable``, shortened to at most this number of bytes. An ellipsis marks a text that was shortened.
    func storable(atMost maxBytes: Int) -> String {
        let text = storable
        guard text.utf8.count > maxBytes else { return text }
        var end = text.startIndex
        var bytes = 0
        while true {
            let next = text.unicodeScalars.index(after: end)
            bytes += text.utf8.distance(from: end, to: next)
            guard bytes <= maxBytes - 3 else { return text[..<end] + "…" }
            end = next
        }
    }
}
