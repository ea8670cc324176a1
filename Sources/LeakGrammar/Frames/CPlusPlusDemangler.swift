internal import LeakMessage

/// A demangler of the names of C++ functions in the Itanium mangling. It leaves out the types of arguments and of templates.
///
/// A demangler that writes those types may produce gigabytes from a short symbol. This one reads each byte once. A name that
/// contains an expression or a substitution stays mangled. https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling
enum CPlusPlusDemangler {
    static func read(_ symbol: Text) -> String {
        let mangled = symbol.dropping("__Z") ?? symbol.dropping("_Z") ?? symbol
        var reader = MangledReader(withoutThunk(mangled))
        guard let name = reader.readName(depth: 0) else { return symbol.string }
        // A lambda that initializes a global variable is not inside a function.
        guard !name.parts.isEmpty else { return name.isLambda ? "lambda" : symbol.string }
        return (name.isLambda ? "lambda in " : "") + name.parts.joined(separator: "::") + "()"
    }

    /// Removes `Thn16_` and `Tv0_n24_`, the marks of thunks that correct the object's address for a virtual function.
    private static func withoutThunk(_ mangled: Text) -> Text {
        let offsetCount = mangled.starts(with: "Th") ? 1 : mangled.starts(with: "Tv") ? 2 : 0
        var remainder = mangled.dropFirst(offsetCount == 0 ? 0 : 2)
        for _ in 0..<offsetCount {
            let digits = (remainder.dropping("n") ?? remainder).drop { $0.isDigit }
            guard let textAfter = digits.dropping("_") else { return mangled }
            remainder = textAfter
        }
        return remainder
    }
}

/// A parser of a mangled name, byte by byte.
private struct MangledReader {
    /// The components of a function's name.
    struct Name {
        var parts: [String] = []
        var isLambda = false
    }

    /// Limit of the nesting of local names and of literals.
    private static let depthLimit = 32

    private var remainder: Text
    /// The number of literals that are being read, one inside the type of another.
    private var literalDepth = 0

    init(_ text: Text) { remainder = text }

    private mutating func skip(_ prefix: StaticString) -> Bool {
        guard let textAfter = remainder.dropping(prefix) else { return false }
        remainder = textAfter
        return true
    }

    // MARK: Names

    mutating func readName(depth: Int) -> Name? {
        guard depth < Self.depthLimit else { return nil }
        if skip("N") { return readNestedName() }
        if skip("Z") { return readLocalName(depth: depth) }
        var name = Name()
        if skip("St") { name.parts.append("std") }
        guard appendPart(to: &name) else { return nil }
        return remainder.first == UInt8(ascii: "I") && !skipTypes() ? nil : name
    }

    /// Reads the rest of a nested name such as `N4shop4Cart3addE`, after the `N`.
    private mutating func readNestedName() -> Name? {
        while let first = remainder.first, "rVKRO".utf8.contains(first) { remainder = remainder.dropFirst() }
        var name = Name()
        while !skip("E") {
            if remainder.first == UInt8(ascii: "I") {
                guard !name.parts.isEmpty || name.isLambda, skipTypes() else { return nil }
            } else if skip("St") {
                name.parts.append("std")
            } else {
                guard appendPart(to: &name) else { return nil }
            }
        }
        return name
    }

    /// Reads the rest of a local name such as `ZN4Cart4loadEvENKUlvE_clEv`, after the `Z`: a lambda or a local type of a function.
    private mutating func readLocalName(depth: Int) -> Name? {
        guard var name = readName(depth: depth + 1), skipTypes(isOpen: true) else { return nil }
        if skip("s") { return name }
        guard let inner = self.readName(depth: depth + 1) else { return nil }
        name.isLambda = name.isLambda || inner.isLambda
        if !inner.isLambda { name.parts += inner.parts }
        return name
    }

    /// Reads one component of a name.
    private mutating func appendPart(to name: inout Name) -> Bool {
        _ = skip("L")
        guard let first = remainder.first else { return false }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            guard let identifier = readIdentifier() else { return false }
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
            guard nameMayEndHere else { return false }
            name.parts.append(last)
        case UInt8(ascii: "D"):
            guard let last = name.parts.last, let kind = remainder.dropFirst().first, kind.isDigit else {
                return false
            }
            remainder = remainder.dropFirst(2)
            guard nameMayEndHere else { return false }
            name.parts.append("~" + last)
        case UInt8(ascii: "U"):
            guard skip("Ul") ? skipTypes(isOpen: true) : skip("Ut") else { return false }
            remainder = remainder.drop { $0.isDigit }
            guard skip("_") else { return false }
            name.isLambda = true
        case UInt8(ascii: "S"):
            let substitution = Self.substitutions.first { skip($0.mangled) }
            guard let substitution else { return false }
            name.parts.append(substitution.name)
        default:
            guard let match = Self.operators.first(where: { skip($0.mangled) }) else { return false }
            // The call operator of a lambda counts as the lambda itself.
            if !name.isLambda { name.parts.append("operator" + match.name) }
        }
        while skip("B") { guard readIdentifier() != nil else { return false } }
        return true
    }

    /// `true` if the name may end here, as after a constructor or destructor. Without this check, repeated constructors would make
    /// a name of unlimited length.
    private var nameMayEndHere: Bool { remainder.first.map { "EIB".utf8.contains($0) } ?? false }

    private mutating func readIdentifier() -> Text? {
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

    /// Skips a list of types, up to the `E` that ends it. Lists may contain lists.
    ///
    /// - Parameter isOpen: `true` if the first letter of the outermost list was read already.
    /// - Returns: `false` at the end of the text, and for expressions and other parts that this reader does not know.
    private mutating func skipTypes(isOpen: Bool = false) -> Bool {
        var depth = isOpen ? 1 : 0
        // The depths of lists that are followed by the number of a lambda after their `E`.
        var lambdaDepths: [Int] = []
        while let byte = remainder.first {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard readIdentifier() != nil else { return false }
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
                    lambdaDepths.append(depth)
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
                if lambdaDepths.last == depth {
                    lambdaDepths.removeLast()
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

    /// Skips a literal such as `Lj42E` or `LN4shop4KindE2E`.
    private mutating func skipLiteral() -> Bool {
        guard skip("L"), literalDepth < Self.depthLimit else { return false }
        literalDepth += 1
        defer { literalDepth -= 1 }
        if remainder.first?.isDigit ?? false {
            guard readIdentifier() != nil else { return false }
        } else if skip("N") {
            guard readNestedName() != nil else { return false }
        } else if let type = remainder.first, type.isLetter, !type.isUppercase {
            remainder = remainder.dropFirst()
        } else {
            return false
        }
        remainder = remainder.drop { $0.isDigit || $0.isLetter && !$0.isUppercase }
        return skip("E")
    }
}
