internal import LeakMessage

/// The steps of ``TypeName``. Each step leaves unknown text unchanged.
enum TypeNameCleaner {
    /// Limit of a name in bytes: four times the wire format's limit of a class.
    static let byteLimit = 4 * 512
    /// Limit of a demangled name in bytes. A name is much longer than ``byteLimit`` only if substitutions repeat parts of it.
    static let demangledByteLimit = 16 * 1024

    /// Removes quotes, `Optional(…)`, the brackets and the address of `<Name: 0x…>`, and surrounding white space and commas.
    static func unwrapped(_ raw: Text) -> Text {
        var name = raw
        // Each round removes at least one byte. The limit protects against texts that consist only of such wrappings.
        for _ in 0..<16 {
            let previousCount = name.count
            name = withoutWrapping(name)
            if name.first == UInt8(ascii: "<") {
                name = Self.nameInPython(name) ?? PrintedObject.name(in: name)
            } else {
                name = withoutIdentity(name)
            }
            if let inner = OptionalTypeReader.wrapped(name) { name = inner }
            if name.count == previousCount { break }
        }
        return name
    }

    /// Removes quotes, `Optional(…)`, and white space and commas around them from a name.
    static func withoutWrapping(_ raw: Text) -> Text {
        var name = raw
        for _ in 0..<16 {
            let previousCount = name.count
            name = name.trimmed
            while name.last == UInt8(ascii: ",") { name = name.dropLast().trimmed }
            for quote in [UInt8(ascii: "\""), UInt8(ascii: "'")] where name.first == quote {
                if let end = name.dropFirst().firstIndex(of: quote), end == name.endIndex - 1 {
                    name = name.dropFirst().dropLast()
                }
            }
            if let inner = name.dropping("Optional(")?.droppingLast(")") { name = inner }
            if let inner = name.dropping("@"), inner.first == UInt8(ascii: "\"") { name = inner }
            if name.count == previousCount { break }
        }
        return name
    }

    // MARK: Identities

    /// Removes the identity of an object from its description: an address (`Cart: 0x1f`, `Cart (0x1f)`, `self=0x1f Cart`), the forms of
    /// Java and Android (`Cart@5c1e2f3`, `DecorView@5c1e2f3[Cart]`, `Cart{5ce6b7a #0}`), and the forms of Flutter
    /// (`Cart#a527b(ticker active)`, `Instance of 'Cart'`).
    private static func withoutIdentity(_ name: Text) -> Text {
        if let instance = name.dropping("Instance of '"), let end = instance.firstIndex(of: UInt8(ascii: "'"))
        {
            return instance[..<end]
        }
        return withoutHash(name) ?? withoutAddress(name) ?? name
    }

    private static func withoutHash(_ name: Text) -> Text? {
        guard let mark = name.firstIndex(where: { "@#{".utf8.contains($0) }), mark > name.startIndex,
            name[mark - 1].isIdentifier || name[mark - 1] == UInt8(ascii: ">")
        else { return nil }
        let digits = name[(mark + 1)...].prefix {
            $0.isDigit || ("a"..."f").contains(Character(UnicodeScalar($0)))
        }
        let (front, textAfter) = (name[..<mark], name[digits.endIndex...])
        switch name[mark] {
        case UInt8(ascii: "@"):
            guard (4...16).contains(digits.count), !(textAfter.first?.isIdentifier ?? false),
                textAfter.first != UInt8(ascii: ".")
            else { return nil }
            return front + textAfter
        case UInt8(ascii: "#"):
            let isEnd =
                textAfter.isEmpty
                || textAfter.first == UInt8(ascii: "(") && textAfter.last == UInt8(ascii: ")")
            return digits.count == 5 && isEnd ? front : nil
        default:
            let isEnd = textAfter.first == UInt8(ascii: " ") || textAfter.first == UInt8(ascii: "}")
            return (4...8).contains(digits.count) && isEnd && textAfter.last == UInt8(ascii: "}")
                ? front : nil
        }
    }

