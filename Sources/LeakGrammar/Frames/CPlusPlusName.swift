internal import LeakMessage

/// The name of a C++ function by the Itanium mangling, without the types of its arguments and of its templates.
///
/// A demangler that writes those types may make gigabytes of a short symbol; this one reads each byte once. A name with an
/// expression or a substitution in it stays as it is. https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling
enum CPlusPlusName {
    static func read(_ symbol: Text) -> String {
        let mangled = symbol.dropping("__Z") ?? symbol.dropping("_Z") ?? symbol
        var reader = MangledReader(withoutThunk(mangled))
        guard let name = reader.name(depth: 0) else { return symbol.string }
        // A lambda that initializes a global is in no function.
        guard !name.parts.isEmpty else { return name.isLambda ? "lambda" : symbol.string }
        return (name.isLambda ? "lambda in " : "") + name.parts.joined(separator: "::") + "()"
    }

    /// Without `Thn16_` and `Tv0_n24_`, which correct the object's address for a virtual function.
    private static func withoutThunk(_ mangled: Text) -> Text {
        let count = mangled.starts(with: "Th") ? 1 : mangled.starts(with: "Tv") ? 2 : 0
        var remainder = mangled.dropFirst(count == 0 ? 0 : 2)
        for _ in 0..<count {
            let digits = (remainder.dropping("n") ?? remainder).drop { $0.isDigit }
            guard let textAfter = digits.dropping("_") else { return mangled }
            remainder = textAfter
        }
        return remainder
    }
}

/// A parser of a mangled name, byte by byte.
private struct MangledReader {
    /// The name of a function.
    struct Name {
        var parts: [String] = []
        var isLambda = false
    }

    /// Names in the functions that they are local to, and types in each other.
    private static let depthLimit = 32

    private var remainder: Text
    /// Literals in the type of a literal.
    private var openLiterals = 0

    init(_ text: Text) { remainder = text }

    private mutating func skip(_ prefix: StaticString) -> Bool {
        guard let textAfter = remainder.dropping(prefix) else { return false }
        remainder = textAfter
        return true
    }

    // MARK: Names

    mutating func name(depth: Int) -> Name? {
        guard depth < Self.depthLimit else { return nil }
        if skip("N") { return nested() }
        if skip("Z") { return local(depth: depth) }
        var name = Name()
        if skip("St") { name.parts.append("std") }
        guard part(&name) else { return nil }
        return remainder.first == UInt8(ascii: "I") && !skipTypes() ? nil : name
    }

    /// `N4shop4Cart3addE`, after the `N`
    private mutating func nested() -> Name? {
        while let first = remainder.first, "rVKRO".utf8.contains(first) { remainder = remainder.dropFirst() }
        var name = Name()
        while !skip("E") {
            if remainder.first == UInt8(ascii: "I") {
                guard !name.parts.isEmpty || name.isLambda, skipTypes() else { return nil }
            } else if skip("St") {
                name.parts.append("std")
            } else {
                guard part(&name) else { return nil }
            }
        }
        return name
    }

    /// `ZN4Cart4loadEvENKUlvE_clEv`, after the `Z`: a lambda or a local type of a function
    private mutating func local(depth: Int) -> Name? {
        guard var name = name(depth: depth + 1), skipTypes(isOpen: true) else { return nil }
        if skip("s") { return name }
        guard let inner = self.name(depth: depth + 1) else { return nil }
        name.isLambda = name.isLambda || inner.isLambda
        if !inner.isLambda { name.parts += inner.parts }
        return name
    }

