/// The scope of a private or local type as Swift prints it: `(unknown context at $559f795ba48c)`.
///
/// The number is an address that differs in every launch, so the name would differ too.
public enum UnknownContext {
    private static let opening = Array("(unknown context at $".utf8)
    /// The text in front of an address, and in front of a hash of the file's name in builds with debug information.
    private static let inside = [Array(" in $".utf8), Array(" in _".utf8)]

    /// `Shop.(unknown context at $559f795ba48c).Row`, `Shop.(Row in $559f795ba48c)` and `Shop.(Row in _5B1D0F)` become `Shop.Row`,
    /// inside generic arguments too.
    public static func removed(from name: String) -> String {
        let bytes = Array(name.utf8)
        guard bytes.contains(UInt8(ascii: "(")) else { return name }
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let rest = bytes[index...]
            if rest.starts(with: opening), let end = rest.firstIndex(of: UInt8(ascii: ")")) {
                index = end + 1
                if index < bytes.count, bytes[index] == UInt8(ascii: ".") { index += 1 }
            } else if let end = endOfDiscriminator(rest), let open = kept.lastIndex(of: UInt8(ascii: "(")) {
                kept.remove(at: open)
                index = end
            } else {
                kept.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// The end of ` in $10a2c)` at the start of a text.
    private static func endOfDiscriminator(_ text: ArraySlice<UInt8>) -> Int? {
        guard let inside = inside.first(where: { text.starts(with: $0) }) else { return nil }
        let digits = text.dropFirst(inside.count).prefix(while: \.isHexadecimal)
        let isClosed = digits.endIndex < text.endIndex && text[digits.endIndex] == UInt8(ascii: ")")
        return isClosed && !digits.isEmpty ? digits.endIndex + 1 : nil
    }
}