    private static func withoutAddress(_ name: Text) -> Text? {
        guard let mark = name.lastRange(of: "0x") else { return nil }
        let digits = name[mark.upperBound...].prefix(while: \.isHexadecimal)
        guard !digits.isEmpty else { return nil }
        var (front, textAfter) = (name[..<mark.lowerBound], name[digits.endIndex...])
        if front.isEmpty || front.last == UInt8(ascii: "="), textAfter.first == UInt8(ascii: " ") {
            // The address is before the class.
            let type = textAfter.trimmed
            let isKey = front.dropLast().allSatisfy(\.isIdentifier)
            return isKey && !type.isEmpty && !type.contains(UInt8(ascii: " ")) ? type : nil
        }
        for (opening, closing) in [(UInt8(ascii: "("), ")" as StaticString), (UInt8(ascii: "["), "]")]
        where front.last == opening && textAfter.equals(closing) {
            (front, textAfter) = (front.dropLast(), [])
            if front.last?.isIdentifier ?? false { return front }
        }
        guard textAfter.isEmpty else { return nil }
        let type = front.droppingLast(" at ") ?? front.droppingLast(" - ") ?? front
        var trimmed = type
        while let last = trimmed.last, " :@".utf8.contains(last) { trimmed = trimmed.dropLast() }
        return trimmed.isEmpty || trimmed.count == front.count ? nil : trimmed
    }

    /// Returns `shop.Cart` for `<shop.Cart object at 0x1f>`; `nil` for any other text.
    private static func nameInPython(_ name: Text) -> Text? {
        guard let range = name.firstRange(of: " object at 0x"), name.last == UInt8(ascii: ">"),
            name[range.upperBound...].dropLast().allSatisfy(\.isHexadecimal)
        else { return nil }
        return name[..<range.lowerBound].dropFirst()
    }

    /// Removes the text that key-value observing, RxCocoa, ReactiveCocoa, Aspects and GoogleUtilities add to the name of a class
    /// when these libraries replace an object's class by a subclass.
    static func withoutRuntimeMarks(_ raw: Text) -> Text {
        var name = raw
        for _ in 0..<8 {
            let previousCount = name.count
            name =
                name.dropping("NSKVONotifying_") ?? name.dropping("_RX_namespace_") ?? name.dropping(
                    "__KVO__")
                ?? name.dropping("_NSZombie_") ?? name
            name = name.droppingLast("_RACSelectorSignal") ?? name.droppingLast("_Aspects_") ?? name
            if let inner = name.dropping("GUL_") {
                name = inner
                if inner.count > 37, inner[inner.endIndex - 37] == UInt8(ascii: "-"),
                    UUIDText.isUUID(inner.suffix(36))
                {
                    name = inner.dropLast(37)
                }
            }
            if name.count == previousCount { break }
        }
        return name.isEmpty ? raw : name
    }

    /// Returns `true` if a name begins like a mangled name of Swift and contains only bytes that mangled names may contain.
    static func looksMangled(_ name: Text) -> Bool {
        let marks: [StaticString] = ["_Tt", "$s", "$S", "_$s", "_$S", "_T0"]
        return marks.contains { name.starts(with: $0) }
            && name.allSatisfy { $0.isIdentifier || $0 == UInt8(ascii: ".") }
    }

    /// Reduces the demangler's text for symbols that are not types: `nominal type descriptor for X` to X, `Local #1 in f() -> Any`
    /// to Local.
    static func simplified(_ raw: Text) -> Text {
        var name = raw
        if let range = name.lastRange(of: " for ") { name = name[range.upperBound...] }
        if let number = name.firstRange(of: " #"),
            let range = name[number.upperBound...].firstRange(of: " in "),
            !name[number.upperBound..<range.lowerBound].isEmpty,
            name[number.upperBound..<range.lowerBound].allSatisfy(\.isDigit)
        {
            name = name[..<number.lowerBound]
        }
        return name
    }

