/// The id of an image, such as an app's executable or a library: 16 bytes that its linker made.
///
/// A Mach-O file has a UUID. An ELF file has a GNU build id. Only its first 16 bytes are used, in the order in which
/// Breakpad and Sentry write them: the first three fields of the UUID are little-endian.
/// https://github.com/getsentry/symbolic/blob/master/symbolic-debuginfo/src/elf.rs (`compute_debug_id`)
package struct ImageID: Hashable, Sendable, Comparable, CustomStringConvertible {
    static let byteCount = 16

    package let bytes: [UInt8]

    /// - Parameter bytes: exactly 16 bytes.
    init(bytes: some Collection<UInt8>) {
        precondition(bytes.count == Self.byteCount)
        self.bytes = Array(bytes)
    }

    /// Parses the id of an image in any of its usual forms: a UUID or 32 hexadecimal digits, both with or without an
    /// age after them (Breakpad, Sentry), a GNU build id of another length, or `r8-map-id-7f5bbd1`.
    ///
    /// - Returns: `nil` for any other text.
    package init?(_ text: String) {
        if text.hasPrefix(Self.mappingPrefix) {
            self.init(mapID: String(text.dropFirst(Self.mappingPrefix.count)))
            return
        }
        var digits: [UInt8] = []
        var parts = 1
        for byte in text.utf8 {
            if byte == UInt8(ascii: "-") {
                parts += 1
                // An age follows the UUID: `6f1b0c3e-…-0d1c6b6a1f00-a`.
                if parts == 6, digits.count == 32 { break }
                continue
            }
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
            digits.append(UInt8(digit))
        }
        // If the number of digits is odd, those after the 32nd are an age.
        if digits.count % 2 == 1 {
            guard digits.count > 32 else { return nil }
            digits.removeLast(digits.count - 32)
        }
        guard (16...64).contains(digits.count) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        if bytes.count == Self.byteCount { self.init(bytes: bytes) } else { self.init(buildID: bytes) }
    }

    private static let mappingPrefix = "r8-map-id-"

    /// Creates the id of a mapping of R8: a hash of the mapping's own id, which has seven or more digits.
    package init(mapID: String) {
        self.init(
            bytes: SHA256Hash.hash(Array((Self.mappingPrefix + mapID.lowercased()).utf8)).prefix(
                Self.byteCount)
        )
    }

    /// Creates the id of an ELF image.
    ///
    /// - Parameter buildID: a GNU build id. A build id of 16 bytes is treated as a UUID, because the two look alike as
    ///   text.
    package init(buildID: [UInt8]) {
        guard buildID.count != Self.byteCount else {
            self.init(bytes: buildID)
            return
        }
        let padded = Array((buildID + [UInt8](repeating: 0, count: Self.byteCount)).prefix(Self.byteCount))
        self.init(bytes: Self.swapped(padded))
    }

    /// Returns the bytes with the first three fields of the UUID in the other byte order.
    private static func swapped(_ bytes: [UInt8]) -> [UInt8] {
        [3, 2, 1, 0, 5, 4, 7, 6].map { bytes[$0] } + bytes[8...]
    }

    /// The id as a UUID: `6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00`.
    package var description: String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += Self.hexadecimal(byte)
        }
        return text
    }

    /// The forms in which stored names of frames may contain the id: a UUID, 32 hexadecimal digits, and the first 32 digits of
    /// a GNU build id, whose byte order differs.
    var spellings: [String] {
        let digits = bytes.map(Self.hexadecimal).joined()
        return [description, digits, Self.swapped(bytes).map(Self.hexadecimal).joined()]
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0" + text : text
    }

    package static func < (one: ImageID, other: ImageID) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }
}
