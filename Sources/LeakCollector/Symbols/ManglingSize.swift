/// Upper bound for the length of a mangled name after demangling.
///
/// The demangler of the Swift runtime writes each substitution out, and substitutions nest: six bytes double
/// everything before them, so a name of two hundred bytes would fill the memory. This type walks over the operators
/// of swift 6.3, docs/ABI/Mangling.rst, as the demangler does, and adds up the maximum length of each. It knows the
/// operators of types, functions, variables, thunks and specializations. A name with another operator, such as those
/// of key paths and of automatic differentiation, has no bound here.
struct ManglingSize {
    /// Maximum length in bytes: several times the longest names that SwiftUI makes, demangled in a fraction of a
    /// millisecond.
    static let limit = 16 * 1024
    /// Maximum repetitions of a substitution. `S2S` repeats `S` twice; real types do not have more of one kind side by
    /// side.
    private static let repeatLimit = 16

    private var rest: ArraySlice<UInt8>
    /// `true` to also read the operators of generic and compiler-made functions.
    private let isFunction: Bool
    /// Maximum bytes of everything read so far, and of every substitution.
    private var size = 0
    /// Bytes of all identifiers, the maximum for a word of an earlier identifier.
    private var words = 0
    /// Maximum bytes of each substitution: the size when this index or a later one was first used.
    ///
    /// Substitutions are numbered in the order in which they occur, so each consists of text before that point.
    private var substitutions: [Int] = []

    /// Returns the upper bound of a demangled name.
    ///
    /// - Returns: an upper bound in bytes, or `nil` if `symbol` is not a mangled name, contains an unknown operator,
    ///   or exceeds ``limit``.
    ///
    /// - Parameter isFunction: `false` reads only the operators in names of types, as version 1 of the grouping rules
    ///   does.
    static func bound(_ symbol: some Collection<UInt8>, isFunction: Bool = false) -> Int? {
        var reader = ManglingSize(rest: Array(symbol)[...], isFunction: isFunction)
        guard reader.prefix() else { return nil }
        while !reader.rest.isEmpty {
            guard reader.step(), reader.size <= limit else { return nil }
        }
        return reader.size
    }

    private init(rest: ArraySlice<UInt8>, isFunction: Bool) {
        self.rest = rest
        self.isFunction = isFunction
    }

    /// Reads the prefix of Swift 5 and later, 4.2, or 4.0.
    private mutating func prefix() -> Bool {
        for prefix in ["$s", "$S", "_T0"] where rest.starts(with: prefix.utf8) {
            rest = rest.dropFirst(prefix.utf8.count)
            return true
        }
        return false
    }

    // MARK: Operators

    /// Reads one operator, or one identifier.
    private mutating func step() -> Bool {
        guard let byte = rest.first else { return false }
        if byte &- UInt8(ascii: "0") < 10 { return identifier() }
        rest = rest.dropFirst()
        if Self.structure.contains(byte) {
            size += Self.structureWording
            return true
        }
        size += Self.longestWording
        switch byte {
        case UInt8(ascii: "A"): return substitution()
        case UInt8(ascii: "S"): return standardType()
        case UInt8(ascii: "L"): return local()
        case UInt8(ascii: "v"), UInt8(ascii: "i"): return accessor()
        case UInt8(ascii: "f"): return function()
        case UInt8(ascii: "o"): return oneOf("ipP")
        case UInt8(ascii: "M"): return oneOf("acfLmnopPrsSuVXIiJ") && rest.isEmpty
        case UInt8(ascii: "."):
            // A suffix, such as `.resume.0`, follows the name in quotes, with bytes other than letters as `\xFF`.
            size += rest.count * 4
            rest = rest[rest.endIndex...]
            return true
        default:
            if Self.plainOperators.contains(byte) { return true }
            return isFunction ? functionOperator(byte) : typeOperator(byte)
        }
    }

