/// Upper bound for the length of a mangled name after demangling.
///
/// The demangler of the Swift runtime writes each substitution out, and substitutions nest: six bytes double
/// everything before them, so a name of two hundred bytes would fill the memory. This type walks over the operators
/// of swift 6.3, docs/ABI/Mangling.rst, as the demangler does, and adds up the maximum length of each. It knows the
/// operators of types, functions, variables, thunks and specializations. A name with another operator, such as those
/// of key paths and of automatic differentiation, has no bound here.
struct DemangledSizeBound {
    /// Maximum length in bytes: several times that of the longest names that SwiftUI makes. The runtime demangles such a
    /// name in a fraction of a millisecond.
    static let maxBytes = 16 * 1024
    /// Maximum repetitions of a substitution: `S2S` stands for two strings. Real types do not have more equal parts in a
    /// row.
    private static let maxRepetitions = 16

    private var remainingBytes: ArraySlice<UInt8>
    /// `true` to also read the operators of generic and compiler-made functions.
    private let isFunction: Bool
    /// Maximum bytes of everything read so far, and of every substitution.
    private var size = 0
    /// Bytes of all identifiers so far. A later reference to a word of one of them adds at most so many bytes.
    private var identifierBytes = 0
    /// Maximum bytes of each substitution, by its index: ``size`` at the time when this index or a higher index was first used.
    ///
    /// Substitutions are numbered in the order in which they occur, so each of them repeats a part of the text before that
    /// time.
    private var substitutionSizes: [Int] = []

    /// Returns the upper bound of a demangled name.
    ///
    /// - Returns: an upper bound in bytes, or `nil` if `symbol` is not a mangled name, contains an unknown operator,
    ///   or exceeds ``maxBytes``.
    ///
    /// - Parameter isFunction: `false` reads only the operators in names of types, as version 1 of the grouping rules
    ///   does.
    static func bound(_ symbol: some Collection<UInt8>, isFunction: Bool = false) -> Int? {
        var reader = DemangledSizeBound(remainingBytes: Array(symbol)[...], isFunction: isFunction)
        guard reader.readPrefix() else { return nil }
        while !reader.remainingBytes.isEmpty {
            guard reader.readStep(), reader.size <= maxBytes else { return nil }
        }
        return reader.size
    }

    private init(remainingBytes: ArraySlice<UInt8>, isFunction: Bool) {
        self.remainingBytes = remainingBytes
        self.isFunction = isFunction
    }

    /// Reads the prefix of Swift 5 and later, 4.2, or 4.0.
    private mutating func readPrefix() -> Bool {
        for prefix in ["$s", "$S", "_T0"] where remainingBytes.starts(with: prefix.utf8) {
            remainingBytes = remainingBytes.dropFirst(prefix.utf8.count)
            return true
        }
        return false
    }

    // MARK: Operators

    /// Reads one operator, or one identifier.
    private mutating func readStep() -> Bool {
        guard let byte = remainingBytes.first else { return false }
        if byte &- UInt8(ascii: "0") < 10 { return readIdentifier() }
        remainingBytes = remainingBytes.dropFirst()
        if Self.structureOperators.contains(byte) {
            size += Self.maxStructureTextBytes
            return true
        }
        size += Self.maxOperatorTextBytes
        switch byte {
        case UInt8(ascii: "A"): return readSubstitution()
        case UInt8(ascii: "S"): return readStandardType()
        case UInt8(ascii: "L"): return readLocal()
        case UInt8(ascii: "v"), UInt8(ascii: "i"): return readAccessor()
        case UInt8(ascii: "f"): return readFunction()
        case UInt8(ascii: "o"): return acceptOne(of: "ipP")
        case UInt8(ascii: "M"): return acceptOne(of: "acfLmnopPrsSuVXIiJ") && remainingBytes.isEmpty
        case UInt8(ascii: "."):
            // The demangler writes a suffix, such as `.resume.0`, in quotes after the name, and some bytes as `\xFF`.
            size += remainingBytes.count * 4
            remainingBytes = remainingBytes[remainingBytes.endIndex...]
            return true
        default:
            if Self.plainOperators.contains(byte) { return true }
            return isFunction ? readFunctionOperator(byte) : readTypeOperator(byte)
        }
    }

