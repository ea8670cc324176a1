internal import LeakMessage

/// A reader of the demangled signature of a C++ function. It returns the name in the form of ``CPlusPlusDemangler``: without
/// the types of arguments, templates and results.
///
/// `shop::Cart::load(std::__cxx11::basic_string<char> const&) const` is `shop::Cart::load()`, and
/// `Cart::load(int)::{lambda()#1}::operator()() const` is `lambda in Cart::load()`. The reader reads each byte a bounded number
/// of times.
struct CPlusPlusSignatureReader {
    private var remainder: Text
    private var parts: [String] = []
    private var component: [UInt8] = []
    private var isLambda = false
    private var hasArguments = false

    /// - Returns: `nil` for the signature of a function of another language.
    static func read(_ symbol: Text) -> String? {
        if let block = symbol.dropping("invocation function for block in ") {
            return mayBeSignature(block) ? read(block).map { "block in " + $0 } : nil
        }
        guard mayBeSignature(symbol) else { return nil }
        var text = symbol
        for thunk in thunks { text = text.dropping(thunk) ?? text }
        var reader = CPlusPlusSignatureReader(remainder: text)
        return reader.readName()
    }

    private init(remainder: Text) { self.remainder = remainder }

    private static let thunks: [StaticString] = [
        "non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to ",
    ]

    /// Returns `true` for names in namespaces, and for functions whose arguments have types and no labels.
    private static func mayBeSignature(_ symbol: Text) -> Bool {
        // Functions of Swift have results, or contexts, or types of variables that a debugger prints.
        if symbol.contains(" -> ") || symbol.contains(" : ") || symbol.contains(" in ") { return false }
        guard let open = symbol.firstIndex(of: UInt8(ascii: "(")) else { return symbol.contains("::") }
        let head = symbol[..<open]
        if head.contains("::") || symbol.starts(with: "(anonymous namespace)::") { return true }
        // A name of C++ has only these characters before the parentheses. Types are inside them, or a local function follows.
        let inside = Brackets.inside(symbol[open...])
        let isCPlusPlusName = head.allSatisfy { $0.isIdentifier || " <>*&,[]".utf8.contains($0) }
        guard isCPlusPlusName, !inside.contains(UInt8(ascii: "=")) else { return false }
        if symbol[inside.endIndex...].contains("::") { return true }
        return !inside.isEmpty && (inside.contains("::") || !inside.contains(UInt8(ascii: ":")))
    }

    private mutating func readName() -> String? {
        while let byte = remainder.first {
            switch byte {
            case UInt8(ascii: ":"):
                guard let textAfter = remainder.dropping("::") else { return nil }
                endComponent()
                remainder = textAfter
            case UInt8(ascii: "("):
                if component.isEmpty, let textAfter = remainder.dropping("(anonymous namespace)") {
                    component = Array("(anonymous namespace)".utf8)
                    remainder = textAfter
                } else {
                    guard skipBrackets(), readQualifiers() else { return nil }
                }
            case UInt8(ascii: "<"):
                if component.isEmpty, remainder.starts(with: "<lambda") { isLambda = true }
                // Rust begins a name with a bracket: `<Cart as Drop>::drop`.
                guard !component.isEmpty || isLambda, skipBrackets() else { return nil }
            case UInt8(ascii: "{"):
                guard component.isEmpty, skipBrackets() else { return nil }
                isLambda = true
            case UInt8(ascii: "'"):
                // `'lambda'`, or its redacted form.
                guard component.isEmpty,
                    let end = remainder.dropFirst().firstIndex(of: UInt8(ascii: "'"))
                else { return nil }
                isLambda = true
                remainder = remainder[(end + 1)...]
            case UInt8(ascii: "["):
                // `[abi:cxx11]`
                guard remainder.starts(with: "[abi:") || remainder.starts(with: "[clone"), skipBrackets()
                else {
                    return nil
                }
            case UInt8(ascii: " "):
                remainder = remainder.dropFirst()
                guard !remainder.starts(with: "[") else { continue }
                // The text so far is the type of the result.
                (parts, component, isLambda) = ([], [], false)
            case UInt8(ascii: "."), UInt8(ascii: "="), UInt8(ascii: "#"), UInt8(ascii: "`"),
                UInt8(ascii: "-"):
                return nil
            case UInt8(ascii: "o") where component.isEmpty && remainder.starts(with: "operator"):
                guard readOperator() else { return nil }
            default:
                component.append(byte)
                remainder = remainder.dropFirst()
            }
        }
        endComponent()
        if parts.isEmpty { return isLambda ? "lambda" : nil }
        guard parts.count > 1 || hasArguments else { return nil }
        return (isLambda ? "lambda in " : "") + parts.joined(separator: "::") + (hasArguments ? "()" : "")
    }

