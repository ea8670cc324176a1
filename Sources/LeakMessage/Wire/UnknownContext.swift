/// The scope of a private or local type in the form in which Swift prints it: `(unknown context at $559f795ba48c)`.
///
/// The number is an address that differs in every launch, so it must not stay in the name of a class.
public enum UnknownContext {
    private static let opening = Array("(unknown context at $".utf8)
    /// The texts before a discriminator: an address, or a hash of the file's name in builds with debug information.
    private static let discriminatorPrefixes = [Array(" in $".utf8), Array(" in _".utf8)]

    /// Returns `Shop.Row` for `Shop.(unknown context at $559f795ba48c).Row`, `Shop.(Row in $559f795ba48c)` and
    /// `Shop.(Row in _5B1D0F)`. Scopes inside generic arguments are removed too.
    public static func removed(from name: String) -> String {
        let bytes = Array(name.utf8)
        guard bytes.contains(UInt8(ascii: "(")) else { return name }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let remainingBytes = bytes[index...]
            if remainingBytes.starts(with: opening),
                let end = remainingBytes.firstIndex(of: UInt8(ascii: ")"))
            {
                index = end + 1
                if index < bytes.count, bytes[index] == UInt8(ascii: ".") { index += 1 }
            } else if let end = endOfDiscriminator(remainingBytes),
                let open = result.lastIndex(of: UInt8(ascii: "("))
            {
                result.remove(at: open)
                index = end
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the end of a discriminator such as ` in $10a2c)` that the text begins with; `nil` if the text begins otherwise.
    private static func endOfDiscriminator(_ text: ArraySlice<UInt8>) -> Int? {
        guard let prefix = discriminatorPrefixes.first(where: { text.starts(with: $0) }) else { return nil }
        let digits = text.dropFirst(prefix.count).prefix(while: \.isHexadecimal)
        let isClosed = digits.endIndex < text.endIndex && text[digits.endIndex] == UInt8(ascii: ")")
        return isClosed && !digits.isEmpty ? digits.endIndex + 1 : nil
    }
}