    private mutating func part(_ name: inout Name) -> Bool {
        _ = skip("L")
        guard let first = remainder.first else { return false }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            guard let identifier = identifier() else { return false }
            if identifier.starts(with: "$_") {
                // Clang numbers the lambdas of a file: `$_0`.
                name.isLambda = true
            } else if !name.isLambda || !identifier.equals("__invoke") {
                name.parts.append(
                    identifier.starts(with: "_GLOBAL__N") ? "(anonymous namespace)" : identifier.string)
            }
        case UInt8(ascii: "C"):
            guard let last = name.parts.last, let kind = remainder.dropFirst().first, kind.isDigit else {
                return false
            }
            remainder = remainder.dropFirst(2)
            guard endsName else { return false }
            name.parts.append(last)
        case UInt8(ascii: "D"):
            guard let last = name.parts.last, let kind = remainder.dropFirst().first, kind.isDigit else {
                return false
            }
            remainder = remainder.dropFirst(2)
            guard endsName else { return false }
            name.parts.append("~" + last)
        case UInt8(ascii: "U"):
            guard skip("Ul") ? skipTypes(isOpen: true) : skip("Ut") else { return false }
            remainder = remainder.drop { $0.isDigit }
            guard skip("_") else { return false }
            name.isLambda = true
        case UInt8(ascii: "S"):
            let known = Self.substitutions.first { skip($0.mangled) }
            guard let known else { return false }
            name.parts.append(known.name)
        default:
            guard let known = Self.operators.first(where: { skip($0.mangled) }) else { return false }
            // A lambda's call is the lambda.
            if !name.isLambda { name.parts.append("operator" + known.name) }
        }
        while skip("B") { guard identifier() != nil else { return false } }
        return true
    }

    /// True after a constructor or destructor, which is the last part of a name: repeated ones would grow it without end.
    private var endsName: Bool { remainder.first.map { "EIB".utf8.contains($0) } ?? false }

    private mutating func identifier() -> Text? {
        let digits = remainder.prefix(9).prefix { $0.isDigit }
        let textAfter = remainder[digits.endIndex...]
        guard let length = Int(digits.string), length > 0, textAfter.count >= length else { return nil }
        remainder = textAfter.dropFirst(length)
        return textAfter.prefix(length)
    }

    private static let substitutions: [(mangled: StaticString, name: String)] = [
        ("Sa", "std::allocator"), ("Sb", "std::basic_string"), ("Ss", "std::string"), ("Si", "std::istream"),
        ("So", "std::ostream"), ("Sd", "std::iostream"),
    ]
    private static let operators: [(mangled: StaticString, name: String)] = [
        ("nw", " new"), ("na", " new[]"), ("dl", " delete"), ("da", " delete[]"), ("cl", "()"), ("ix", "[]"),
        ("pl", "+"),
        ("mi", "-"), ("ml", "*"), ("dv", "/"), ("eq", "=="), ("ne", "!="), ("lt", "<"), ("gt", ">"),
        ("le", "<="),
        ("ge", ">="), ("aS", "="), ("pL", "+="), ("mI", "-="), ("ls", "<<"), ("rs", ">>"), ("pt", "->"),
        ("nt", "!"),
        ("aa", "&&"), ("oo", "||"), ("pp", "++"), ("mm", "--"), ("de", "*"), ("ad", "&"), ("rm", "%"),
        ("ss", "<=>"),
    ]

    // MARK: Types

    /// Skips types, and the `E` that ends as many lists of them as are open.
    ///
    /// - Parameter isOpen: true if the outermost list's first letter was read.
    /// - Returns: `false` at the end, and for expressions and other parts that are not read.
    private mutating func skipTypes(isOpen: Bool = false) -> Bool {
        var depth = isOpen ? 1 : 0
        // Lists after whose `E` a number of a lambda stands.
        var lambdas: [Int] = []
        while let byte = remainder.first {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard identifier() != nil else { return false }
                continue
            case UInt8(ascii: "S"):
                remainder = remainder.dropFirst()
                if let next = remainder.first, "tabsiod".utf8.contains(next) {
                    remainder = remainder.dropFirst()
                } else {
                    remainder = remainder.drop { $0.isDigit || $0.isUppercase }
                    guard skip("_") else { return false }
                }
                continue
            case UInt8(ascii: "T"):
                remainder = remainder.dropFirst().drop { $0.isDigit }
                guard skip("_") else { return false }
                continue
            case UInt8(ascii: "A"):
                remainder = remainder.dropFirst().drop { $0.isDigit }
                guard skip("_") else { return false }
                continue
            case UInt8(ascii: "L"):
                guard skipLiteral() else { return false }
                continue
            case UInt8(ascii: "C") where remainder.dropFirst().first?.isDigit ?? false:
                remainder = remainder.dropFirst()
            case UInt8(ascii: "D"):
                guard let kind = remainder.dropFirst().first,
                    kind.isDigit || "niscpuhfdeao".utf8.contains(kind)
                else {
                    return false
                }
                remainder = remainder.dropFirst()
            case UInt8(ascii: "U"):
                if skip("Ul") {
                    depth += 1
                    lambdas.append(depth)
                } else {
                    guard skip("Ut") else { return false }
                    remainder = remainder.drop { $0.isDigit }
                    guard skip("_") else { return false }
                }
                continue
            case UInt8(ascii: "X"): return false
            case UInt8(ascii: "_"):
                // The number of a local name.
                remainder = remainder.dropFirst()
                remainder = remainder.dropFirst(remainder.first?.isDigit ?? false ? 1 : 0)
                continue
            case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "F"), UInt8(ascii: "J"),
                UInt8(ascii: "Z"):
                depth += 1
            case UInt8(ascii: "E"):
                remainder = remainder.dropFirst()
                if lambdas.last == depth {
                    lambdas.removeLast()
                    remainder = remainder.drop { $0.isDigit }
                    guard skip("_") else { return false }
                }
                depth -= 1
                if depth <= 0 { return true }
                continue
            default: guard byte.isLetter else { return false }
            }
            remainder = remainder.dropFirst()
        }
        return false
    }

    /// `Lj42E`, `LN4shop4KindE2E`
    private mutating func skipLiteral() -> Bool {
        guard skip("L"), openLiterals < Self.depthLimit else { return false }
        openLiterals += 1
        defer { openLiterals -= 1 }
        if remainder.first?.isDigit ?? false {
            guard identifier() != nil else { return false }
        } else if skip("N") {
            guard nested() != nil else { return false }
        } else if let type = remainder.first, type.isLetter, !type.isUppercase {
            remainder = remainder.dropFirst()
        } else {
            return false
        }
        remainder = remainder.drop { $0.isDigit || $0.isLetter && !$0.isUppercase }
        return skip("E")
    }
}