    private mutating func endComponent() {
        defer { component = [] }
        guard !component.isEmpty else { return }
        if component.starts(with: Array("$_".utf8)) {
            // Clang numbers the lambdas of a file.
            isLambda = true
        } else if !isLambda || !Self.lambdaCalls.contains(where: { component[...].equals($0) }) {
            parts.append(component[...].string)
        }
    }

    /// Functions by which compilers call a lambda. They count as the lambda itself.
    private static let lambdaCalls: [StaticString] = ["operator()", "__invoke", "_FUN"]

    /// Skips the text up to the bracket that closes the bracket at the start, that bracket included.
    private mutating func skipBrackets() -> Bool {
        guard let end = Brackets.endIndexIfClosed(ofBracketAtStartOf: remainder) else { return false }
        remainder = remainder[end...]
        return true
    }

    /// Reads the qualifiers of the function, which follow the arguments.
    ///
    /// - Returns: `false` unless the text ends here or the name of a local function or type follows.
    private mutating func readQualifiers() -> Bool {
        hasArguments = true
        var isQualifier = true
        while isQualifier {
            isQualifier = false
            for words in Self.qualifiers {
                guard let textAfter = remainder.dropping(words) else { continue }
                (remainder, isQualifier) = (textAfter, true)
            }
            if remainder.starts(with: "[") || remainder.starts(with: " [") {
                remainder = remainder.dropping(" ") ?? remainder
                guard skipBrackets() else { return false }
                isQualifier = true
            }
        }
        return remainder.isEmpty || remainder.starts(with: "::")
    }

    private static let qualifiers: [StaticString] = [" const", " volatile", " &&", " &", " noexcept"]

    /// Reads `operator<<`, `operator()`, `operator new[]` and `operator bool`, up to the arguments.
    private mutating func readOperator() -> Bool {
        guard let textAfter = remainder.dropping("operator"), let first = textAfter.first, !first.isIdentifier
        else {
            component.append(remainder[remainder.startIndex])
            remainder = remainder.dropFirst()
            return true
        }
        component = Array("operator".utf8)
        if let sign = Self.operatorSigns.first(where: { textAfter.starts(with: $0) }) {
            component += textAfter.prefix(sign.utf8CodeUnitCount)
            remainder = textAfter.dropFirst(sign.utf8CodeUnitCount)
            // `operator< <int>`
            if remainder.starts(with: " <") { remainder = remainder.dropFirst() }
            return true
        }
        // A type, or `new` and `delete`.
        guard first == UInt8(ascii: " ") else { return false }
        var index = textAfter.startIndex
        while index < textAfter.endIndex, textAfter[index] != UInt8(ascii: "(") {
            if textAfter[index] == UInt8(ascii: "<") {
                guard let end = Brackets.endIndexIfClosed(ofBracketAtStartOf: textAfter[index...]) else {
                    return false
                }
                index = end
            } else {
                component.append(textAfter[index])
                index += 1
            }
        }
        remainder = textAfter[index...]
        return true
    }

    /// The signs of operators. A longer sign precedes the signs that it begins with.
    private static let operatorSigns: [StaticString] = [
        "()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "==", "!=", "->", "&&", "||", "++",
        "--", "+=", "-=", "*=",
        "/=", "%=", "^=", "&=", "|=", "<", ">", "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=", ",",
        "\"\"",
    ]
}