    private mutating func typeOperator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "q"): return index()
        case UInt8(ascii: "Y"): return oneOf("abcK")
        case UInt8(ascii: "T"): return oneOf("AcEjmoOqRuwW") && rest.isEmpty
        default: return false
        }
    }

    private mutating func functionOperator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "q"): return genericParameter()
        case UInt8(ascii: "r"): return genericSignature()
        case UInt8(ascii: "R"): return requirement()
        case UInt8(ascii: "Q"): return archetype()
        case UInt8(ascii: "I"): return loweredFunction()
        case UInt8(ascii: "W"): return witness()
        case UInt8(ascii: "H"): return conformance()
        case UInt8(ascii: "X"): return specialType()
        case UInt8(ascii: "Y"): return oneOf("abcKATuitlgkCmp")
        case UInt8(ascii: "T"): return thunk()
        default: return false
        }
    }

    /// Operators of contexts, generic arguments and lists. The longest texts for them are `(extension in M):`,
    /// `static `, `, ` and ` first-element-marker `.
    private static let structure = Set("CDEGOPVZsty_".utf8)
    private static let structureWording = 24
    /// Operators of functions, metatypes and conventions.
    private static let plainOperators = Set("FKNacdhlmnpuxz".utf8)
    /// Maximum bytes of the text for an operator. The longest one known is `reflection metadata field descriptor for
    /// `.
    private static let longestWording = 64

    /// Reads the part after `A`: letters, the last one in upper case, each optionally after a count; or an index and
    /// `_`.
    private mutating func substitution() -> Bool {
        while true {
            let count = number()
            guard let letter = rest.popFirst() else { return false }
            switch letter {
            case UInt8(ascii: "_"):
                return use(count.map { $0 + 27 } ?? 26)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                return use(Int(letter - UInt8(ascii: "A")), times: count ?? 1)
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                guard use(Int(letter - UInt8(ascii: "a")), times: count ?? 1) else { return false }
            default: return false
            }
        }
    }

    private mutating func use(_ index: Int, times: Int = 1) -> Bool {
        guard times <= Self.repeatLimit else { return false }
        // Only text before this point can have been numbered.
        guard index < rest.startIndex else { return false }
        while substitutions.count <= index { substitutions.append(size) }
        size += substitutions[index] * max(1, times)
        return size <= Self.limit
    }

    /// Reads the part after `S`: a type of the standard library, optionally after a count; `Sg` is an optional.
    private mutating func standardType() -> Bool {
        let count = number() ?? 1
        // One letter for a type; after `c`, one letter for a type of the concurrency module.
        _ = take("c")
        guard rest.popFirst() != nil, count <= Self.repeatLimit else { return false }
        size += Self.longestWording * count
        return true
    }

    /// Reads `L` in a type's name: the number of a local type, or a mark that the identifier before names the file.
    private mutating func local() -> Bool {
        if oneOf("Ll") { return true }
        return oneOf("abcdefghijABCDEFGHIJ") || index()
    }

    /// Reads how a variable or subscript is accessed.
    private mutating func accessor() -> Bool {
        if take("a") || take("l") { return oneOf("OoaupP") }
        return oneOf("gGsmMrpwWiz")
    }

    private mutating func function() -> Bool {
        if take("A") || take("U") || take("u") { return index() }
        // Code from a macro, with the macro's kind.
        if isFunction, take("M") { return oneOf("arfmpcebu") && index() }
        return oneOf("acCdDeEFiPW")
    }

    // MARK: Generic code

    /// Reads the part after `q`, and in requirements: a parameter of a generic context.
    private mutating func genericParameter() -> Bool {
        if take("d") { return index() && index() }
        return take("z") || take("s") || index()
    }

    /// Reads the part after `r`: the number of parameters of each depth, up to `l`.
    private mutating func genericSignature() -> Bool {
        while !take("l") {
            size += Self.longestWording
            guard take("z") || index() else { return false }
        }
        return true
    }

    /// Reads the part after `R`: a letter for the kind of the requirement and of its subject, no letter for a protocol
    /// of a parameter.
    private mutating func requirement() -> Bool {
        size += Self.longestWording
        guard let kind = rest.first else { return false }
        if oneOf("CTPMBSLQ") {
            let isCompound =
                kind != UInt8(ascii: "B") && kind != UInt8(ascii: "S") && kind != UInt8(ascii: "L")
                && kind != UInt8(ascii: "Q")
            guard !isCompound || genericParameter() else { return false }
            return kind != UInt8(ascii: "M") && kind != UInt8(ascii: "L") || layout()
        }
        if oneOf("ij") { return index() && genericParameter() }
        if oneOf("ml") { return genericParameter() && layout() }
        _ = oneOf("vcbtsph")
        return genericParameter()
    }

    /// Reads the layout of a layout requirement.
    private mutating func layout() -> Bool {
        if oneOf("URNCDTB") { return true }
        if oneOf("EM") { return index() && index() }
        return oneOf("em") && index()
    }

    /// Reads the part after `Q`: an associated type, an opaque result or a pack.
    private mutating func archetype() -> Bool {
        if oneOf("xXzZarOpPS") { return true }
        if oneOf("yY") { return genericParameter() }
        return oneOf("oRe") && index()
    }

    /// Reads the part after `H`: a conformance.
    private mutating func conformance() -> Bool {
        if oneOf("CPpXcnorF") { return true }
        return oneOf("ADIO") && index()
    }

    // MARK: Code that the compiler made

    /// Reads the part after `I`: letters for the conventions of a lowered function, up to `_`.
    private mutating func loweredFunction() -> Bool {
        while let letter = rest.first, Self.isLetter(letter) {
            rest = rest.dropFirst()
            size += Self.longestWording
        }
        return take("_")
    }

    /// Reads the part after `W`: tables of witnesses, lazy accessors, and outlined copies of values.
    private mutating func witness() -> Bool {
        if take("O") { return oneOf("ij") ? index() : oneOf("yerscdfbhkBCDgn") }
        if take("v") { return oneOf("di") }
        return oneOf("VPpGgaIiLlTtbCoSJjzZ")
    }

    /// Reads the part after `X`: conventions and representations of functions and metatypes.
    private mutating func specialType() -> Bool {
        if oneOf("Mm") { return oneOf("tTo") }
        if take("z") { return oneOf("BC") }
        return oneOf("ACEfKULBgGoubDpPlcSwe")
    }

    /// Reads the part after `T`: a thunk, a continuation or a specialization.
    private mutating func thunk() -> Bool {
        if oneOf("QYvz") { return index() }
        if oneOf("gGBtsipP") { return specialization() }
        if take("f") { return functionSpecialization() }
        if take("w") { return oneOf("bBS") }
        return oneOf("AacCDdEFIjlLmMnNbOoqRrSuVWXxyKkHh")
    }

    /// Reads the marks of a specialization and the number of the pass that made it.
    private mutating func specialization() -> Bool {
        while oneOf("mqar") {}
        return oneOf("0123456789")
    }

    /// Reads a group of letters for each parameter, up to `_`, and one for the result, up to `n` or the end.
    private mutating func functionSpecialization() -> Bool {
        guard specialization() else { return false }
        while !take("_") {
            size += Self.longestWording
            guard oneOf("ndgexisrocpGOXDfSbw0123456789kC") else { return false }
        }
        return take("n") || oneOf("dgexisrGOXD") || rest.isEmpty
    }

    // MARK: Parts of operators

    /// Reads `_`, or a number and `_`.
    private mutating func index() -> Bool {
        _ = number()
        return take("_")
    }

    /// Reads a length and as many bytes, in punycode after `00`. After `0`, letters for words of earlier identifiers
    /// alternate with such lengths, up to a letter in upper case that `0` or a last length follows.
    private mutating func identifier() -> Bool {
        guard take("0") else { return literal(isPunycode: false) }
        if take("0") { return literal(isPunycode: true) }
        var isLast = false
        while !isLast {
            while !isLast, let letter = rest.first, Self.isLetter(letter) {
                rest = rest.dropFirst()
                size += words
                isLast = letter <= UInt8(ascii: "Z")
            }
            if take("0") { break }
            guard size <= Self.limit, literal(isPunycode: false) else { return false }
        }
        size += Self.longestWording
        return true
    }

    private mutating func literal(isPunycode: Bool) -> Bool {
        guard let length = number(), length > 0 else { return false }
        if isPunycode { _ = take("_") }
        guard rest.count >= length else { return false }
        rest = rest.dropFirst(length)
        // A scalar takes at least one byte in punycode, and at most four in UTF-8.
        let bytes = isPunycode ? length * 4 : length
        size += bytes + Self.longestWording
        words += bytes
        return true
    }

    private mutating func number() -> Int? {
        var number: Int?
        while let digit = rest.first.map({ $0 &- UInt8(ascii: "0") }), digit < 10 {
            rest = rest.dropFirst()
            // The number is capped, because it then exceeds the length of any name.
            number = min((number ?? 0) * 10 + Int(digit), Self.limit)
        }
        return number
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: byte) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func oneOf(_ letters: String) -> Bool {
        guard let byte = rest.first, letters.utf8.contains(byte) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
}