    private mutating func readTypeOperator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "q"): return readIndex()
        case UInt8(ascii: "Y"): return acceptOne(of: "abcK")
        case UInt8(ascii: "T"): return acceptOne(of: "AcEjmoOqRuwW") && remainingBytes.isEmpty
        default: return false
        }
    }

    private mutating func readFunctionOperator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "q"): return readGenericParameter()
        case UInt8(ascii: "r"): return readGenericSignature()
        case UInt8(ascii: "R"): return readRequirement()
        case UInt8(ascii: "Q"): return readArchetype()
        case UInt8(ascii: "I"): return readLoweredFunction()
        case UInt8(ascii: "W"): return readWitness()
        case UInt8(ascii: "H"): return readConformance()
        case UInt8(ascii: "X"): return readSpecialType()
        case UInt8(ascii: "Y"): return acceptOne(of: "abcKATuitlgkCmp")
        case UInt8(ascii: "T"): return readThunk()
        default: return false
        }
    }

    /// Operators of contexts, generic arguments and lists. The longest texts for them are `(extension in M):`,
    /// `static `, `, ` and ` first-element-marker `.
    private static let structureOperators = Set("CDEGOPVZsty_".utf8)
    private static let maxStructureTextBytes = 24
    /// Operators of functions, metatypes and conventions.
    private static let plainOperators = Set("FKNacdhlmnpuxz".utf8)
    /// Maximum bytes of the text for an operator. The longest known text is `reflection metadata field descriptor for` and a
    /// space.
    private static let maxOperatorTextBytes = 64

    /// Reads the part after `A`: letters, the last one in upper case, each optionally after a count; or an index and
    /// `_`.
    private mutating func readSubstitution() -> Bool {
        while true {
            let count = readNumber()
            guard let letter = remainingBytes.popFirst() else { return false }
            switch letter {
            case UInt8(ascii: "_"):
                return addSubstitution(count.map { $0 + 27 } ?? 26)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                return addSubstitution(Int(letter - UInt8(ascii: "A")), times: count ?? 1)
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                guard addSubstitution(Int(letter - UInt8(ascii: "a")), times: count ?? 1) else {
                    return false
                }
            default: return false
            }
        }
    }

    private mutating func addSubstitution(_ index: Int, times: Int = 1) -> Bool {
        guard times <= Self.maxRepetitions else { return false }
        // There are fewer substitutions than bytes before this point.
        guard index < remainingBytes.startIndex else { return false }
        while substitutionSizes.count <= index { substitutionSizes.append(size) }
        size += substitutionSizes[index] * max(1, times)
        return size <= Self.maxBytes
    }

    /// Reads the part after `S`: a type of the standard library, optionally after a count; `Sg` is an optional.
    private mutating func readStandardType() -> Bool {
        let count = readNumber() ?? 1
        // One letter stands for a type. After `c`, it stands for a type of the concurrency module.
        _ = accept("c")
        guard remainingBytes.popFirst() != nil, count <= Self.maxRepetitions else { return false }
        size += Self.maxOperatorTextBytes * count
        return true
    }

    /// Reads the part after `L` in a type's name: the number of a local type, or the mark of a private type, whose file the
    /// preceding identifier names.
    private mutating func readLocal() -> Bool {
        if acceptOne(of: "Ll") { return true }
        return acceptOne(of: "abcdefghijABCDEFGHIJ") || readIndex()
    }

    /// Reads the part after `v` or `i`: the kind of access to a variable or subscript.
    private mutating func readAccessor() -> Bool {
        if accept("a") || accept("l") { return acceptOne(of: "OoaupP") }
        return acceptOne(of: "gGsmMrpwWiz")
    }

    /// Reads the part after `f`: the kind of a function.
    private mutating func readFunction() -> Bool {
        if accept("A") || accept("U") || accept("u") { return readIndex() }
        // `M` stands for code from a macro. The kind of the macro follows.
        if isFunction, accept("M") { return acceptOne(of: "arfmpcebu") && readIndex() }
        return acceptOne(of: "acCdDeEFiPW")
    }

    // MARK: Generic code

    /// Reads the part after `q`, or a part of a requirement: a parameter of a generic context.
    private mutating func readGenericParameter() -> Bool {
        if accept("d") { return readIndex() && readIndex() }
        return accept("z") || accept("s") || readIndex()
    }

    /// Reads the part after `r`: the number of parameters of each depth, up to `l`.
    private mutating func readGenericSignature() -> Bool {
        while !accept("l") {
            size += Self.maxOperatorTextBytes
            guard accept("z") || readIndex() else { return false }
        }
        return true
    }

    /// Reads the part after `R`: a letter for the kind of the requirement and of its subject. There is no letter if a
    /// parameter must conform to a protocol.
    private mutating func readRequirement() -> Bool {
        size += Self.maxOperatorTextBytes
        guard let kind = remainingBytes.first else { return false }
        if acceptOne(of: "CTPMBSLQ") {
            let isCompound =
                kind != UInt8(ascii: "B") && kind != UInt8(ascii: "S") && kind != UInt8(ascii: "L")
                && kind != UInt8(ascii: "Q")
            guard !isCompound || readGenericParameter() else { return false }
            return kind != UInt8(ascii: "M") && kind != UInt8(ascii: "L") || readLayout()
        }
        if acceptOne(of: "ij") { return readIndex() && readGenericParameter() }
        if acceptOne(of: "ml") { return readGenericParameter() && readLayout() }
        _ = acceptOne(of: "vcbtsph")
        return readGenericParameter()
    }

    /// Reads the layout of a layout requirement.
    private mutating func readLayout() -> Bool {
        if acceptOne(of: "URNCDTB") { return true }
        if acceptOne(of: "EM") { return readIndex() && readIndex() }
        return acceptOne(of: "em") && readIndex()
    }

    /// Reads the part after `Q`: an associated type, an opaque result or a pack.
    private mutating func readArchetype() -> Bool {
        if acceptOne(of: "xXzZarOpPS") { return true }
        if acceptOne(of: "yY") { return readGenericParameter() }
        return acceptOne(of: "oRe") && readIndex()
    }

    /// Reads the part after `H`: a conformance.
    private mutating func readConformance() -> Bool {
        if acceptOne(of: "CPpXcnorF") { return true }
        return acceptOne(of: "ADIO") && readIndex()
    }

    // MARK: Code that the compiler made

    /// Reads the part after `I`: letters for the conventions of a lowered function, up to `_`.
    private mutating func readLoweredFunction() -> Bool {
        while let letter = remainingBytes.first, Self.isLetter(letter) {
            remainingBytes = remainingBytes.dropFirst()
            size += Self.maxOperatorTextBytes
        }
        return accept("_")
    }

    /// Reads the part after `W`: tables of witnesses, lazy accessors, and outlined copies of values.
    private mutating func readWitness() -> Bool {
        if accept("O") { return acceptOne(of: "ij") ? readIndex() : acceptOne(of: "yerscdfbhkBCDgn") }
        if accept("v") { return acceptOne(of: "di") }
        return acceptOne(of: "VPpGgaIiLlTtbCoSJjzZ")
    }

    /// Reads the part after `X`: conventions and representations of functions and metatypes.
    private mutating func readSpecialType() -> Bool {
        if acceptOne(of: "Mm") { return acceptOne(of: "tTo") }
        if accept("z") { return acceptOne(of: "BC") }
        return acceptOne(of: "ACEfKULBgGoubDpPlcSwe")
    }

    /// Reads the part after `T`: a thunk, a continuation or a specialization.
    private mutating func readThunk() -> Bool {
        if acceptOne(of: "QYvz") { return readIndex() }
        if acceptOne(of: "gGBtsipP") { return readSpecialization() }
        if accept("f") { return readFunctionSpecialization() }
        if accept("w") { return acceptOne(of: "bBS") }
        return acceptOne(of: "AacCDdEFIjlLmMnNbOoqRrSuVWXxyKkHh")
    }

    /// Reads the marks of a specialization and the number of the pass that made it.
    private mutating func readSpecialization() -> Bool {
        while acceptOne(of: "mqar") {}
        return acceptOne(of: "0123456789")
    }

    /// Reads the letters for the parameters, up to `_`, and then the letter for the result, which may be missing at the end.
    private mutating func readFunctionSpecialization() -> Bool {
        guard readSpecialization() else { return false }
        while !accept("_") {
            size += Self.maxOperatorTextBytes
            guard acceptOne(of: "ndgexisrocpGOXDfSbw0123456789kC") else { return false }
        }
        return accept("n") || acceptOne(of: "dgexisrGOXD") || remainingBytes.isEmpty
    }

    // MARK: Parts of operators

    /// Reads `_`, or a number and `_`.
    private mutating func readIndex() -> Bool {
        _ = readNumber()
        return accept("_")
    }

    /// Reads a length and as many bytes. After `00` the bytes are in punycode. After `0`, letters that stand for words of
    /// earlier identifiers alternate with such lengths. The last letter is in upper case, and `0` or a last length follows.
    private mutating func readIdentifier() -> Bool {
        guard accept("0") else { return readLiteral(isPunycode: false) }
        if accept("0") { return readLiteral(isPunycode: true) }
        var isLast = false
        while !isLast {
            while !isLast, let letter = remainingBytes.first, Self.isLetter(letter) {
                remainingBytes = remainingBytes.dropFirst()
                size += identifierBytes
                isLast = letter <= UInt8(ascii: "Z")
            }
            if accept("0") { break }
            guard size <= Self.maxBytes, readLiteral(isPunycode: false) else { return false }
        }
        size += Self.maxOperatorTextBytes
        return true
    }

    private mutating func readLiteral(isPunycode: Bool) -> Bool {
        guard let length = readNumber(), length > 0 else { return false }
        if isPunycode { _ = accept("_") }
        guard remainingBytes.count >= length else { return false }
        remainingBytes = remainingBytes.dropFirst(length)
        // A scalar takes at least one byte in punycode, and at most four in UTF-8.
        let bytes = isPunycode ? length * 4 : length
        size += bytes + Self.maxOperatorTextBytes
        identifierBytes += bytes
        return true
    }

    private mutating func readNumber() -> Int? {
        var number: Int?
        while let digit = remainingBytes.first.map({ $0 &- UInt8(ascii: "0") }), digit < 10 {
            remainingBytes = remainingBytes.dropFirst()
            // The number is capped at a value that exceeds the length of any name.
            number = min((number ?? 0) * 10 + Int(digit), Self.maxBytes)
        }
        return number
    }

    private mutating func accept(_ byte: Unicode.Scalar) -> Bool {
        guard remainingBytes.first == UInt8(ascii: byte) else { return false }
        remainingBytes = remainingBytes.dropFirst()
        return true
    }

    private mutating func acceptOne(of letters: String) -> Bool {
        guard let byte = remainingBytes.first, letters.utf8.contains(byte) else { return false }
        remainingBytes = remainingBytes.dropFirst()
        return true
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
}
