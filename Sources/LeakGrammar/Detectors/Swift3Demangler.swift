internal import LeakMessage

/// A demangler for the mangling of Swift 3, in which Objective-C still names Swift classes: `_TtC5MyApp13FooController`.
///
/// The Swift runtime on Linux reads only later manglings. The grammar is in docs/ABI.rst of Swift 4.0, “Mangling”. The
/// demangler reads functions, closures, types of functions, tuples, protocol compositions, and nominal types with their generic
/// arguments: nested, private, local or in an extension. It does not read archetypes, punycode or metatypes.
struct Swift3Demangler {
    private var remainder: Text
    private var substitutions: [String] = []
    private var depth = 0

    private static let depthLimit = 32

    /// Limit of the total bytes of all names that are created while one symbol is read. Substitutions nest, so without a limit every
    /// ten bytes could double the length of the name. The longest names that are shown have a few thousand bytes.
    private static let totalByteLimit = 64 * 1024
    private var totalByteCount = 0

    /// Adds the bytes of a name to the total. Returns the name, or `nil` if the total exceeds ``totalByteLimit``.
    private mutating func counted(_ name: String?) -> String? {
        guard let name else { return nil }
        totalByteCount += name.utf8.count
        return totalByteCount <= Self.totalByteLimit ? name : nil
    }

    /// Demangles the name of a type.
    ///
    /// - Returns: the name in the form of the Swift runtime, or `nil` if `mangled` is not the name of a type in this mangling.
    static func demangle(_ mangled: Text) -> String? {
        guard let type = mangled.dropping("_Tt") else { return nil }
        var reader = Swift3Demangler(remainder: type)
        guard let name = reader.readType(), reader.remainder.isEmpty else { return nil }
        return name
    }

    /// Demangles the name of a function or a closure.
    ///
    /// - Returns: the name without its module, with the labels of the parameters; `nil` for any other symbol.
    static func function(_ symbol: Text) -> String? {
        guard symbol.starts(with: "_T"), !symbol.starts(with: "_T0") else { return nil }
        // The symbol of code that was generated for a function, such as `_TTSf4g_n___TF…` and `_TPA__TF…`, ends with the symbol
        // of the function.
        let start = symbol.firstRange(of: "_TF")?.lowerBound
        guard let function = start.map({ symbol[($0 + 2)...] }) ?? symbol.dropping("_TTo") else { return nil }
        var reader = Swift3Demangler(remainder: function)
        return reader.readFunction()
    }

    private init(remainder: Text) { self.remainder = remainder }

    private mutating func consume(_ byte: Unicode.Scalar) -> Bool {
        guard remainder.first == UInt8(ascii: byte) else { return false }
        remainder = remainder.dropFirst()
        return true
    }

    // MARK: Types

    private mutating func readType() -> String? {
        guard depth < Self.depthLimit else { return nil }
        depth += 1
        defer { depth -= 1 }
        return counted(readAnyType())
    }

