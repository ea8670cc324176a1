/// Writes numbers, texts and bytes one after another: numbers as LEB128 varints, texts and bytes after their length.
package struct PackedWriter {
    private(set) var bytes: [UInt8] = []

    /// - Parameter number: not negative.
    mutating func append(_ number: Int) {
        var remainingBits = UInt64(max(number, 0))
        while remainingBits >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: remainingBits) | 0x80)
            remainingBits >>= 7
        }
        bytes.append(UInt8(remainingBits))
    }

    mutating func append(_ text: String) {
        append(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ bytes: [UInt8]) {
        append(bytes.count)
        self.bytes += bytes
    }

    /// Returns the number of bytes that ``append(_:)`` writes for a text.
    static func size(of text: String) -> Int {
        let count = text.utf8.count
        return count + max(1, (Int.bitWidth - count.leadingZeroBitCount + 6) / 7)
    }

    package static func pack(_ texts: [String]) -> [UInt8] {
        var writer = PackedWriter()
        for text in texts { writer.append(text) }
        return writer.bytes
    }
}

/// Reads data that ``PackedWriter`` wrote.
package struct PackedReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// - Returns: `nil` if there is no number of at most 63 bits at this position.
    mutating func number() -> Int? {
        var result: UInt64 = 0
        for shift in stride(from: 0, to: 63, by: 7) {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            result |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return Int(result) }
        }
        return nil
    }

    mutating func text() -> String? {
        guard let count = number(), count <= bytes.count - position else { return nil }
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }

    mutating func blob() -> [UInt8]? {
        guard let count = number(), count <= bytes.count - position else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    /// - Returns: all texts, or `nil` if the bytes are not only texts.
    package static func texts(_ bytes: [UInt8]) -> [String]? {
        var reader = PackedReader(bytes)
        var texts: [String] = []
        while !reader.isAtEnd {
            guard let text = reader.text() else { return nil }
            texts.append(text)
        }
        return texts
    }
}
