/// Names of types, without the parts that differ between builds or runs.
enum TypeName {
    /// Such as `Shop.CartViewController`.
    static func qualified(_ type: Metadata) -> String {
        withoutPrivateContexts(_typeName(type.type, qualified: true))
    }

    /// Such as `CartViewController`.
    static func unqualified(_ type: Metadata) -> String {
        withoutPrivateContexts(_typeName(type.type, qualified: false))
    }

    /// Strips the discriminators of private and local types.
    ///
    /// `Shop.(Cart in $10a2c)` and `Shop.(unknown context at $10a2c).Cart` both become `Shop.Cart`: the numbers are
    /// addresses, which change with each start.
    static func withoutPrivateContexts(_ name: String) -> String {
        guard name.contains("$") else { return name }
        var result: [UInt8] = []
        let bytes = Array(name.utf8)
        let unknown = Array("(unknown context at $".utf8)
        let inside = Array(" in $".utf8)
        var position = 0
        while position < bytes.count {
            let rest = bytes[position...]
            if rest.starts(with: unknown), let close = rest.firstIndex(of: UInt8(ascii: ")")) {
                position = close + 1
                // The dot after it.
                if position < bytes.count, bytes[position] == UInt8(ascii: ".") { position += 1 }
            } else if rest.starts(with: inside), let close = rest.firstIndex(of: UInt8(ascii: ")")) {
                if let open = result.lastIndex(of: UInt8(ascii: "(")) { result.remove(at: open) }
                position = close + 1
            } else {
                result.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