    private mutating func readAnyType() -> String? {
        switch remainder.first {
        case UInt8(ascii: "C"), UInt8(ascii: "V"), UInt8(ascii: "O"): return readNominal()
        case UInt8(ascii: "G"): return readBoundGeneric()
        case UInt8(ascii: "S"): return readSubstitution()
        case UInt8(ascii: "F"):
            remainder = remainder.dropFirst()
            guard let argument = readType(), let result = readType() else { return nil }
            return "\(argument.hasPrefix("(") ? argument : "(\(argument))") -> \(result)"
        case UInt8(ascii: "T"):
            remainder = remainder.dropFirst()
            return readList { $0.readType() }.map { "(" + $0.joined(separator: ", ") + ")" }
        case UInt8(ascii: "P"):
            remainder = remainder.dropFirst()
            guard let protocols = readList({ $0.readProtocolName() }) else { return nil }
            return protocols.isEmpty ? "Any" : protocols.joined(separator: " & ")
        default: return nil
        }
    }

    /// Reads elements up to `_`.
    private mutating func readList(_ element: (inout Swift3Demangler) -> String?) -> [String]? {
        var elements: [String] = []
        while !consume("_") {
            guard let value = element(&self) else { return nil }
            elements.append(value)
        }
        return elements
    }

    private mutating func readBoundGeneric() -> String? {
        remainder = remainder.dropFirst()
        guard let base = readType(), let arguments = readList({ $0.readType() }), !arguments.isEmpty else {
            return nil
        }
        return "\(base)<\(arguments.joined(separator: ", "))>"
    }

    private mutating func readNominal() -> String? {
        remainder = remainder.dropFirst()
        return readDeclaration()
    }

    private mutating func readProtocolName() -> String? {
        counted(remainder.first == UInt8(ascii: "S") ? readSubstitutionOrDeclaration() : readDeclaration())
    }

    /// Reads a substitution such as `S_`, which is a whole protocol, or the module of a protocol whose name follows.
    private mutating func readSubstitutionOrDeclaration() -> String? {
        guard let name = readSubstitution() else { return nil }
        guard remainder.first?.isDigit ?? false, let member = readIdentifier() else { return name }
        return remember("\(name).\(member)")
    }

    /// Reads a context and a name in it.
    private mutating func readDeclaration() -> String? {
        guard let context = readContext() else { return nil }
        if consume("L") {
            // A type inside a function. Its number and the function are left out.
            _ = readIndex()
            return readIdentifier().map { remember($0) }
        }
        if consume("P") {
            guard let discriminator = readIdentifier(), let name = readIdentifier() else { return nil }
            return remember("\(context).(\(name) in \(discriminator))")
        }
        return readIdentifier().map { remember("\(context).\($0)") }
    }

    private mutating func readContext() -> String? {
        guard depth < Self.depthLimit else { return nil }
        depth += 1
        defer { depth -= 1 }
        return counted(readAnyContext())
    }

    private mutating func readAnyContext() -> String? {
        switch remainder.first {
        case UInt8(ascii: "C"), UInt8(ascii: "V"), UInt8(ascii: "O"): return readNominal()
        case UInt8(ascii: "G"): return readBoundGeneric()
        case UInt8(ascii: "S"): return readSubstitution()
        case UInt8(ascii: "s"):
            remainder = remainder.dropFirst()
            return "Swift"
        case UInt8(ascii: "E"):
            remainder = remainder.dropFirst()
            guard let module = readContext(), let extended = readType() else { return nil }
            return "(extension in \(module)):\(extended)"
        case UInt8(ascii: "F"):
            remainder = remainder.dropFirst()
            guard readContext() != nil, readIdentifier() != nil, readType() != nil else { return nil }
            return ""
        default: return readIdentifier().map { remember($0) }
        }
    }

    // MARK: Functions

    /// Reads `F` and either a context and a name with the type of a function, or a function and the number of a closure in it.
    private mutating func readFunction() -> String? {
        guard depth < Self.depthLimit, consume("F") else { return nil }
        depth += 1
        defer { depth -= 1 }
        if remainder.first == UInt8(ascii: "F") {
            guard let outer = readFunction(), consume("U"), let number = readIndex() else { return nil }
            return counted("closure #\(number + 1) in \(outer)")
        }
        guard let context = readContext(), let name = readIdentifier(), let labels = readLabels() else {
            return nil
        }
        let type = context.firstIndex(of: ".").map { context[context.index(after: $0)...] + "." } ?? ""
        return counted("\(type)\(name)(\(labels.map { $0 + ":" }.joined()))")
    }

    /// Reads the labels of a function's parameters from its type.
    private mutating func readLabels() -> [String]? {
        guard consume("f") || consume("F") else { return nil }
        var labels: [String] = []
        if consume("T") {
            while !consume("_") {
                labels.append(remainder.first?.isDigit ?? false ? readIdentifier() ?? "_" : "_")
                guard readType() != nil else { return nil }
            }
        } else {
            guard readType() != nil else { return nil }
            labels.append("_")
        }
        return readType() == nil ? nil : labels
    }

    // MARK: Names

    private mutating func remember(_ name: String) -> String {
        substitutions.append(name)
        return name
    }

    /// Reads a length and that many bytes.
    private mutating func readIdentifier() -> String? {
        let digits = remainder.prefix { $0.isDigit }
        guard let first = digits.first, first != UInt8(ascii: "0"), digits.count <= 4,
            let length = Int(digits.string)
        else {
            return nil
        }
        remainder = remainder[digits.endIndex...]
        guard remainder.count >= length else { return nil }
        let name = remainder.prefix(length)
        guard name.allSatisfy(\.isIdentifier) else { return nil }
        remainder = remainder[name.endIndex...]
        return name.string
    }

    /// Reads an index: `_` is 0, `0_` is 1, and so on.
    private mutating func readIndex() -> Int? {
        if consume("_") { return 0 }
        let digits = remainder.prefix { $0.isDigit }
        guard !digits.isEmpty, digits.count <= 4, let number = Int(digits.string) else { return nil }
        remainder = remainder[digits.endIndex...]
        return consume("_") ? number + 1 : nil
    }

    private mutating func readSubstitution() -> String? {
        remainder = remainder.dropFirst()
        let standardTypes: [(Unicode.Scalar, String)] = [
            ("a", "Array"), ("b", "Bool"), ("c", "UnicodeScalar"), ("d", "Double"), ("f", "Float"),
            ("i", "Int"),
            ("p", "UnsafeMutablePointer"), ("P", "UnsafePointer"), ("q", "Optional"), ("Q", "Optional"),
            ("R", "UnsafeBufferPointer"), ("r", "UnsafeMutableBufferPointer"), ("S", "String"), ("u", "UInt"),
            ("V", "UnsafeRawPointer"), ("v", "UnsafeMutableRawPointer"),
        ]
        for (letter, name) in standardTypes where consume(letter) { return "Swift.\(name)" }
        if consume("o") { return "__C" }
        if consume("C") { return "__C_Synthesized" }
        guard let index = readIndex(), index < substitutions.count else { return nil }
        return substitutions[index]
    }
}
