/// What Swift prints for the scope of a private or local type: `(unknown context at $559f795ba48c)`.
///
/// The number is an address, another one in every launch, so a name with it would be another name each time.
public enum UnknownContext {
    private static let opening = Array("(unknown context at $".utf8)

    /// `Shop.(unknown context at $559f795ba48c).Row` becomes `Shop.Row`, inside generic arguments too.
    public static func removed(from name: String) -> String {
        let bytes = Array(name.utf8)
        guard bytes.contains(opening[0]) else { return name }
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index...].starts(with: opening),
                let end = bytes[index...].firstIndex(of: UInt8(ascii: ")"))
            else {
                kept.append(bytes[index])
                index += 1
                continue
            }
            index = end + 1
            if index < bytes.count, bytes[index] == UInt8(ascii: ".") { index += 1 }
        }
        return String(decoding: kept, as: UTF8.self)
    }
}