    /// Removes `(unknown context at $…).`, `(extension in M):` and `__C.`, and replaces `(Name in _HEX)` by `Name`.
    ///
    /// - Returns: the name, and the first `_HEX`.
    static func withoutContexts(_ raw: Text) -> (name: Text, discriminator: String?) {
        var name: [UInt8] = []
        name.reserveCapacity(raw.count)
        var discriminator: String?
        var remainder = raw
        // The next `)` is searched for only once for all `(` before it.
        var closing: ClosingParenthesis?
        while let byte = remainder.first {
            let isStart = name.last.map { !$0.isIdentifier && $0 != UInt8(ascii: ".") } ?? true
            if byte == UInt8(ascii: "("), closing.map({ $0.end < remainder.startIndex }) ?? true {
                closing = ClosingParenthesis(in: remainder)
            }
            if byte == UInt8(ascii: "("), let closing, closing.end < remainder.endIndex {
                let end = closing.end
                let inside = remainder[(remainder.startIndex + 1)..<end]
                let after = remainder[(end + 1)...]
                if inside.starts(with: "unknown context at") {
                    remainder = after.dropping(".") ?? after
                    continue
                }
                if inside.starts(with: "extension in ") {
                    remainder = after.dropping(":") ?? after
                    continue
                }
                if let range = closing.discriminator, range.lowerBound >= inside.startIndex {
                    discriminator = discriminator ?? inside[(range.upperBound - 1)...].string
                    name.append(contentsOf: inside[..<range.lowerBound])
                    remainder = after
                    continue
                }
            }
            if isStart, let inner = remainder.dropping("__C.") ?? remainder.dropping("__ObjC.") {
                remainder = inner
                continue
            }
            name.append(byte)
            remainder = remainder.dropFirst()
        }
        return (withoutControls(name[...]), discriminator)
    }

    /// Returns the name without control characters, because a control character separates the parts of a grouping key.
    static func withoutControls(_ name: Text) -> Text {
        let isPlain = name.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        return (isPlain ? name : name.filter { $0 >= 0x20 && $0 != 0x7F }[...]).trimmed
    }

    /// Returns the name without the hexadecimal digits after each `0x` or `0X` that begins a word. `Banner320x50View` has no address.
    ///
    /// Any number of digits is removed, whatever follows them. The cache of groups relies on this: it masks the digits of
    /// addresses without further checks, and must not mask digits that stay here.
    static func withoutAddresses(_ name: Text) -> Text {
        var (copied, searched) = (name.startIndex, name.startIndex)
        var result: [UInt8] = []
        while let mark = name[searched...].firstIndex(where: { $0 | 0x20 == UInt8(ascii: "x") }) {
            searched = mark + 1
            let front = name[..<mark]
            guard front.last == UInt8(ascii: "0"), front.dropLast().last?.isIdentifier != true else {
                continue
            }
            result += name[copied..<searched]
            copied = name[searched...].drop(while: \.isHexadecimal).startIndex
            searched = copied
        }
        return copied == name.startIndex ? name : (result + name[copied...])[...]
    }

    /// A `)`, and the discriminator of a private type's file before it.
    private struct ClosingParenthesis {
        /// The index of the `)`; the end of the text if there is none.
        let end: Int
        /// The range of ` in _` or ` in $`, if only hexadecimal digits follow up to the `)`.
        let discriminator: Range<Int>?

        init(in text: Text) {
            let before = text.prefix { $0 != UInt8(ascii: ")") }
            end = before.endIndex
            let range = before.lastRange(of: " in _") ?? before.lastRange(of: " in $")
            discriminator = range.flatMap {
                before[$0.upperBound...].allSatisfy(\.isHexadecimal) ? $0 : nil
            }
        }
    }

    /// Returns `true` if a cleaned name can be the name of a type, such as `A` or `A.B<…>.C`. Outside of generic arguments, it has only
    /// identifiers and dots.
    static func isTypeLike(_ name: Text) -> Bool {
        guard let first = name.first, first.isIdentifier, !first.isDigit, !name.equals("…") else {
            return false
        }
        var depth = 0
        var previous: UInt8 = 0
        for byte in name {
            switch byte {
            case UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"): if previous != UInt8(ascii: "-") { depth -= 1 }
            case UInt8(ascii: "."): if depth == 0, previous == UInt8(ascii: ".") { return false }
            default: if depth == 0, !byte.isIdentifier { return false }
            }
            if depth < 0 { return false }
            previous = byte
        }
        guard depth == 0, previous != UInt8(ascii: ".") else { return false }
        // One lower-case word with a number in it, such as `user4711`, is more likely a user's name than a class.
        if !name.contains("."), !name.contains("<"), first >= UInt8(ascii: "a"), first <= UInt8(ascii: "z") {
            return !name.contains { $0.isDigit }
        }
        return true
    }
}
